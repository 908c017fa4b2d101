// SPDX-License-Identifier: MIT
// Counts what was hashed, what was left out, and what stays although it may tell something.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/wire/feature/number.hpp"

namespace perfdata {

// Told is what an anonymized copy no longer has, and at its end what it still has. The order is that of the output.
enum class Told : std::uint8_t {
    hashed_commands,
    hashed_paths,
    hashed_symbols,
    hashed_cgroups,
    hashed_namespaces,
    hashed_hosts,
    hashed_arguments,
    hashed_events,
    hashed_words,  // of PMUs, groups of events, domains of the scheduler
    user_stacks,   // from here on: dropped
    user_registers,
    interrupt_registers,
    raw_payloads,
    chain_words,  // in call chains, but no addresses
    physical_addresses,
    aux_samples,
    sample_fields,  // bytes of samples that this version does not know
    aux_data,       // records of hardware traces
    bpf_metadata,
    source_lines,  // of BPF programs and JIT code
    type_blobs,    // BTF
    unwind_information,
    unknown_records,
    damaged_records,
    unread_bytes,   // that are in no record
    unread_places,  // of the recording, that its reader complained about
    damaged_sections,
    unreadable_lines,  // of kallsyms and perf maps
    object_sections,   // of ELF files
    kept_objects,      // ELF files with names of functions
};
inline constexpr std::size_t told_count = static_cast<std::size_t>(Told::kept_objects) + 1;

// to_string(told) returns its key in the index of a bundle.
constexpr std::string_view to_string(Told told) {
    constexpr std::string_view names[] = {"hashed_commands",
                                          "hashed_paths",
                                          "hashed_symbols",
                                          "hashed_cgroups",
                                          "hashed_namespaces",
                                          "hashed_hosts",
                                          "hashed_arguments",
                                          "hashed_events",
                                          "hashed_words",
                                          "dropped_user_stacks",
                                          "dropped_user_registers",
                                          "dropped_interrupt_registers",
                                          "dropped_raw_payloads",
                                          "dropped_chain_words",
                                          "dropped_physical_addresses",
                                          "dropped_aux_samples",
                                          "dropped_sample_fields",
                                          "dropped_aux_records",
                                          "dropped_bpf_metadata",
                                          "dropped_source_lines",
                                          "dropped_type_blobs",
                                          "dropped_unwind_information",
                                          "dropped_unknown_records",
                                          "dropped_damaged_records",
                                          "dropped_unread_bytes",
                                          "dropped_unread_places",
                                          "dropped_damaged_sections",
                                          "dropped_unreadable_lines",
                                          "dropped_object_sections",
                                          "kept_objects"};
    static_assert(std::size(names) == told_count);
    return names[static_cast<std::size_t>(told)];
}

// is_told_kind(word) returns true for what Tally::counts() calls its sums.
inline bool is_told_kind(std::string_view word) {
    constexpr std::string_view section = "dropped_section_";
    if (word.starts_with(section)) {
        const auto name = word.substr(section.size());
        for (unsigned number = 0; number < 256; ++number) {
            if (name == feature_name(number) || name == std::to_string(number)) return !name.empty();
        }
        return false;
    }
    for (std::size_t at = 0; at < told_count; ++at) {
        if (word == to_string(static_cast<Told>(at))) return true;
    }
    return false;
}

// told_text(kind, number) returns what standard error says of a kind of counts().
inline std::string told_text(std::string_view kind, std::uint64_t number) {
    const auto count = std::to_string(number);
    if (kind == to_string(Told::user_stacks)) {
        return count + " " + std::string(kind) +
               ": callers that are unwound from them are gone; a recording with -g (frame pointers) keeps callers";
    }
    if (kind != to_string(Told::kept_objects)) return count + " " + std::string(kind);
    return number == 1 ? "names of functions in 1 object stay" : "names of functions in " + count + " objects stay";
}

// Tally is the sums. Occurrences count, not distinct texts.
class Tally {
  public:
    void add(Told told, std::uint64_t count = 1) { counts_[static_cast<std::size_t>(told)] += count; }
    // A section of the header that was left out as a whole; numbers above 255 there are none.
    void add_section(unsigned number) { ++sections_[number % sections_.size()]; }

    std::uint64_t of(Told told) const { return counts_[static_cast<std::size_t>(told)]; }
    std::uint64_t of_section(unsigned number) const { return sections_[number % sections_.size()]; }
    // counts() returns what is not zero: in the order of Told, then "dropped_section_CPUDESC" and so on.
    std::vector<std::pair<std::string, std::uint64_t>> counts() const {
        std::vector<std::pair<std::string, std::uint64_t>> all;
        for (std::size_t at = 0; at < told_count; ++at) {
            if (counts_[at] != 0) all.emplace_back(to_string(static_cast<Told>(at)), counts_[at]);
        }
        for (unsigned number = 0; number < sections_.size(); ++number) {
            if (sections_[number] == 0) continue;
            const auto name = feature_name(number);
            all.emplace_back("dropped_section_" + (name.empty() ? std::to_string(number) : std::string(name)),
                             sections_[number]);
        }
        return all;
    }

  private:
    std::array<std::uint64_t, told_count> counts_{};
    std::array<std::uint64_t, 256> sections_{};
};

}  // namespace perfdata
