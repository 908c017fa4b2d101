// SPDX-License-Identifier: MIT
#include "export_tables.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "core/platform.hpp"
#include "tool/output/output_format.hpp"
#include "tool/output/output_way.hpp"

namespace perfdata::tool {
namespace {

std::string table_names() {
    std::string names;
    for (const auto& [table, name] : csv_tables) {
        if (!names.empty()) names += table == csv_tables.back().table ? " or " : ", ";
        names += name;
    }
    return names;
}

std::unexpected<Error> cannot_write_because(const std::string& path, const std::string& why) {
    return fail(ErrorCode::io, Error::no_offset, path, "cannot write: " + why);
}

}  // namespace

std::string no_table(const std::string& name) {
    return csv_table(name) ? std::string() : fmt::format("{} is no table: {}", name, table_names());
}

std::string table_problem(std::string_view output, std::string_view table) {
    if (!table.empty()) return {};
    if (output == "-") {
        return fmt::format("--format csv writes several tables: -o DIR, or --table with {}", table_names());
    }
    const auto ending = known_ending(output);
    if (ending && ending->format == Format::csv) {
        return fmt::format(
            "{} gets one table, which --table names: {}; all of them get a directory: --format csv -o DIRECTORY",
            output, table_names());
    }
    return {};
}

Result<TableDirectory> TableDirectory::open(const Common& common) {
    const auto& name = common.output;
    if (auto checked = check_output_way(name); !checked) return fail(std::move(checked.error()));
    std::error_code problem;
    // Nothing that exists is changed, and a dangling link is no directory.
    const auto there = std::filesystem::status(name, problem);
    if (std::filesystem::exists(there) && !std::filesystem::is_directory(there)) {
        return cannot_write_because(name, "it is no directory, which the tables need; or choose one with --table");
    }
    problem.clear();
    const bool made = std::filesystem::create_directory(name, problem);
    if (problem) return cannot_write_because(name, problem.message());
    TableDirectory directory(common, made);
    if (!std::filesystem::is_directory(name, problem)) return cannot_write_because(name, "it is no directory");
    auto taken = common.taken;
    for (const auto& [table, file] : csv_tables) {
        auto place = directory.place_of(file);
        if (!place) return fail(std::move(place.error()));
        if (const auto role = taken.claim(*place, "another table")) refuse_taken("--output", place->name, *role);
    }
    return directory;
}

TableDirectory::TableDirectory(TableDirectory&& other) noexcept
    : common_(other.common_), made_(std::exchange(other.made_, false)) {}

TableDirectory::~TableDirectory() {
    std::error_code ignored;
    if (made_) std::filesystem::remove(common_->output, ignored);  // fails if it is not empty
}

Result<OutputPlace> TableDirectory::place_of(std::string_view table) const {
    const auto path = fmt::format("{}/{}.csv", common_->output, table);
    const auto there = platform::link_status(path);
    if (there && !there->is_regular()) return cannot_write_because(path, "there is something that is no file");
    auto place = OutputPlace::find(path);
    if (!place) return place;
    if (!place->is_file()) return cannot_write_because(path, "there is something that is no file");
    return place;
}

Result<std::uint64_t> TableDirectory::write(const Exported& exported, const Symbolizer& symbolizer) {
    std::vector<OutputFile> files;
    std::uint64_t cut = 0;
    for (const auto& [table, name] : csv_tables) {
        auto place = place_of(name);
        if (!place) return fail(std::move(place.error()));
        auto file = OutputFile::open(std::move(*place), OutputFile::HardLinks::part);
        if (!file) return fail(std::move(file.error()));
        files.push_back(std::move(*file));
        auto& written = files.back();
        cut += write_csv_table(exported, symbolizer, table, [&](std::string_view text) { written.write(text); });
        if (!written.failed()) continue;
        if (auto done = written.commit(); !done) return fail(std::move(done.error()));
    }
    for (auto& file : files) {
        if (auto done = file.commit(); !done) return fail(std::move(done.error()));
        made_ = false;
        if (!file.in_place().empty() && !common_->quiet) {
            complain(
                fmt::format("note: {} was written in place, and not replaced: {}", file.place().name, file.in_place()));
        }
    }
    return cut;
}

}  // namespace perfdata::tool
