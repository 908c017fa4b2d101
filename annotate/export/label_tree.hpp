// SPDX-License-Identifier: MIT
// Stacks by what their frames are called: stacks of equal labels are one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/profile/intern_table.hpp"

#include "exported.hpp"

namespace perfdata {

// LabelTree numbers stacks of labels. Callers have lower numbers than their callees; 0 is the root, without a label.
class LabelTree {
  public:
    // `exported` must outlive it. Its places are called by label(); see set_place().
    explicit LabelTree(const Exported& exported)
        : exported_(exported), label_of_place_(exported.places.size()), stack_of_node_(exported.nodes.size(), none) {
        stacks_.intern({});
    }

    // Returns the number of the text, the same for equal texts.
    std::uint32_t label(std::string text);
    void set_place(std::uint32_t place, std::uint32_t label) { label_of_place_[place] = label; }

    // Returns the stack of an exported node; a look-up for each of its callers that was not asked for before.
    std::uint32_t stack_of(std::uint32_t node);

    std::size_t size() const { return stacks_.size(); }
    std::uint32_t caller(std::uint32_t stack) const { return stacks_[stack].caller; }  // not for the root
    std::uint32_t label_of(std::uint32_t stack) const { return stacks_[stack].label; }
    const std::string& text(std::uint32_t label) const { return texts_[label]; }
    std::size_t labels() const { return texts_.size(); }

    // each(visit) calls visit(stack, depth) for all stacks, each behind its caller, and siblings in the order of their
    // labels' texts. The depth of the root is 0.
    template <class Visit>
    void each(Visit&& visit) const {
        const auto begin = callees();
        std::vector<std::pair<std::uint32_t, std::uint32_t>> todo{{0, 0}};
        while (!todo.empty()) {
            const auto [stack, depth] = todo.back();
            todo.pop_back();
            visit(stack, depth);
            for (auto at = begin.first[stack + 1]; at-- > begin.first[stack];) {
                todo.emplace_back(begin.sorted[at], depth + 1);
            }
        }
    }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct Stack {
        std::uint32_t caller = none, label = none;

        bool operator==(const Stack&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(std::uint64_t{caller} << 32 | label); }
    };
    // Callees is the stacks below each stack: sorted[first[stack]] up to sorted[first[stack + 1]].
    struct Callees {
        std::vector<std::uint32_t> first, sorted;
    };
    Callees callees() const;

    const Exported& exported_;
    std::vector<std::uint32_t> label_of_place_;
    std::vector<std::uint32_t> stack_of_node_;  // none: not asked for yet
    std::vector<std::uint32_t> path_;
    std::map<std::string, std::uint32_t, std::less<>> labels_;  // a tree: log n each
    std::vector<std::string> texts_;
    InternTable<Stack> stacks_;
};

}  // namespace perfdata
