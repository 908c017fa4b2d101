// SPDX-License-Identifier: MIT
// READ (8): the final count of an inherited counter when its thread ended (attr.inherit_stat). perf_event_read_event in
// kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/sample/read_values.hpp"

namespace perfdata {

//      8 u32 pid . 12 u32 tid . 16 values, see ReadValues . trailer
struct Read {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::read;
    static constexpr std::string_view record_name = "record READ";
    static constexpr std::size_t min_bytes = 24;

    Pid pid;                        // process of the thread that ended
    Tid tid;                        // the thread whose count this is
    std::uint64_t read_format = 0;  // as passed to decode()
    ReadValues<AnyOrder> values;    // live as long as the record

    // read_format is from the attr of the record's event: the record does not reveal which values it contains.
    static Result<Read> decode(const RecordView& record, std::size_t trailer_size, std::uint64_t read_format) {
        Cursor in = record.body(trailer_size, record_name);
        Read read;
        read.pid = {in.u32()};
        read.tid = {in.u32()};
        read.read_format = read_format;
        const auto bytes = in.rest();
        const auto values = ReadValues<AnyOrder>::parse(bytes.data(), bytes.size(), read_format, in.order());
        if (!in.ok() || !values) return in.failure("the values");
        read.values = *values;
        return read;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        const bool group = (read_format & read_bit::group) != 0;
        visit("pid", pid.value);
        visit("tid", tid.value);
        if (group) visit("nr", std::uint64_t{values.size()});
        if (!group) visit("value", values[0].value);
        if (const auto time = values.time_enabled()) visit("time_enabled", *time);
        if (const auto time = values.time_running()) visit("time_running", *time);
        const auto visit_tail = [](const ReadValue& value, auto&& element) {
            if (value.id) element("id", value.id->value);
            if (value.lost) element("lost", *value.lost);
        };
        if (!group) return visit_tail(values[0], visit);
        visit.list("cntr", values.size(), [&](std::size_t index, auto&& element) {
            const auto value = values[index];
            element("value", value.value);
            visit_tail(value, element);
        });
    }
};

}  // namespace perfdata
