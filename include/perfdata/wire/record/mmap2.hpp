// SPDX-License-Identifier: MIT
// MMAP2 (10): something was mapped, with the file's identity and protection. Linux 3.12; build-id form since 5.12.
// perf_event_mmap_output in kernel/events/core.c.
#pragma once

#include <optional>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/identities.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u32 pid . 12 u32 tid . 16 u64 addr . 24 u64 len . 32 u64 pgoff
//     40 misc bit 14 clear: u32 maj . u32 min . u64 ino . u64 ino_generation
//        misc bit 14 set:   u8 size . u8 0 . u16 0 . u8 build_id[20]
//     64 u32 prot . 68 u32 flags . 72 filename, NUL-padded to 8 . trailer
struct Mmap2 {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::mmap2;
    static constexpr std::string_view record_name = "record MMAP2";
    static constexpr std::size_t min_bytes = 73;

    using Inode = FileInode;  // see wire/identities.hpp

    Pid pid;                          // all ones for the kernel and its modules
    Tid tid;                          // the thread that called mmap; 0 for the kernel and its modules
    AddressRange range;               // addresses of the mapping in the process or in the kernel
    std::uint64_t page_offset = 0;    // see Mmap::page_offset
    std::optional<Inode> inode;       // one form
    std::optional<BuildId> build_id;  // the other: chosen per record
    std::uint32_t protection = 0;     // PROT_*
    std::uint32_t flags = 0;          // MAP_*
    std::string_view filename;        // any bytes; lives as long as the record

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Mmap2> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Mmap2 map;
        map.pid = {in.u32()};
        map.tid = {in.u32()};
        map.range.begin = {in.u64()};
        map.range.size = in.u64();
        map.page_offset = in.u64();
        if ((record.header().misc >> 14 & 1) != 0) {
            BuildId id;
            id.size = least<std::uint8_t>(in.u8(), static_cast<std::uint8_t>(id.value.size()));
            in.skip(3);
            copy_bytes(in.bytes(id.value.size()), id.value.data());
            map.build_id = id;
        } else {
            Inode inode;
            inode.major = in.u32();
            inode.minor = in.u32();
            inode.number = in.u64();
            inode.generation = in.u64();
            map.inode = inode;
        }
        map.protection = in.u32();
        map.flags = in.u32();
        map.filename = in.terminated_string();
        if (!in.ok()) return in.failure("the file name");
        return map;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("pid", pid.value);
        visit("tid", tid.value);
        visit("addr", range.begin);
        visit("len", range.size);
        visit("pgoff", page_offset);
        if (inode) {
            visit("maj", inode->major);
            visit("min", inode->minor);
            visit("ino", inode->number);
            visit("ino_generation", inode->generation);
        }
        if (build_id) visit("build_id", build_id->bytes());
        visit("prot", protection);
        visit("flags", flags);
        visit("filename", filename);
    }
};

}  // namespace perfdata
