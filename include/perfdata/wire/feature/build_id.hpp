// SPDX-License-Identifier: MIT
// BUILD_ID (2): the build ids of the files that contain samples. write_build_id in tools/perf/util/header.c,
// build-id.c. The body of the pipe's record HEADER_BUILD_ID (67) is one such entry.
#pragma once

#include <optional>

#include "perfdata/wire/record.hpp"

namespace perfdata {

// BuildIdEntry is a view; it lives as long as the section.
struct BuildIdEntry {
    static constexpr std::size_t max_id_bytes = 20;   // bytes of an id on disk, padded
    static constexpr std::int32_t host = -1;          // pid of the machine that recorded
    static constexpr std::int32_t default_guest = 0;  // pid of a guest not identified by pid

    std::uint64_t offset = 0;  // of the entry in the file
    std::uint32_t type = 0;    // 0 in files (perf leaves it unset), 67 in records
    std::uint16_t misc = 0;    // cpu_mode() in bits 0-2: kernel or user, host or guest
    std::int32_t pid = host;   // the machine: host, default_guest, or the pid of a guest
    Bytes build_id;            // at most 20 bytes
    bool size_known = false;   // if not, `build_id` is 20 bytes, whose trailing zeros may be padding
    std::string_view name;     // path, "[kernel.kallsyms]", "[vdso]", ...

    CpuMode mode() const { return cpu_mode(misc); }  // kernel, user, guest_kernel, guest_user
};

//     entries until the section ends: 0 u32 type . 4 u16 misc . 6 u16 size . 8 s32 pid . 12 u8 id[20] . 32 u8 id size
//     (if bit 15 of misc) . 33 3 reserved . 36 name, padded with NULs to `size`
//
// `size` is seldom a multiple of 8. For some time perf wrote entries without pid: 8 u8 id[24] . 32 name. The kernel
// comes first in a table, and its name read at 36 then lacks its first four characters.
class BuildIdReader {
  public:
    explicit BuildIdReader(Cursor in) : in_(in), without_pid_(lacks_pid(in)) {}  // `in` is the section

    // without_pid() returns true if the table has the old layout without pid.
    bool without_pid() const { return without_pid_; }

    // next() returns the next entry, empty at the end. After an error the rest of the section cannot be framed; earlier
    // entries remain valid.
    Result<std::optional<BuildIdEntry>> next() {
        if (in_.ok() && in_.remaining() == 0) return std::nullopt;
        BuildIdEntry entry;
        entry.offset = in_.file_offset();
        auto here = in_;
        entry.type = in_.u32();
        entry.misc = in_.u16();
        const auto size = in_.u16();
        if (!in_.ok()) return in_.failure("the header of an entry");
        const auto least = without_pid_ ? old_fixed_bytes : fixed_bytes;
        if (size < least) {
            in_.skip(~std::uint64_t{0});  // every later call fails too
            return here.contradiction("an entry of " + std::to_string(size) + " bytes, at least " +
                                      std::to_string(least) + " expected");
        }
        const auto body = in_.bytes(size - std::size_t{8});
        if (!in_.ok()) return in_.failure("an entry of " + std::to_string(size) + " bytes");
        Cursor fields(body, in_.order(), {.where = "feature BUILD_ID", .offset = entry.offset + 8});
        if (without_pid_) {
            read_old(entry, fields);
        } else {
            read(entry, fields);
        }
        entry.name = until_nul(fields.rest());
        return entry;
    }

  private:
    static constexpr std::size_t fixed_bytes = 36;
    static constexpr std::size_t old_fixed_bytes = 32;
    static constexpr std::uint16_t size_is_valid = 1u << 15;

    static bool lacks_pid(Cursor in) {
        constexpr std::string_view beheaded = "nel.kallsyms]";
        in.skip(fixed_bytes);
        return as_text(in.bytes(beheaded.size())) == beheaded;
    }
    static void read(BuildIdEntry& entry, Cursor& fields) {
        entry.pid = static_cast<std::int32_t>(fields.u32());
        entry.build_id = fields.bytes(BuildIdEntry::max_id_bytes);
        const auto size = fields.u8();
        fields.skip(3);
        entry.size_known = (entry.misc & size_is_valid) != 0;
        if (entry.size_known && size < entry.build_id.size()) entry.build_id = entry.build_id.first(size);
    }
    static void read_old(BuildIdEntry& entry, Cursor& fields) {
        const auto mode = entry.mode();
        const bool guest = mode == CpuMode::guest_kernel || mode == CpuMode::guest_user;
        entry.pid = guest ? BuildIdEntry::default_guest : BuildIdEntry::host;
        entry.build_id = fields.bytes(BuildIdEntry::max_id_bytes);
        fields.skip(4);
    }

    Cursor in_;
    bool without_pid_;
};

}  // namespace perfdata
