// SPDX-License-Identifier: MIT
// The meanings of numbers in records, in words. They are added after the number, under its name and "_text".
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include "perfdata/wire/attr_words.hpp"
#include "perfdata/wire/feature/number.hpp"
#include "perfdata/wire/record/all.hpp"
#include "perfdata/wire/sample.hpp"
#include "perfdata/wire/sample/callchain.hpp"

namespace perfdata::tool {

constexpr std::string_view cpu_mode_name(CpuMode mode) {
    constexpr std::string_view names[] = {"unknown", "kernel", "user", "hypervisor", "guest_kernel", "guest_user"};
    return names[static_cast<std::size_t>(mode)];
}

// chain_context_name(value) returns the name of a marker in a call chain; empty for an address.
constexpr std::string_view chain_context_name(std::uint64_t value) {
    switch (static_cast<ChainContext>(value)) {
        case ChainContext::hypervisor: return "<hypervisor>";
        case ChainContext::kernel: return "<kernel>";
        case ChainContext::user: return "<user>";
        case ChainContext::user_deferred: return "<user_deferred>";
        case ChainContext::guest: return "<guest>";
        case ChainContext::guest_kernel: return "<guest_kernel>";
        case ChainContext::guest_user: return "<guest_user>";
    }
    return {};
}

// transaction_words(word) returns the reason of a transaction's abort: PERF_TXN_* without the prefix.
inline std::string transaction_words(std::uint64_t word) {
    constexpr std::string_view names[] = {"ELISION", "TRANSACTION", "SYNC",           "ASYNC",
                                          "RETRY",   "CONFLICT",    "CAPACITY_WRITE", "CAPACITY_READ"};
    auto text = bit_names(word & 0xff, [&](unsigned bit) { return names[bit]; });
    if (word >> 32 != 0) text += (text.empty() ? "" : ", ") + ("abort code " + std::to_string(word >> 32));
    return text;
}

// name_of(names, number) returns names[number], empty if there is none.
template <std::size_t Size>
constexpr std::string_view name_of(const std::string_view (&names)[Size], std::uint64_t number) {
    return number < Size ? names[number] : std::string_view{};
}

// word_fields(record, visit) visits the words of a record: none for most.
template <class Record, class Visit>
void word_fields(const Record&, Visit&&) {}

template <class Visit>
void word_fields(const Mmap2& map, Visit&& visit) {
    const char text[] = {(map.protection & 1) != 0 ? 'r' : '-', (map.protection & 2) != 0 ? 'w' : '-',
                         (map.protection & 4) != 0 ? 'x' : '-', (map.flags & 1) != 0 ? 's' : 'p'};
    visit("prot_text", std::string_view(text, sizeof text));
}
template <class Visit>
void word_fields(const Ksymbol& symbol, Visit&& visit) {
    constexpr std::string_view kinds[] = {"UNKNOWN", "BPF", "OOL"};
    if (const auto name = name_of(kinds, symbol.kind); !name.empty()) visit("ksym_type_text", name);
    if (symbol.unregister()) visit("flags_text", std::string_view("UNREGISTER"));
}
template <class Visit>
void word_fields(const BpfEvent& event, Visit&& visit) {
    constexpr std::string_view kinds[] = {"UNKNOWN", "PROG_LOAD", "PROG_UNLOAD"};
    if (const auto name = name_of(kinds, event.kind); !name.empty()) visit("type_text", name);
}
template <class Visit>
void word_fields(const Aux& aux, Visit&& visit) {
    constexpr std::string_view flags[] = {"TRUNCATED", "OVERWRITE", "PARTIAL", "COLLISION"};
    const auto text = bit_names(aux.flags & 0xf, [&](unsigned bit) { return flags[bit]; });
    if (!text.empty()) visit("flags_text", std::string_view(text));
}
template <class Visit>
void word_fields(const AuxtraceInfo& info, Visit&& visit) {
    constexpr std::string_view kinds[] = {"unknown", "intel_pt",    "intel_bts", "cs_etm",
                                          "arm_spe", "s390_cpumsf", "hisi_ptt",  "vpa_dtl"};
    if (const auto name = name_of(kinds, info.kind); !name.empty()) visit("type_text", name);
}
template <class Visit>
void word_fields(const HeaderAttr& header, Visit&& visit) {
    const auto words = [&](std::string_view name, std::uint64_t set, auto names) {
        const auto text = bit_names(set, names);
        if (!text.empty()) visit(name, std::string_view(text));
    };
    words("sample_type_text", header.attr.sample_type, sample_type_name);
    words("read_format_text", header.attr.read_format, read_format_name);
    words("flags_text", header.attr.flags & ~Attr::precise_ip_bits, attr_flag_name);
    words("branch_sample_type_text", header.attr.branch_sample_type, branch_sample_type_name);
}
template <class Visit>
void word_fields(const HeaderFeature& header, Visit&& visit) {
    const auto name = header.feature <= 255 ? feature_name(static_cast<unsigned>(header.feature)) : std::string_view{};
    if (!name.empty() && !header.data.empty()) visit("feat_id_text", name);
}
template <class Visit>
void word_fields(const EventUpdate& update, Visit&& visit) {
    constexpr std::string_view kinds[] = {"UNIT", "SCALE", "NAME", "CPUS"};
    if (const auto name = name_of(kinds, update.kind); !name.empty()) visit("type_text", name);
}
template <class Visit>
void word_fields(const StatRound& round, Visit&& visit) {
    constexpr std::string_view kinds[] = {"INTERVAL", "FINAL"};
    if (const auto name = name_of(kinds, round.kind); !name.empty()) visit("type_text", name);
}
template <class Order, class Visit>
void word_fields(const BasicSample<Order>& sample, Visit&& visit) {
    const auto transaction = sample.details().transaction();
    if (!transaction || *transaction == 0) return;
    const auto text = transaction_words(*transaction);
    visit("transaction_text", std::string_view(text));
}

}  // namespace perfdata::tool
