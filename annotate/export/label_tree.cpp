// SPDX-License-Identifier: MIT
#include "label_tree.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace perfdata {

std::uint32_t LabelTree::label(std::string text) {
    const auto [entry, is_new] = labels_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(entry->first);
    return entry->second;
}

std::uint32_t LabelTree::stack_of(std::uint32_t node) {
    path_.clear();
    for (; node != ExportNode::none && stack_of_node_[node] == none; node = exported_.nodes[node].caller) {
        path_.push_back(node);
    }
    std::uint32_t stack = node == ExportNode::none ? 0 : stack_of_node_[node];
    for (; !path_.empty(); path_.pop_back()) {
        stack = stacks_.intern({stack, label_of_place_[exported_.nodes[path_.back()].place]});
        stack_of_node_[path_.back()] = stack;
    }
    return stack;
}

LabelTree::Callees LabelTree::callees() const {
    Callees callees;
    callees.first.assign(size() + 1, 0);
    for (std::uint32_t stack = 1; stack < size(); ++stack) ++callees.first[caller(stack) + 1];
    for (std::size_t stack = 0; stack < size(); ++stack) callees.first[stack + 1] += callees.first[stack];
    callees.sorted.resize(size() - 1);
    std::iota(callees.sorted.begin(), callees.sorted.end(), 1u);
    std::vector<std::uint32_t> by_text(labels()), rank(labels());
    std::iota(by_text.begin(), by_text.end(), 0u);
    std::ranges::sort(by_text, {}, [&](std::uint32_t label) -> const std::string& { return texts_[label]; });
    for (std::uint32_t at = 0; at < by_text.size(); ++at) rank[by_text[at]] = at;
    std::ranges::sort(callees.sorted, {},
                      [&](std::uint32_t stack) { return std::tuple(caller(stack), rank[label_of(stack)]); });
    return callees;
}

}  // namespace perfdata
