// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <protozero/exception.hpp>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/catch_bad_alloc.hpp"

#include "check_rows.hpp"
#include "field_stream.hpp"
#include "profile_fields.hpp"
#include "profile_file.hpp"
#include "row_reader.hpp"

namespace perfdata::stored {
namespace {

constexpr auto tables = std::tuple_size_v<decltype(std::declval<Model&>().tables())>;
// As messages call them.
constexpr std::array<std::string_view, tables> table_names{
    "texts",    "recordings", "events",   "objects", "programs",          "code",   "lines of source", "calls",
    "nameless", "functions",  "versions", "lines",   "inlined functions", "frames", "chains",          "cgroups",
    "tasks",    "counts",     "branches"};

// Header is what the first field says.
struct Header {
    std::string magic;
    std::uint64_t version = 0;
};

// read_header(bytes) returns nothing if it is none. Newer versions may say more in it.
std::optional<Header> read_header(protozero::data_view bytes) {
    using protozero::pbf_wire_type;
    Header header;
    protozero::pbf_reader message(bytes);
    while (message.next()) {
        if (message.tag_and_type() == protozero::tag_and_type(1, pbf_wire_type::length_delimited)) {
            header.magic = message.get_string();
        } else if (message.tag_and_type() == protozero::tag_and_type(2, pbf_wire_type::varint)) {
            header.version = message.get_uint64();
        } else {
            message.skip();
        }
    }
    return header.magic == profile_magic ? std::optional(std::move(header)) : std::nullopt;
}

// allowed_rows<Row>(limits) returns how many rows the limits allow.
template <class Row>
std::uint64_t allowed_rows(const Limits& limits) {
    const auto most = [&]() -> std::uint64_t {
        if constexpr (std::is_same_v<Row, Event>) return limits.events;
        if constexpr (std::is_same_v<Row, Load>) return limits.bpf_programs;
        if constexpr (std::is_same_v<Row, Code> || std::is_same_v<Row, Function> || std::is_same_v<Row, Version> ||
                      std::is_same_v<Row, Lines>) {
            return limits.code_versions;
        }
        if constexpr (std::is_same_v<Row, Object> || std::is_same_v<Row, Cgroup>) return limits.task_records;
        if constexpr (std::is_same_v<Row, Node>) return limits.chain_nodes;
        if constexpr (std::is_same_v<Row, Cell> || std::is_same_v<Row, Branch>) return limits.cells;
        return limits.places;
    }();
    return std::min<std::uint64_t>(most, Ref<Row>::none - 1);
}

class ProfileReader {
  public:
    ProfileReader(const perfdata::Source& source, const std::string& where, const Limits& limits, const Watch& watch)
        : stream_(source, where, watch), limits_(limits), checker_(model_) {}

    Model read() {
        read_version();
        bool has_facts = false;
        std::uint64_t last = static_cast<std::uint64_t>(ProfileField::header);
        while (!stream_.at_end()) {
            const auto field = stream_.next();
            if (field.number < static_cast<std::uint64_t>(ProfileField::header)) {
                if (field.has_bytes) stream_.skip(field);
                continue;
            }
            const bool is_row = field.number >= static_cast<std::uint64_t>(ProfileField::first_table);
            if (!field.has_bytes || field.number > last_field) malformed(field, "this version knows no such field");
            if (is_row ? field.number < last : field.number != last + 1) {
                malformed(field, "its parts are not in their order");
            }
            last = field.number;
            if (field.bytes > limits_.section_bytes) limit(field, "a part of it", field.bytes, limits_.section_bytes);
            stream_.read(field, content_);
            decoding(field, [&] {
                if (is_row) return read_row(field);
                if (field.number == static_cast<std::uint64_t>(ProfileField::sizes)) return read_sizes(field);
                decode(content_, model_.facts);
                has_facts = true;
            });
        }
        if (!has_facts) stream_.fail(ErrorCode::truncated, stream_.size(), "it ends before its tables");
        std::size_t table_number = 0;
        each_table(model_, [&](const auto& table) {
            const auto at = table_number++;
            if (table.size() != sizes_[at]) {
                stream_.fail(ErrorCode::truncated, stream_.size(),
                             "it has " + std::to_string(table.size()) + " of its " + std::to_string(sizes_[at]) + " " +
                                 std::string(table_names[at]));
            }
        });
        try {
            checker_.finish();
        } catch (const BadRow& bad) {
            stream_.fail(ErrorCode::malformed, Error::no_offset, std::string(bad.why));
        }
        return std::move(model_);
    }

  private:
    [[noreturn]] void malformed(const FieldStream::Field& field, std::string detail) const {
        stream_.fail(ErrorCode::malformed, field.at, std::move(detail));
    }
    [[noreturn]] void limit(const FieldStream::Field& field, std::string_view what, std::uint64_t has,
                            std::uint64_t most) const {
        stream_.fail(ErrorCode::limit, field.at,
                     std::string(what) + " has " + std::to_string(has) + ", and the limit is " + std::to_string(most));
    }

