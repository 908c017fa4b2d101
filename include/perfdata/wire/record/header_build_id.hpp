// SPDX-License-Identifier: MIT
// HEADER_BUILD_ID (67): the identity of a file that contains samples, in pipe streams and after perf inject.
// perf_event__synthesize_build_id in tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/mmap2.hpp"

namespace perfdata {

//      8 s32 pid . 12 u8 build_id[20] . 32 u8 size . 33 3 bytes of 0 . 36 filename, NUL-padded [. trailer]
struct HeaderBuildId {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::header_build_id;
    static constexpr std::string_view record_name = "record HEADER_BUILD_ID";
    static constexpr std::size_t min_bytes = 37;

    std::int32_t pid = 0;  // -1: the host; 0: the default guest; else the pid of a guest machine
    // The record contains its size only if misc bit 15 is set. Otherwise it is assumed to be 20, and trailing zeros may
    // be padding of a shorter one (16 bytes if it is an MD5).
    BuildId build_id;
    std::string_view filename;  // any bytes; lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<HeaderBuildId> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        HeaderBuildId header;
        constexpr auto most = static_cast<std::uint8_t>(std::tuple_size_v<decltype(header.build_id.value)>);
        header.pid = static_cast<std::int32_t>(in.u32());
        copy_bytes(in.bytes(most), header.build_id.value.data());
        const auto size = in.u8();
        header.build_id.size = (record.header().misc >> 15 & 1) != 0 ? least(size, most) : most;
        in.skip(3);
        header.filename = in.terminated_string();
        if (!in.ok()) return in.failure("the file name");
        return header;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("pid", pid);
        visit("build_id", build_id.bytes());
        visit("filename", filename);
    }
};

}  // namespace perfdata
