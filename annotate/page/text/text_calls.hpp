// SPDX-License-Identifier: MIT
// Calls of a listing as text: who called the function and whom it called, and what each call instruction called.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "text_columns.hpp"

namespace perfdata {

class TextCalls : public TextColumns {
  public:
    using TextColumns::TextColumns;

    // calls(listing) writes the callers and callees of the function, if they were counted.
    void calls(const Listing& listing) {
        if (!listing.calls) return;
        const auto& calls = *listing.calls;
        if (calls.callers.empty() && calls.callees.empty()) return;
        print("\n");
        event_names();
        columns_title();
        print("  calls: samples below them{}\n", calls.branches ? ", and how often branch stacks saw them" : "");
        call_list(calls.callers, calls, "from", calls.callers.size() + calls.callees.size() <= most_calls);
        call_list(calls.callees, calls, "to", calls.callers.size() + calls.callees.size() <= most_calls);
    }

    // Writes what a call instruction called: "# 80 samples below", "# calls other: 51, leaf: 17 samples below". Omits a
    // name that the operands show.
    void called(const Listing& listing, const ListingInstruction& row) {
        std::string below, taken;
        bool names = row.calls.size() > 1, enters = false;
        for (const auto index : row.calls) names = names || !is_target(listing.calls->sites[index], row);
        for (const auto index : row.calls) {
            const auto& call = listing.calls->sites[index];
            const auto name = names ? other_end(call) + ": " : std::string();
            std::string samples;
            for (const auto column : columns_) {
                if (hits(call.below) == 0) break;
                if (!has_calls(listing, column)) continue;
                samples += fmt::format("{}{}", samples.empty() ? "" : "+", call.below[column].hits);
            }
            if (!samples.empty()) below += fmt::format("{}{}{}", below.empty() ? "" : ", ", name, samples);
            if (const auto seen = branches(call); !seen.empty()) {
                taken += fmt::format("{}{}{}", taken.empty() ? "" : ", ", name, seen);
            }
            enters = enters || call.entry;
        }
        std::string text = names ? (enters ? "# enters " : "# calls ") : "# ";
        if (!below.empty()) text += below + " samples below";
        if (!taken.empty()) text += fmt::format("{}{} branches", below.empty() ? "" : "; ", taken);
        print("   ");
        styled(TextStyle::dim, text);
    }

  private:
    static constexpr std::size_t most_calls = 12;  // callers and callees of a function, together

    // Long lists end with how much is left out.
    void call_list(const std::vector<ListingCall>& list, const ListingCalls& calls, std::string_view way, bool all) {
        const auto shown = all ? list.size() : std::min(list.size(), most_calls / 2);
        for (std::size_t at = 0; at < shown; ++at) {
            cells(list[at].below, nullptr);
            print("  {:<4}  {}", way, call_name(list[at]));
            if (const auto seen = branches(list[at]); !seen.empty()) print("  ({} branches)", seen);
            print("\n");
        }
        if (shown == list.size()) return;
        EventCounts rest(calls.with_callees.size());
        for (auto at = shown; at < list.size(); ++at) add(rest, list[at].below);
        cells(rest, nullptr);
        print("  {:<4}  ", way);
        styled(TextStyle::dim, fmt::format("({} more)", list.size() - shown));
        print("\n");
    }

    // Code without a name is shown as its object: "[libc.so.6]".
    static std::string other_end(const ListingCall& call) {
        if (!call.name.empty()) return shown(call.name);
        if (call.object.empty()) return "[unknown]";
        return call.object.starts_with('[') ? shown(call.object) : fmt::format("[{}]", shown(short_name(call.object)));
    }

    static std::string call_name(const ListingCall& call) {
        auto name = other_end(call);
        if (call.offset) {
            name += fmt::format("{}0x{:x}", call.name.empty() ? " " : "+", *call.offset);
        } else if (call.returns_to) {
            name += fmt::format(" before {}0x{:x}", call.name.empty() ? "" : "+", *call.returns_to);
        }
        return call.entry ? name + "  (into the kernel)" : name;
    }

    // branches(call) returns a count for each shown event with branch stacks: "12", or "12+3".
    std::string branches(const ListingCall& call) const {
        std::string text;
        for (const auto column : columns_) {
            if (column >= call.branches.size() || call.branches[column] == 0) continue;
            text += fmt::format("{}{}", text.empty() ? "" : "+", call.branches[column]);
        }
        return text;
    }

    // False for events without call chains.
    static bool has_calls(const Listing& listing, std::size_t column) {
        return std::ranges::any_of(listing.calls->sites,
                                   [&](const ListingCall& call) { return call.below[column].hits != 0; });
    }

    static bool is_target(const ListingCall& call, const ListingInstruction& row) {
        return row.target && !row.target->name.empty() && row.target->offset == 0 &&
               (call.name == row.target->name || call.name.ends_with("/" + row.target->name));
    }
};

}  // namespace perfdata
