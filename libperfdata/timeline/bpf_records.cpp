// SPDX-License-Identifier: MIT
#include "perfdata/timeline/bpf_records.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/timeline/code.hpp"

#include "bpf_records_builder.hpp"

namespace perfdata {

bool BpfRecordsBuilder::has_room(std::uint64_t offset, std::uint64_t pieces, std::uint64_t bytes) {
    if (!wanted_ || full_) return false;
    const auto most_bytes = code_name_bytes(limits_.code_versions);
    const bool room = pieces <= limits_.code_versions - pieces_ && bytes <= most_bytes - records_.texts_.bytes();
    if (room) {
        pieces_ += pieces;
        return true;
    }
    full_ = true;
    diagnostics_.add({ErrorCode::limit, offset, "records of BPF code",
                      "more than " + std::to_string(limits_.code_versions) + " changes and variables, or than " +
                          std::to_string(most_bytes) + " bytes of their names; later ones are ignored"});
    return false;
}

void BpfRecordsBuilder::operator()(const RecordContext& context, const Ksymbol& symbol) {
    if (symbol.kind == static_cast<std::uint16_t>(Ksymbol::Kind::out_of_line)) return;
    const auto offset = context.view.offset;
    if (!has_room(offset, 1, symbol.name.size())) return;
    const auto kind = symbol.unregister() ? BpfChange::Kind::unregistered : BpfChange::Kind::registered;
    records_.changes_.push_back({.kind = kind,
                                 .time = context.time,
                                 .offset = offset,
                                 .id = {},
                                 .tag = {},
                                 .range = {symbol.address, symbol.size},
                                 .symbol = records_.texts_.keep(symbol.name)});
}

void BpfRecordsBuilder::operator()(const RecordContext& context, const BpfEvent& event) {
    const bool load = event.kind == static_cast<std::uint16_t>(BpfEvent::Kind::load);
    if (!load && event.kind != static_cast<std::uint16_t>(BpfEvent::Kind::unload)) return;
    const auto offset = context.view.offset;
    if (!has_room(offset, 1, 0)) return;
    records_.changes_.push_back({.kind = load ? BpfChange::Kind::load : BpfChange::Kind::unload,
                                 .time = context.time,
                                 .offset = offset,
                                 .id = event.id,
                                 .tag = event.tag,
                                 .range = {},
                                 .symbol = {}});
}

void BpfRecordsBuilder::operator()(const RecordContext& context, const BpfMetadata& metadata) {
    std::uint64_t bytes = metadata.program.size();
    for (std::size_t index = 0; index < metadata.size(); ++index) {
        const auto [key, value] = metadata.entry(index);
        bytes += key.size() + value.size();
    }
    const auto offset = context.view.offset;
    if (!has_room(offset, 1 + metadata.size(), bytes)) return;
    auto& texts = records_.texts_;
    BpfVariables variables{.offset = offset, .program = texts.keep(metadata.program), .entries = {}};
    variables.entries.reserve(metadata.size());
    for (std::size_t index = 0; index < metadata.size(); ++index) {
        const auto [key, value] = metadata.entry(index);
        variables.entries.emplace_back(texts.keep(key), texts.keep(value));
    }
    records_.variables_.push_back(std::move(variables));
}

BpfRecords BpfRecordsBuilder::finish(LookOut& look) && {
    // The order of the file breaks ties: an offset alone does not, as all records of a compressed one share it.
    auto& changes = records_.changes_;
    std::vector<std::uint32_t> order(changes.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, look.by([&](std::uint32_t index) { return std::pair(changes[index].time, index); }));
    std::vector<BpfChange> sorted;
    sorted.reserve(changes.size());
    for (const auto index : order) sorted.push_back(changes[index]);
    changes = std::move(sorted);
    return std::move(records_);
}

}  // namespace perfdata
