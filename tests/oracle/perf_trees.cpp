// SPDX-License-Identifier: MIT
#include "perf_trees.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "catch.hpp"

namespace oracle {
namespace {

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789.%") == std::string::npos;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ";") + name;
    return text;
}

// GraphReader reads the tree of one row. Where a line begins says what it belongs to: the frames of a branch stand
// eleven columns behind the fork, those at the top without a number at column 15.
class GraphReader {
  public:
    void line(const std::string& text) {
        const auto begin = text.find_first_not_of(" |");
        if (begin == std::string::npos) return;
        if (text.compare(begin, 3, "---") == 0 && begin == 12) {
            open({begin + 3, "all", {}, {}});
            branches_.back().names.push_back(text.substr(begin + 3));
            return;
        }
        const auto end = text.find("--", begin + 2);
        const bool fork = text.compare(begin, 2, "--") == 0 && end != std::string::npos &&
                          is_number(text.substr(begin + 2, end - begin - 2));
        if (!fork) {
            while (!path_.empty() && branches_[path_.back()].column > begin) path_.pop_back();
            INFO(text);
            REQUIRE(!path_.empty());
            REQUIRE(branches_[path_.back()].column == begin);
            branches_[path_.back()].names.push_back(text.substr(begin));
            return;
        }
        const auto column = begin - 1;  // of "|"
        while (!path_.empty() && branches_[path_.back()].column > column) path_.pop_back();
        std::vector<std::string> above;
        for (const auto number : path_) {
            const auto& names = branches_[number].names;
            above.insert(above.end(), names.begin(), names.end());
        }
        open({column + 11, text.substr(begin + 2, end - begin - 2), above, {}});
        branches_.back().names.push_back(text.substr(end + 2));
    }

    std::multiset<std::string> entries() const {
        std::multiset<std::string> all;
        for (const auto& branch : branches_) {
            all.insert(joined(branch.above) + " " + branch.number + " " + joined(branch.names));
        }
        // One frame with all samples repeats the row.
        if (all.size() == 1 && branches_.front().number == "all" && branches_.front().names.size() == 1) all.clear();
        return all;
    }

  private:
    struct Branch {
        std::size_t column;  // of its frames
        std::string number;
        std::vector<std::string> above, names;
    };
    void open(Branch branch) {
        path_.push_back(branches_.size());
        branches_.push_back(std::move(branch));
    }

    std::vector<Branch> branches_;
    std::vector<std::size_t> path_;  // to the line before, as numbers in branches_
};

std::multiset<std::string> flat_entries(const std::vector<std::string>& lines) {
    std::multiset<std::string> all;
    std::string number;
    std::vector<std::string> names;
    const auto take = [&] {
        if (!number.empty()) all.insert(number + " " + joined(names));
        number.clear();
        names.clear();
    };
    for (const auto& line : lines) {
        const auto begin = line.find_first_not_of(' ');
        if (begin == 11) {
            take();
            number = line.substr(begin);
        } else if (begin != std::string::npos) {
            REQUIRE(begin == 16);
            names.push_back(line.substr(begin));
        }
    }
    take();
    return all;
}

}  // namespace

std::map<std::string, Trees> read_trees(const std::vector<std::string>& lines, TreeForm form) {
    std::map<std::string, Trees> events;
    std::string event, row;
    std::vector<std::string> below;
    const auto take = [&] {
        if (!row.empty()) {
            std::multiset<std::string> entries;
            if (form == TreeForm::graph) {
                GraphReader reader;
                for (const auto& line : below) reader.line(line);
                entries = reader.entries();
            } else if (form == TreeForm::flat) {
                entries = flat_entries(below);
            } else {
                entries.insert(below.begin(), below.end());
            }
            events[event].rows[row].merge(entries);
        }
        row.clear();
        below.clear();
    };
    for (const auto& line : lines) {
        if (line.starts_with("# Samples: ")) {
            take();
            const auto begin = line.find('\'');
            event = line.substr(begin + 1, line.rfind('\'') - begin - 1);
        }
        if (line.starts_with('#')) continue;
        if (line.find_first_not_of(' ') == std::string::npos) continue;
        // A row is "   100.00%     0.00%  comm  dso  [.] main": numbers from column 2 to 9, then two spaces.
        const auto words = [&] {
            std::istringstream stream(line);
            std::vector<std::string> all;
            for (std::string word; stream >> word;) all.push_back(word);
            return all;
        }();
        const auto begin = line.find_first_not_of(' ');
        const bool share = words.front().ends_with('%') && is_number(words.front());
        if (share && begin >= 1 && begin + words.front().size() <= 11 && words.size() > 1) {
            take();
            std::string shares, rest;
            for (const auto& word : words) {
                auto& to = rest.empty() && word.ends_with('%') && is_number(word) ? shares : rest;
                to += (to.empty() ? "" : " ") + word;
            }
            row = rest;
            events[event].shares[row] = shares;
            continue;
        }
        if (!row.empty()) below.push_back(line);
    }
    take();
    return events;
}

}  // namespace oracle
