// SPDX-License-Identifier: MIT
#include "folded.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"

#include "export_words.hpp"
#include "format/words.hpp"
#include "label_tree.hpp"
#include "stack_room.hpp"

namespace perfdata {
namespace {

constexpr std::size_t folded_block = std::size_t{64} << 10;

// Semicolons separate frames, the last space the count, and each stack is a line. flamegraph.pl takes two numbers at
// its end for a difference: no frame ends in a space and a number. Stacks repeat names, so long ones are cut.
std::string folded_text(std::string_view name) {
    auto text = printable(InLine(name));
    for (auto& character : text) {
        if (character == ';') character = ':';
        if (character == '\t') character = ' ';
    }
    const auto digits = text.find_last_not_of("0123456789.");
    if (digits != std::string::npos && digits + 1 < text.size() && text[digits] == ' ') text[digits] = '_';
    return text;
}

class FoldedWriter {
  public:
    FoldedWriter(const Exported& exported, const FoldedOptions& options, const Sink& sink)
        : exported_(exported), options_(options), sink_(sink), tree_(exported), room_(exported) {
        for (std::uint32_t place = 0; place < exported.places.size(); ++place) {
            const auto& at = exported.places[place];
            const auto& function = exported.functions[at.function];
            auto text = folded_text(function.name);
            if (options.kinds) text += kind_mark(function.kind, at.inlined);
            tree_.set_place(place, tree_.label(std::move(text)));
        }
    }

    // The tree has each stack of functions once, below no command: commands may share deep stacks.
    std::uint64_t write() {
        struct Part {
            std::uint32_t root, stack;
            std::uint64_t count;
        };
        std::vector<Part> parts;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;  // by column and task; log n each
        std::map<std::string, std::uint32_t> numbers;                            // of roots; log n each
        for (const auto& row : exported_.rows) {
            const auto stack = tree_.stack_of(row.node);
            for (const auto& [column, count] : row.cells) {
                const auto [entry, is_new] = known.try_emplace({column, row.task}, 0u);
                if (is_new) {
                    entry->second =
                        numbers.try_emplace(root_text(column, row.task), static_cast<std::uint32_t>(numbers.size()))
                            .first->second;
                }
                parts.push_back({entry->second, stack, options_.periods ? count.periods : count.hits});
            }
        }
        std::vector<const std::string*> roots(numbers.size());
        std::vector<std::uint32_t> root_rank(numbers.size()), stack_rank(tree_.size());
        std::uint32_t next = 0;
        for (const auto& [text, number] : numbers) {
            roots[number] = &text;
            root_rank[number] = next++;
        }
        next = 0;
        tree_.each([&](std::uint32_t stack, std::uint32_t) { stack_rank[stack] = next++; });
        std::ranges::sort(parts, {},
                          [&](const Part& part) { return std::pair(root_rank[part.root], stack_rank[part.stack]); });
        for (std::size_t at = 0; at < parts.size();) {
            const auto& [root, stack, first] = parts[at];
            std::uint64_t count = first;
            for (++at; at < parts.size() && parts[at].root == root && parts[at].stack == stack; ++at) {
                count = add_up_to_most(count, parts[at].count);
            }
            if (count != 0) put(*roots[root], stack, count);
        }
        if (!block_.empty()) sink_(block_);
        return room_.cut();
    }

  private:
    // With several events each is a root of its own.
    std::string root_text(std::uint32_t column, std::uint32_t task) const {
        auto text = folded_text(exported_.tasks[task].comm);
        // Some readers take such a line for a comment, or for one that goes on.
        if (text.starts_with('#') || text.starts_with(' ')) text.front() = '_';
        return exported_.events.size() > 1 ? folded_text(exported_.events[column].name) + ";" + text : text;
    }

    void put(const std::string& root, std::uint32_t stack, std::uint64_t count) {
        path_.clear();
        room_.begin_stack();
        for (; stack != 0 && room_.take(); stack = tree_.caller(stack)) path_.push_back(stack);
        block_ += root;
        for (auto at = path_.size(); at-- != 0;) {
            block_ += ';';
            block_ += tree_.text(tree_.label_of(path_[at]));
        }
        fmt::format_to(std::back_inserter(block_), " {}\n", count);
        if (block_.size() < folded_block) return;
        sink_(block_);
        block_.clear();
    }

    const Exported& exported_;
    const FoldedOptions& options_;
    const Sink& sink_;
    LabelTree tree_;
    StackRoom room_;
    std::vector<std::uint32_t> path_;
    std::string block_;
};

}  // namespace

std::uint64_t write_folded(const Exported& exported, const FoldedOptions& options, const Sink& sink) {
    return FoldedWriter(exported, options, sink).write();
}

}  // namespace perfdata
