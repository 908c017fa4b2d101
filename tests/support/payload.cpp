// SPDX-License-Identifier: MIT
#include "support/payload.hpp"

#include "support/attr.hpp"
#include "support/program_info.hpp"

namespace perfdata::test {

Blob build_id_record(std::endian order, const BuildIdRecord& record) {
    const auto name_size = record.name.size() + record.name_multiple - record.name.size() % record.name_multiple;
    Writer out(order);
    out.u32(record.type).u16(record.misc).u16(static_cast<std::uint16_t>(36 + name_size));
    out.u32(static_cast<std::uint32_t>(record.pid));
    for (std::uint8_t byte = 1; byte <= 20; ++byte) out.u8(byte);
    out.u8(record.id_size).zeros(3);
    return out.padded_text(record.name, record.name_multiple).take();
}

Blob old_build_id_record(std::endian order, std::uint16_t misc, std::string_view name) {
    Writer out(order);
    out.u32(0).u16(misc).u16(static_cast<std::uint16_t>(32 + name.size() + 8 - name.size() % 8));
    for (std::uint8_t byte = 1; byte <= 20; ++byte) out.u8(byte);
    return out.zeros(4).padded_text(name).take();
}

Blob tracing_data(std::endian order, const TracingBlob& blob) {
    Writer out(order);
    const auto sized = [&](std::string_view text) { out.u64(text.size()).text(text); };
    out.u8(0x17).u8(0x08).u8(0x44).text("tracing").text(blob.version).u8(0);
    out.u8(order == std::endian::big ? 1 : 0).u8(8).u32(4096);
    out.text("header_page").u8(0);
    sized("\tfield: u64 timestamp;\n");
    out.text("header_event").u8(0);
    sized("# compressed entry header\n");
    out.u32(static_cast<std::uint32_t>(blob.ftrace.size()));
    for (const auto& format : blob.ftrace) sized(format);
    out.u32(static_cast<std::uint32_t>(blob.systems.size()));
    for (const auto& system : blob.systems) {
        out.text(system.name).u8(0).u32(static_cast<std::uint32_t>(system.formats.size()));
        for (const auto& format : system.formats) sized(format);
    }
    out.u32(static_cast<std::uint32_t>(blob.kallsyms.size())).text(blob.kallsyms);
    out.u32(static_cast<std::uint32_t>(blob.printk_formats.size())).text(blob.printk_formats);
    if (blob.version == "0.6") sized(blob.command_lines);
    return out.take();
}

namespace {

Blob program(std::endian order) {
    ProgramInfo info(order, 21);
    info.u32(info_field::type, 5).u64(info_field::load_time, 123456789012).u32(info_field::created_by_uid, 1000);
    info.u32(info_field::btf_id, 35).u32(info_field::xlated_prog_len, 496);
    info.bytes(info_field::name, blob_of("many_main")).bytes(info_field::tag, blob_of("ABCDEFGH"));
    info.array(BpfArray::jited_insns, 16, Blob(16, std::byte{0x90}));
    info.array(BpfArray::jited_ksyms, 2, array_u64(order, {0xffffffffc0000000, 0xffffffffc0000010}));
    info.array(BpfArray::jited_func_lens, 2, array_u32(order, {11, 5}));
    info.array(BpfArray::prog_tags, 2, blob_of("ABCDEFGHabcdefgh"));
    return info.encode();
}

std::vector<DescribedEvent> events() {
    auto attr = sampling_attr(sample_bit::ip);
    attr.config = 3;
    attr.sample_period = 4000;
    attr.flags = 0;
    attr.read_format = 4;
    return {{attr, "cycles", {7, 0xffffffff00000001}}};
}

}  // namespace

std::vector<PayloadExample> payload_examples(std::endian order) {
    const auto out = [&] { return FeatureWriter(order); };
    const auto order_line = std::string("big_endian=") + (order == std::endian::big ? "true" : "false");
    const auto attr_type = std::to_string(sampling_attr(0).type);
    const std::string id_text = "x0102030405060708090a0b0c0d0e0f1011121314";
    return {
        {Feature::tracing_data,
         tracing_data(order, {}),
         {"version='0.6'",
          order_line,
          "long_size=8",
          "page_size=4096",
          "header_page_bytes=23",
          "header_event_bytes=26",
          "formats[?]",
          "formats.0.system='ftrace'",
          "formats.0.name='function'",
          "formats.0.id=1",
          "formats.0.bytes=29",
          "formats.1.system='sched'",
          "formats.1.name='sched_switch'",
          "formats.1.id=314",
          "formats.1.bytes=35",
          "formats.2.system='sched'",
          "formats.2.name='sched_waking'",
          "formats.2.bytes=19",
          "kallsyms_bytes=0",
          "printk_formats_bytes=10",
          "command_lines_bytes=7"}},
        {Feature::build_id,
         joined({build_id_record(order, {.misc = 0x8001, .name = "[kernel.kallsyms]"}),
                 build_id_record(order, {.misc = 2, .pid = 17, .name = "/a", .name_multiple = 8})}),
         {"build_ids[?]", "build_ids.0.misc=32769", "build_ids.0.pid=-1", "build_ids.0.build_id=" + id_text,
          "build_ids.0.size_known=true", "build_ids.0.name='[kernel.kallsyms]'", "build_ids.1.misc=2",
          "build_ids.1.pid=17", "build_ids.1.build_id=" + id_text, "build_ids.1.size_known=false",
          "build_ids.1.name='/a'"}},
        {Feature::hostname, feature_string(order, "host"), {"hostname='host'"}},
        {Feature::osrelease, feature_string(order, "6.1.0"), {"os_release='6.1.0'"}},
        {Feature::version, feature_string(order, "6.1.1"), {"perf_version='6.1.1'"}},
        {Feature::arch, feature_string(order, "s390x"), {"arch='s390x'"}},
        {Feature::nrcpus, out().u32(2).u32(1).take(), {"available=2", "online=1"}},
        {Feature::cpudesc, feature_string(order, "IBM/S390"), {"cpu_description='IBM/S390'"}},
        {Feature::cpuid, feature_string(order, "A,15,107,1"), {"cpu_id='A,15,107,1'"}},
        {Feature::total_mem, out().u64(0x123456789).take(), {"kib=4886718345"}},
        {Feature::cmdline,
         feature_strings(order, {"perf", "record"}),
         {"arguments[2]", "arguments.0='perf'", "arguments.1='record'"}},
        {Feature::event_desc,
         event_desc(order, events()),
         {"events[1]", "events.0.name='cycles'", "events.0.type=" + attr_type, "events.0.size=128", "events.0.config=3",
          "events.0.sample_period=4000", "events.0.sample_type=1", "events.0.read_format=4", "events.0.flags=0",
          "events.0.ids[2]", "events.0.ids.0=7", "events.0.ids.1=18446744069414584321"}},
        {Feature::cpu_topology,
         out().strings({"0-1"}).strings({"0", "1"}).u32(0).u32(3).u32(1).u32(~0u).strings({"0-1"}).u32(4).u32(5).take(),
         {"sockets[?]", "sockets.0='0-1'", "threads[?]", "threads.0='0'", "threads.1='1'", "cpus[2]", "cpus.0.cpu=0",
          "cpus.0.core=0", "cpus.0.socket=3", "cpus.1.cpu=1", "cpus.1.core=1", "cpus.1.socket=-1", "dies[?]",
          "dies.0='0-1'", "die_of_cpu[2]", "die_of_cpu.0=4", "die_of_cpu.1=5"}},
        {Feature::numa_topology,
         out().u32(1).u32(9).u64(1000).u64(900).string("0-1").take(),
         {"nodes[1]", "nodes.0.node=9", "nodes.0.total_kib=1000", "nodes.0.free_kib=900", "nodes.0.cpus='0-1'"}},
        {Feature::branch_stack, {}, {"present=true"}},
        {Feature::pmu_mappings,
         out().u32(2).u32(1).string("software").u32(4).string("cpu").take(),
         {"pmus[2]", "pmus.0.type=1", "pmus.0.name='software'", "pmus.1.type=4", "pmus.1.name='cpu'"}},
        {Feature::group_desc,
         out().u32(1).string("{anon_group}").u32(1).u32(2).take(),
         {"groups[1]", "groups.0.name='{anon_group}'", "groups.0.leader=1", "groups.0.members=2"}},
        {Feature::auxtrace,
         out().u64(2).u64(0x1000).u64(48).u64(0x2000).u64(48).take(),
         {"records[2]", "records.0.offset=4096", "records.0.bytes=48", "records.1.offset=8192", "records.1.bytes=48"}},
        {Feature::stat, {}, {"present=true"}},
        {Feature::cache,
         out().u32(1).u32(1).u32(2).u32(64).u32(512).u32(16).string("Unified").string("512K").string("0").take(),
         {"version=1", "caches[1]", "caches.0.level=2", "caches.0.line_bytes=64", "caches.0.sets=512",
          "caches.0.ways=16", "caches.0.type='Unified'", "caches.0.size='512K'", "caches.0.cpus='0'"}},
        {Feature::sample_time, out().u64(5).u64(6).take(), {"first=5ns", "last=6ns"}},
        {Feature::mem_topology,
         out().u64(1).u64(0x8000000).u64(1).u64(3).u64(70).u64(70).u64(0xff).u64(0x21).take(),
         {"version=1", "block_bytes=134217728", "nodes[1]", "nodes.0.node=3", "nodes.0.size_blocks=70",
          "nodes.0.blocks[?]", "nodes.0.blocks.0.first=0", "nodes.0.blocks.0.last=7", "nodes.0.blocks.1.first=64",
          "nodes.0.blocks.1.last=64", "nodes.0.blocks.2.first=69", "nodes.0.blocks.2.last=69"}},
        {Feature::clockid, out().u64(1).take(), {"resolution_ns=1"}},
        {Feature::dir_format, out().u64(1).take(), {"version=1"}},
        {Feature::bpf_prog_info,
         prog_info_feature(order, {program(order)}),
         {"programs[1]", "programs.0.id=21", "programs.0.type=5", "programs.0.type_name='tracepoint'",
          "programs.0.name='many_main'", "programs.0.tag=x4142434445464748", "programs.0.load_time_ns=123456789012",
          "programs.0.created_by_uid=1000", "programs.0.btf_id=35", "programs.0.jited_bytes=16",
          "programs.0.xlated_bytes=496", "programs.0.functions[2]",
          "programs.0.functions.0.address=@18446744072635809792", "programs.0.functions.0.bytes=11",
          "programs.0.functions.0.tag=x4142434445464748", "programs.0.functions.1.address=@18446744072635809808",
          "programs.0.functions.1.bytes=5", "programs.0.functions.1.tag=x6162636465666768"}},
        {Feature::bpf_btf, bpf_btf(order, {{35, blob_of("abc")}}), {"btf[1]", "btf.0.id=35", "btf.0.bytes=3"}},
        {Feature::compressed,
         out().u32(0).u32(1).u32(3).u32(4).u32(528384).take(),
         {"version=0", "type=1", "type_name='zstd'", "level=3", "ratio=4", "mmap_len_bytes=528384"}},
        {Feature::cpu_pmu_caps,
         out().u32(1).string("branches").string("32").take(),
         {"capabilities[1]", "capabilities.0.name='branches'", "capabilities.0.value='32'"}},
        {Feature::clock_data,
         out().u32(1).u32(1).u64(1795213175487795000).u64(22869685999).take(),
         {"version=1", "clockid=1", "clock_name='monotonic'", "wall_clock_ns=1795213175487795000",
          "event_clock=22869685999ns"}},
        {Feature::hybrid_topology,
         out().u32(2).string("cpu_core").string("0-15").string("cpu_atom").string("16").take(),
         {"kinds[2]", "kinds.0.pmu='cpu_core'", "kinds.0.cpus='0-15'", "kinds.1.pmu='cpu_atom'", "kinds.1.cpus='16'"}},
        {Feature::pmu_caps,
         out().u32(2).u32(1).string("max_precise").string("3").string("cpu_core").u32(0).string("cpu_atom").take(),
         {"pmus[2]", "pmus.0.capabilities[1]", "pmus.0.capabilities.0.name='max_precise'",
          "pmus.0.capabilities.0.value='3'", "pmus.0.name='cpu_core'", "pmus.1.capabilities[0]",
          "pmus.1.name='cpu_atom'"}},
        {Feature::cpu_domain_info,
         out().u32(17).u32(2).u32(5).u32(1).u32(0).string("MC").string("3").string("0-1").u32(6).u32(0).take(),
         {"schedstat_version=17", "max_domains=2", "cpus[?]", "cpus.0.cpu=5", "cpus.0.domains[1]",
          "cpus.0.domains.0.domain=0", "cpus.0.domains.0.name='MC'", "cpus.0.domains.0.cpu_mask='3'",
          "cpus.0.domains.0.cpus='0-1'", "cpus.1.cpu=6", "cpus.1.domains[0]"}},
        {Feature::e_machine, out().u32(22).u32(7).take(), {"machine=22", "flags=7"}},
        {Feature::cln_size, out().u32(256).take(), {"bytes=256"}},
    };
}

}  // namespace perfdata::test
