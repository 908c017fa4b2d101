// SPDX-License-Identifier: MIT
#include "folder.hpp"

#include <algorithm>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <fstream>
#include <map>

#include "catch.hpp"

namespace corpus {

std::vector<std::string> lines(const std::filesystem::path& path) {
    INFO(path);
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file);
    boost::iostreams::filtering_istream stream;
    if (path.extension() == ".gz") stream.push(boost::iostreams::gzip_decompressor());
    stream.push(file);
    std::vector<std::string> result;
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    REQUIRE(!result.empty());
    return result;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::filesystem::path IndexRow::path() const {
    return std::filesystem::path(PERFDATA_CORPUS) / file;
}

std::filesystem::path IndexRow::perf72(const std::string& kind) const {
    auto name = file;
    name.replace(name.find('/'), 1, "__");
    return std::filesystem::path(PERFDATA_CORPUS) / "perf72" / (name + "." + kind + ".txt.gz");
}

std::vector<IndexRow> index_rows() {
    const auto table = lines(PERFDATA_CORPUS "/index.tsv");
    const auto titles = split(table.front(), '\t');
    std::vector<IndexRow> rows;
    for (std::size_t line = 1; line < table.size(); ++line) {
        auto cells = split(table[line], '\t');
        INFO(table[line]);
        REQUIRE(cells.size() == titles.size());
        std::map<std::string, std::string> cell;
        for (std::size_t column = 0; column < titles.size(); ++column) cell[titles[column]] = std::move(cells[column]);
        IndexRow row;
        row.file = cell.at("file");
        row.size = std::stoull(cell.at("size"));
        row.format = cell.at("format");
        row.byte_order = cell.at("endian");
        row.mode = cell.at("mode");
        row.perf_version = cell.at("perf_version");
        row.arch = cell.at("arch");
        row.events = cell.at("events");
        row.records = cell.at("records");
        row.features = cell.at("features");
        rows.push_back(std::move(row));
    }
    REQUIRE(!rows.empty());
    return rows;
}

std::vector<std::filesystem::path> recordings(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    for (auto entry = std::filesystem::recursive_directory_iterator(folder);
         entry != std::filesystem::recursive_directory_iterator(); ++entry) {
        const auto& path = entry->path();
        if (entry->is_directory() && exists(path / "data")) {
            found.push_back(path);
            entry.disable_recursion_pending();
        } else if (path.extension() == ".data") {
            found.push_back(path);
        }
    }
    std::ranges::sort(found);
    REQUIRE(!found.empty());
    return found;
}

}  // namespace corpus
