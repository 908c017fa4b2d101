// SPDX-License-Identifier: MIT
#include "readelf_frames.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "catch.hpp"

namespace oracle {
namespace {

std::uint64_t word_in_hex(const std::string& word) {
    return std::stoull(word, nullptr, 16);
}

// value_of(line, key) returns the word behind "key=".
std::string value_of(const std::string& line, const std::string& key) {
    const auto at = line.find(" " + key + "=");
    REQUIRE(at != std::string::npos);
    const auto begin = at + key.size() + 2;
    return line.substr(begin, line.find(' ', begin) - begin);
}

// words_of(line): of "r1 (ecx)" only the name.
std::vector<std::string> words_of(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        if (word.starts_with('(') && word.ends_with(')') && !words.empty()) {
            words.back() = word.substr(1, word.size() - 2);
        } else {
            words.push_back(word);
        }
    }
    return words;
}

}  // namespace

std::size_t for_each_readelf_function(const std::string& file, const std::string& directory,
                                      const std::function<void(const ReadelfFunction&)>& visit) {
    const auto listing = directory + "/frames";
    const auto command =
        "LC_ALL=C readelf --debug-dump=no-follow-links,frames-interp '" + file + "' >'" + listing + "' 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream in(listing);
    ReadelfFunction function;
    bool open = false;
    std::size_t warnings = 0;
    std::vector<std::string> columns;
    std::map<std::string, std::vector<ReadelfRow>> commons;  // by section and offset of the CIE
    std::vector<ReadelfRow>* rows = nullptr;
    const auto finish = [&] {
        if (open) visit(function);
        open = false;
        rows = nullptr;
    };
    std::string section;
    for (std::string line; std::getline(in, line);) {
        if (line.find("arning:") != std::string::npos) {
            ++warnings;
            continue;
        }
        if (line.starts_with("Contents of the ")) {
            finish();
            section = line.substr(16, line.find(' ', 16) - 16);
            continue;
        }
        const auto words = words_of(line);
        if (words.size() < 2 || words[1] == "ZERO") continue;
        if (words.size() > 3 && words[3] == "CIE") {
            finish();
            rows = &commons[section + words[0]];
            rows->clear();
        } else if (words.size() > 3 && words[3] == "FDE") {
            finish();
            function = {};
            function.section = section;
            function.offset = word_in_hex(words[0]);
            const auto range = value_of(line, "pc");
            function.begin = word_in_hex(range);
            function.end = word_in_hex(range.substr(range.find("..") + 2));
            // Shown as if the function had them from its begin.
            for (const auto& row : commons[section + value_of(line, "cie")]) function.rows = {row};
            for (auto& row : function.rows) row.place = function.begin;
            open = true;
            rows = &function.rows;
        } else if (words[0] == "LOC") {
            columns = words;
            if (rows != nullptr) rows->clear();
        } else if (rows != nullptr && words.size() == columns.size()) {
            ReadelfRow row{word_in_hex(words[0]), words[1], {}};
            for (std::size_t at = 2; at < words.size(); ++at) row.cells[columns[at]] = words[at];
            rows->push_back(std::move(row));
        }
    }
    finish();
    return warnings;
}

}  // namespace oracle
