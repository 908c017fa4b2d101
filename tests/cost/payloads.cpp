// SPDX-License-Identifier: MIT
// Payloads of BPF programs, whose types make work for each.
#include "cost/case.hpp"
#include "support/features.hpp"
#include "support/sketch.hpp"
#include "unit/symbols/btf_builder.hpp"

namespace perfdata::test {
namespace {

// typed_payloads(files, btf, n) writes n payloads of 28 bytes.
Command typed_payloads(const Files& files, const BtfBuilder& btf, std::size_t n) {
    constexpr std::uint32_t software = 1, bpf_output = 10, bytes = 28;
    Sketch sketch(Sketch::plain | sample_bit::raw);
    sketch.event(software, bpf_output).feature(Feature::bpf_btf, bpf_btf(Sketch::order, {{1, btf.blob()}}));
    for (std::uint64_t time = 1; time <= n; ++time) {
        Writer body(Sketch::order);
        body.u64(0x1000).u32(1).u32(1).u64(time).u32(bytes).u64(0).u64(0).u64(0).u32(0);
        sketch.record(RecordType::sample, body.take(), Sketch::user);
    }
    return {"script", "--offline", files.write("perf.data", sketch.build())};
}

// One struct has as many members as there are payloads, of which few are shown.
Command payload_members(const Files& files, std::size_t n) {
    BtfBuilder btf;
    const auto number = btf.integer("int");
    btf.record(BtfBuilder::kind_struct, "event", 28, {n, {std::string(250, 'm'), number, 0, 0}});
    return typed_payloads(files, btf, n);
}

// A struct has 200 members; their typedefs go on for as long as there are payloads.
Command payload_typedefs(const Files& files, std::size_t n) {
    BtfBuilder btf;
    auto number = btf.integer("int");
    for (std::size_t at = 0; at < n; ++at) number = btf.refer(BtfBuilder::kind_typedef, "t", number);
    btf.record(BtfBuilder::kind_struct, "event", 28, {200, {"m", number, 0, 0}});
    return typed_payloads(files, btf, n);
}

}  // namespace

CostCases payload_cases() {
    return {{"payload_members", 2000, payload_members}, {"payload_typedefs", 200, payload_typedefs}};
}

}  // namespace perfdata::test
