// SPDX-License-Identifier: MIT
#include "payload_writer.hpp"

#include <algorithm>

#include "perfdata/recording/bpf_features.hpp"

namespace perfdata {
namespace {

// Of enum bpf_prog_type.
constexpr std::uint32_t perf_event = 7, raw_tracepoint = 17, raw_tracepoint_writable = 24, tracing = 26, lsm = 29;

bool stores_return_address(const BpfProgramInfo& program) {
    return program.type == raw_tracepoint || program.type == raw_tracepoint_writable || program.type == tracing ||
           program.type == lsm;
}

}  // namespace

PayloadWriters::PayloadWriters(const Timeline& timeline)
    : timeline_(timeline), may_interrupt_(std::ranges::any_of(timeline.loads(), [](const BpfLoad& load) {
          return load.info == nullptr || load.info->type == perf_event;
      })) {}

std::optional<std::uint32_t> PayloadWriters::btf_of(Address ip, Time time) const {
    if (may_interrupt_) return {};
    const auto frame = timeline_.code_at(ip, time);
    const auto* load = frame ? timeline_.load_of(*frame) : nullptr;
    if (load == nullptr || !stores_return_address(*load->info)) return {};
    return load->info->btf_id;
}

}  // namespace perfdata
