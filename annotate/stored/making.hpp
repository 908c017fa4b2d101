// SPDX-License-Identifier: MIT
// What all parts of the making of a profile share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "profile_maker.hpp"
#include "recording/stored/model.hpp"

namespace perfdata {

// RowsOnce puts equal rows into a table once. A tree: log n each, whatever a file chooses.
template <class Row>
class RowsOnce {
  public:
    explicit RowsOnce(stored::Table<Row>& table) : table_(table) {}

    stored::Ref<Row> operator()(Row row) {
        const auto [entry, is_new] = rows_.try_emplace(std::move(row), stored::Ref<Row>(table_.size()));
        if (is_new) table_.push_back(entry->first);
        return entry->second;
    }

  private:
    stored::Table<Row>& table_;
    std::map<Row, stored::Ref<Row>> rows_;
};

// append_row(table, row) returns the reference to a row that is added; the model is made canonical in the end.
template <class Row>
stored::Ref<Row> append_row(stored::Table<Row>& table, Row row) {
    table.push_back(std::move(row));
    return stored::Ref<Row>(table.size() - 1);
}

// ProfileTexts numbers texts.
class ProfileTexts {
  public:
    explicit ProfileTexts(stored::Table<stored::Text>& table) : table_(table) { (*this)(std::string_view()); }

    // Returns the number of a text, of the empty one too.
    stored::Ref<stored::Text> operator()(std::string_view text);

  private:
    stored::Table<stored::Text>& table_;
    std::map<std::string, stored::Ref<stored::Text>, std::less<>> numbers_;
};

// Making is a profile that is being made. Everything in it outlives the parts that fill it.
struct Making {
    Making(const Recording& of, const Symbolizer& names, const ProfileMakerOptions& how)
        : recording(of), symbolizer(names), options(how), text(model.texts) {}
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

    stored::Problem problem(const Error& error, bool loss = false);
    std::vector<stored::Problem> problems(const std::vector<Error>& errors);
    stored::Log log(const DiagnosticLog& from);
    // Says which limit was reached. Without numbers: the texts of merged profiles are unified.
    void partial(std::string_view where, std::string_view detail);

    // Counts a source file whose text is not in the profile, of functions with so many samples. Call it in any order.
    void leave_out(std::string_view what, stored::Ref<stored::Text> file, std::uint64_t samples);
    // Returns the path on the recorded machine of a file in a bundle, which may have any name here; others as they are.
    std::string shown(const std::string& path) const;

    bool stopped() const { return options.watch.stop.stop_requested(); }
    // Returns the error of a making that was asked to stop.
    static std::unexpected<Error> cancelled() {
        return fail(ErrorCode::cancelled, Error::no_offset, "profile", "asked to stop");
    }

    const Recording& recording;
    const Symbolizer& symbolizer;
    const ProfileMakerOptions& options;
    stored::Model model;
    ProfileTexts text;
};

// copied(bytes) returns them as rows hold bytes.
inline std::string copied(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace perfdata
