// SPDX-License-Identifier: MIT
// Access to folders of recordings outside of the project.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace corpus {

// lines(path) returns the lines of a file, unpacked if its name ends with .gz; fails the test if there is none.
std::vector<std::string> lines(const std::filesystem::path& path);

// split(text, separator) returns one more element than there are separators.
std::vector<std::string> split(const std::string& text, char separator);

// IndexRow describes one file in corpus/index.tsv, which an independent program wrote.
struct IndexRow {
    std::string file;  // path below the corpus
    std::uint64_t size = 0;
    std::string format;  // PERFILE2 for recordings
    std::string byte_order, mode, perf_version, arch, events, records, features;

    std::filesystem::path path() const;
    bool is_recording() const { return format.starts_with("PERF"); }
    // Path of perf 7.2's output in perf72/; kind is "script" or "report".
    std::filesystem::path perf72(const std::string& kind) const;
};
std::vector<IndexRow> index_rows();

// recordings(folder) returns every recording below it: the .data files and the directories.
std::vector<std::filesystem::path> recordings(const std::filesystem::path& folder);

}  // namespace corpus
