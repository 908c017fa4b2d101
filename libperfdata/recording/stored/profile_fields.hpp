// SPDX-License-Identifier: MIT
// The numbers of our fields in a profile file. pprof's own are below 100.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "model.hpp"

namespace perfdata::stored {

inline constexpr std::string_view profile_magic = "perfdata profile";

// In this order, before pprof's fields.
enum class ProfileField : std::uint32_t {
    header = 1000,  // 1: profile_magic, 2: the version. So a file begins with the same bytes up to the version
    sizes,          // numbers of rows, in the order of Model::tables()
    facts,
    first_table,  // then one number for each table, in their order; a field for each row
};

// table_field<Row> is the field of the rows of that table.
template <class Row, class Tables>
struct TableIndex;
template <class Row, class... Rows>
struct TableIndex<Row, std::tuple<Table<Rows>&...>> {
    static constexpr std::uint32_t find() {
        std::uint32_t at = 0, found = 0;
        ((std::is_same_v<Row, Rows> ? found = at++ : at++), ...);
        return found;
    }
};
template <class Row>
inline constexpr std::uint32_t table_field = static_cast<std::uint32_t>(ProfileField::first_table) +
                                             TableIndex<Row, decltype(std::declval<Model&>().tables())>::find();
// last_field is that of the last table.
inline constexpr std::uint32_t last_field = table_field<Branch>;

}  // namespace perfdata::stored
