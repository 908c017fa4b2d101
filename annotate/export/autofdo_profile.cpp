// SPDX-License-Identifier: MIT
#include "autofdo_profile.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>

#include "perfdata/core/small_algorithms.hpp"

namespace perfdata {
namespace {

constexpr std::size_t autofdo_block = std::size_t{64} << 10;

// LLVM's discriminators have up to three parts: base, duplication factor, copy. Each is 0 in one bit, or has 5 bits
// behind a 0, or 12: five, a 1, and seven. See llvm/IR/DebugInfoMetadata.h.
std::uint32_t first_part(std::uint32_t parts) {
    constexpr std::uint32_t low = 0x1f, is_long = 0x20, high = 0xfe0;
    if ((parts & 1) != 0) return 0;
    parts >>= 1;
    return (parts & is_long) != 0 ? (parts >> 1 & high) | (parts & low) : parts & low;
}

std::uint32_t further_parts(std::uint32_t parts) {
    constexpr std::uint32_t is_long = 0x40;
    if ((parts & 1) != 0) return parts >> 1;
    return parts >> ((parts & is_long) != 0 ? 14 : 7);
}

// A name is a line's beginning, up to the last colons, or a word. It must not look like a number.
bool fits(std::string_view name) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '#' || name[0] == '!' || name[0] == '[') {
        return false;
    }
    return std::ranges::none_of(name, [](char one) { return static_cast<unsigned char>(one) <= ' '; });
}

std::string text_of(AutofdoLocation at) {
    return at.discriminator == 0 ? fmt::format("{}", at.line) : fmt::format("{}.{}", at.line, at.discriminator);
}

}  // namespace

AutofdoLocation autofdo_location(std::uint32_t line, const CompiledFunction& function, std::uint32_t discriminator) {
    constexpr std::uint32_t bits = 0xffff;
    return {(line - function.line) & bits, first_part(discriminator)};
}

std::uint32_t autofdo_duplicates(std::uint32_t discriminator) {
    return std::max(1u, first_part(further_parts(discriminator)));
}

// Follows FunctionSamples::getCanonicalFnName. GCC and LLVM put unlikely code into a part with another name.
std::string_view autofdo_name(std::string_view symbol) {
    for (const std::string_view suffix : {".llvm.", ".part."}) {
        const auto at = symbol.rfind(suffix);
        if (at != std::string_view::npos && symbol.rfind('.') == at + suffix.size() - 1) symbol = symbol.substr(0, at);
    }
    constexpr std::string_view cold = ".cold";
    if (symbol.ends_with(cold)) symbol.remove_suffix(cold.size());
    return symbol;
}

AutofdoProfile::Function AutofdoProfile::top(std::string_view name) {
    const auto [entry, is_new] = tops_.try_emplace(name, static_cast<Function>(nodes_.size()));
    if (is_new) nodes_.push_back({.name = name});
    return entry->second;
}

AutofdoProfile::Function AutofdoProfile::inlined(Function caller, AutofdoLocation at, std::string_view name) {
    const auto next = static_cast<Function>(nodes_.size());
    const auto [entry, is_new] = nodes_[caller].inlined.try_emplace({at, name}, next);
    const auto number = entry->second;
    if (is_new) nodes_.push_back({.name = name, .caller = caller});
    return number;
}

void AutofdoProfile::greatest(Function function, AutofdoLocation at, std::uint64_t count) {
    auto& line = nodes_[function].lines[at];
    line.count = std::max(line.count, count);
}

void AutofdoProfile::sum(Function function, AutofdoLocation at, std::uint64_t count) {
    auto& line = nodes_[function].lines[at];
    line.count = add_up_to_most(line.count, count);
}

void AutofdoProfile::total(Function function, std::uint64_t count) {
    for (; function != none; function = nodes_[function].caller) {
        nodes_[function].total = add_up_to_most(nodes_[function].total, count);
    }
}

void AutofdoProfile::call(Function function, AutofdoLocation at, std::string_view callee, std::uint64_t count) {
    auto& calls = nodes_[function].lines[at].calls[callee];
    calls = add_up_to_most(calls, count);
}

void AutofdoProfile::head(Function function, std::uint64_t count) {
    nodes_[function].head = add_up_to_most(nodes_[function].head, count);
}

std::uint64_t AutofdoProfile::write(const Sink& sink) const {
    std::string block;
    std::uint64_t left_out = 0;
    const auto put = [&](std::string_view text) {
        block += text;
        if (block.size() < autofdo_block) return;
        sink(block);
        block.clear();
    };
    // Each open function, outermost first, and what was inlined that is not yet written.
    struct Open {
        const Node* node;
        decltype(Node::inlined)::const_iterator next;
    };
    std::vector<Open> open;
    const auto write_lines = [&](const Node& node) {
        const std::string indent(open.size(), ' ');
        for (const auto& [at, line] : node.lines) {
            std::uint64_t called = 0;  // stacks may begin behind the line, at the call
            for (const auto& [callee, count] : line.calls) called = add_up_to_most(called, count);
            auto text = fmt::format("{}{}: {}", indent, text_of(at), std::max(line.count, called));
            std::vector<std::pair<std::string_view, std::uint64_t>> calls;
            for (const auto& [callee, count] : line.calls) {
                if (fits(callee)) calls.emplace_back(callee, count);
                if (!fits(callee)) ++left_out;
            }
            std::ranges::stable_sort(calls, std::greater{}, &decltype(calls)::value_type::second);
            for (const auto& [callee, count] : calls) fmt::format_to(std::back_inserter(text), " {}:{}", callee, count);
            put(text + "\n");
        }
    };
    std::vector<const Node*> order;
    for (const auto& [name, number] : tops_) order.push_back(&nodes_[number]);
    std::ranges::stable_sort(order, [](const Node* one, const Node* other) { return one->total > other->total; });
    for (const auto* node : order) {
        if (node->lines.empty() && node->inlined.empty()) continue;  // only called
        if (!fits(node->name)) {
            ++left_out;
            continue;
        }
        put(fmt::format("{}:{}:{}\n", node->name, node->total, node->head));
        open.push_back({node, node->inlined.begin()});
        write_lines(*node);
        while (!open.empty()) {
            auto& last = open.back();
            if (last.next == last.node->inlined.end()) {
                open.pop_back();
                continue;
            }
            const auto& [place, number] = *last.next++;
            const auto& inner = nodes_[number];
            if (!fits(inner.name)) {
                ++left_out;
                continue;
            }
            put(fmt::format("{}{}: {}:{}\n", std::string(open.size(), ' '), text_of(place.first), inner.name,
                            inner.total));
            open.push_back({&inner, inner.inlined.begin()});
            write_lines(inner);
        }
    }
    if (!block.empty()) sink(block);
    return left_out;
}

}  // namespace perfdata
