// SPDX-License-Identifier: MIT
// Part of describe.hpp: features about what was recorded, and how.
#pragma once

#include "perfdata/wire/feature/auxtrace.hpp"
#include "perfdata/wire/feature/bpf_btf.hpp"
#include "perfdata/wire/feature/bpf_prog_info.hpp"
#include "perfdata/wire/feature/bpf_prog_reader.hpp"
#include "perfdata/wire/feature/btf_reader.hpp"
#include "perfdata/wire/feature/build_id.hpp"
#include "perfdata/wire/feature/clock_data.hpp"
#include "perfdata/wire/feature/clockid.hpp"
#include "perfdata/wire/feature/compressed.hpp"
#include "perfdata/wire/feature/describe/lists.hpp"
#include "perfdata/wire/feature/dir_format.hpp"
#include "perfdata/wire/feature/event_desc.hpp"
#include "perfdata/wire/feature/flags.hpp"
#include "perfdata/wire/feature/group_desc.hpp"
#include "perfdata/wire/feature/sample_time.hpp"
#include "perfdata/wire/feature/tracing_data.hpp"

namespace perfdata {
namespace detail {

template <class Visit>
Result<void> describe_command_line(Cursor in, Visit& visit) {
    const FeatureStringList arguments(in);
    const auto count = in.u32();
    if (!in.ok()) return in.failure("the count");
    return describe_strings(visit, "arguments", count, arguments);
}

template <class Visit>
Result<void> describe_tracing_data(Cursor in, Visit& visit) {
    auto data = TracingData::decode(in);
    if (!data) return fail(data.error());
    visit("version", data->version());
    visit("big_endian", data->order().endian() == std::endian::big);
    visit("long_size", std::uint64_t{data->long_size()});
    visit("page_size", std::uint64_t{data->page_size()});
    visit("header_page_bytes", std::uint64_t{data->header_page().size()});
    visit("header_event_bytes", std::uint64_t{data->header_event().size()});
    const auto start = *data;
    const auto formats = describe_elements(visit, "formats", {}, *data, [](auto& fields, const TraceFormat& format) {
        fields("system", format.system);
        fields("name", format.name());
        if (const auto id = format.id()) fields("id", std::uint64_t{*id});
        fields("bytes", std::uint64_t{format.text.size()});
    });
    if (!formats) return formats;
    const auto tail = start.tail();
    if (!tail) return fail(tail.error());
    visit("kallsyms_bytes", std::uint64_t{tail->kallsyms.size()});
    visit("printk_formats_bytes", std::uint64_t{tail->printk_formats.size()});
    visit("command_lines_bytes", std::uint64_t{tail->command_lines.size()});
    return {};
}

template <class Visit>
Result<void> describe_build_ids(Cursor in, Visit& visit) {
    BuildIdReader reader(in);
    return describe_elements(visit, "build_ids", {}, reader, [](auto& fields, const BuildIdEntry& entry) {
        fields("misc", std::uint64_t{entry.misc});
        fields("pid", std::int64_t{entry.pid});
        fields("build_id", entry.build_id);
        fields("size_known", entry.size_known);
        fields("name", entry.name);
    });
}

template <class Visit>
Result<void> describe_event_desc(Cursor in, Visit& visit) {
    return describe_counted<EventDescReader>(in, visit, "events", [](auto& fields, const EventDescription& event) {
        fields("name", event.name);
        fields("type", std::uint64_t{event.attr.type});
        fields("size", std::uint64_t{event.attr.size});
        fields("config", event.attr.config);
        fields(event.attr.freq() ? "sample_freq" : "sample_period", event.attr.sample_period);
        fields("sample_type", event.attr.sample_type);
        fields("read_format", event.attr.read_format);
        fields("flags", event.attr.flags);
        return describe_values(fields, "ids", event.ids.size(), [&](std::size_t index) { return event.ids[index]; });
    });
}

template <class Visit>
Result<void> describe_flag(Cursor in, Visit& visit) {
    visit("present", true);
    if (in.remaining() != 0) visit("undecoded", in.rest());
    return {};
}

template <class Visit>
Result<void> describe_group_desc(Cursor in, Visit& visit) {
    return describe_table(visit, "groups", EventGroupReader(in), [](auto& fields, const EventGroup& group) {
        fields("name", group.name);
        fields("leader", std::uint64_t{group.leader});
        fields("members", std::uint64_t{group.members});
    });
}

template <class Visit>
Result<void> describe_auxtrace(Cursor in, Visit& visit) {
    const auto index = AuxtraceIndex::decode(in);
    if (!index) return fail(index.error());
    return describe_array(visit, "records", index->entries,
                          [](auto& fields, const AuxtraceIndexEntry& entry, std::size_t) {
                              fields("offset", entry.offset);
                              fields("bytes", entry.size);
                          });
}

template <class Visit>
Result<void> describe_sample_time(Cursor in, Visit& visit) {
    const auto times = SampleTimes::decode(in);
    if (!times) return fail(times.error());
    visit("first", times->first);
    visit("last", times->last);
    return {};
}

template <class Visit>
Result<void> describe_clockid(Cursor in, Visit& visit) {
    const auto resolution = ClockResolution::decode(in);
    if (!resolution) return fail(resolution.error());
    visit("resolution_ns", resolution->nanoseconds);
    return {};
}

template <class Visit>
Result<void> describe_dir_format(Cursor in, Visit& visit) {
    const auto format = DirFormat::decode(in);
    if (!format) return fail(format.error());
    visit("version", format->version);
    return {};
}

template <class Visit>
Result<void> describe_bpf_prog_info(Cursor in, Visit& visit) {
    return describe_counted<BpfProgramReader>(in, visit, "programs", [](auto& fields, const BpfProgramInfo& program) {
        fields("id", std::uint64_t{program.id.value});
        fields("type", std::uint64_t{program.type});
        fields("type_name", bpf_program_type_name(program.type));
        fields("name", program.name);
        fields("tag", Bytes(program.tag));
        fields("load_time_ns", program.load_time);
        fields("created_by_uid", std::uint64_t{program.created_by_uid});
        fields("btf_id", std::uint64_t{program.btf_id});
        fields("jited_bytes", std::uint64_t{program.jited_size});
        fields("xlated_bytes", std::uint64_t{program.xlated_size});
        const auto addresses = program.jited_ksyms();
        const auto sizes = program.jited_func_lens();
        return fields.list("functions", ListCount(addresses.size()), [&](auto&& elements) -> Result<void> {
            for (std::size_t index = 0; index < addresses.size(); ++index) {
                auto element = elements.element([&](auto&& function) -> Result<void> {
                    function("address", Address{addresses[index]});
                    if (index < sizes.size()) function("bytes", std::uint64_t{sizes[index]});
                    if (index < program.tags()) {
                        const auto tag = program.function_tag(index);
                        function("tag", Bytes(tag));
                    }
                    return {};
                });
                if (!element) return element;
            }
            return {};
        });
    });
}

template <class Visit>
Result<void> describe_bpf_btf(Cursor in, Visit& visit) {
    return describe_counted<BtfReader>(in, visit, "btf", [](auto& fields, const BtfBlob& blob) {
        fields("id", std::uint64_t{blob.id});
        fields("bytes", std::uint64_t{blob.data.size()});
    });
}

template <class Visit>
Result<void> describe_compressed(Cursor in, Visit& visit) {
    const auto info = CompressionInfo::decode(in);
    if (!info) return fail(info.error());
    visit("version", std::uint64_t{info->version});
    visit("type", std::uint64_t{info->type});
    visit("type_name", compression_name(info->type));
    visit("level", std::uint64_t{info->level});
    visit("ratio", std::uint64_t{info->ratio});
    visit("mmap_len_bytes", std::uint64_t{info->mmap_len});
    return {};
}

template <class Visit>
Result<void> describe_clock_data(Cursor in, Visit& visit) {
    const auto clock = ClockData::decode(in);
    if (!clock) return fail(clock.error());
    visit("version", std::uint64_t{clock->version});
    visit("clockid", std::uint64_t{clock->clockid});
    visit("clock_name", clock_name(clock->clockid));
    visit("wall_clock_ns", clock->wall_clock);
    visit("event_clock", clock->event_clock);
    return {};
}

}  // namespace detail
}  // namespace perfdata