    // Calls body(), which throws what decoding throws.
    template <class Body>
    void decoding(const FieldStream::Field& field, Body&& body) {
        try {
            body();
        } catch (const BadRow& bad) {
            malformed(field, in_table(field) + std::string(bad.why));
        } catch (const protozero::exception&) {
            malformed(field, in_table(field) + "a message is not one");
        }
    }
    static std::string in_table(const FieldStream::Field& field) {
        constexpr auto first = static_cast<std::uint64_t>(ProfileField::first_table);
        return field.number < first ? std::string() : "its " + std::string(table_names[field.number - first]) + ": ";
    }

    void read_version() {
        constexpr std::uint64_t most_header = 4096;
        if (stream_.at_end()) stream_.fail(ErrorCode::not_perf_data, 0, "is no profile file");
        const auto field = stream_.next();
        const bool is_header = field.number == static_cast<std::uint64_t>(ProfileField::header) && field.has_bytes &&
                               field.bytes <= most_header;
        if (!is_header) stream_.fail(ErrorCode::not_perf_data, 0, "is no profile file");
        stream_.read(field, content_);
        std::optional<Header> header;
        decoding(field, [&] { header = read_header(content_); });
        if (!header) stream_.fail(ErrorCode::not_perf_data, 0, "is no profile file");
        if (header->version == 0) malformed(field, "it has no version");
        if (header->version > profile_version) {
            stream_.fail(ErrorCode::unsupported, field.at,
                         "is a profile of format version " + std::to_string(header->version) +
                             ", and this perfdata reads up to version " + std::to_string(profile_version) +
                             ": read it with a newer perfdata");
        }
    }

    void read_sizes(const FieldStream::Field& field) {
        // A row takes at least a field's number, in two bytes, and a length.
        constexpr std::uint64_t least_row = 3;
        if (content_.size() > tables * 10) throw BadRow{"it has more tables than this version knows"};
        std::size_t at = 0;
        const auto* begin = content_.data();
        const auto* const end = begin + content_.size();
        while (begin != end) {
            if (at == tables) throw BadRow{"it has more tables than this version knows"};
            sizes_[at++] = protozero::decode_varint(&begin, end);
        }
        if (at != tables) throw BadRow{"it has fewer tables than this version knows"};
        at = 0;
        each_table(model_, [&]<class Row>(const Table<Row>&) {
            const auto size = sizes_[at];
            const auto name = "the table of its " + std::string(table_names[at++]);
            if (size > stream_.size() / least_row) malformed(field, name + " is longer than the file");
            if (size > allowed_rows<Row>(limits_)) limit(field, name, size, allowed_rows<Row>(limits_));
        });
    }

    void read_row(const FieldStream::Field& field) {
        each_table(model_, [&]<class Row>(Table<Row>& table) {
            constexpr auto number = table_field<Row>;
            if (number != field.number) return;
            if (table.size() == sizes_[number - static_cast<std::uint32_t>(ProfileField::first_table)]) {
                throw BadRow{"there are more rows than it says"};
            }
            Row row;
            decode(content_, row);
            if constexpr (std::is_same_v<Row, Text>) {
                text_bytes_ += row.bytes.size();
                if (text_bytes_ > limits_.section_bytes) {
                    limit(field, "the bytes of its texts", text_bytes_, limits_.section_bytes);
                }
            }
            checker_.check(row);
            table.push_back(std::move(row));
        });
    }

    FieldStream stream_;
    const Limits& limits_;
    Model model_;
    RowChecker checker_;
    std::array<std::uint64_t, tables> sizes_{};
    std::string content_;  // of a field
    std::uint64_t text_bytes_ = 0;
};

}  // namespace

bool is_profile(Bytes start) {
    // The key of the field, its length in a byte, the key of the text and its length.
    const auto header = profile_header(profile_version);
    constexpr std::size_t before_magic = 5;
    if (start.size() < before_magic + profile_magic.size()) return false;
    const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    return text.substr(0, 2) == std::string_view(header).substr(0, 2) &&
           text.substr(before_magic, profile_magic.size()) == profile_magic;
}

Result<Model> read_profile(const perfdata::Source& source, const std::string& where, const Limits& limits,
                           const Watch& watch) {
    return catch_bad_alloc([&]() -> Result<Model> {
        if (auto damage = source.damage()) return fail(std::move(*damage));
        try {
            return ProfileReader(source, where, limits, watch).read();
        } catch (ReadFailed& failed) {
            return fail(std::move(failed.error));
        }
    });
}

}  // namespace perfdata::stored
