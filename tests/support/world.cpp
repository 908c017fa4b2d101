// SPDX-License-Identifier: MIT
#include "support/world.hpp"

#include <sstream>

namespace perfdata::test {
namespace {

constexpr std::uint16_t bit_13 = 1u << 13;

}  // namespace

RecordFrame World::frame(std::uint64_t time, std::uint16_t misc) const {
    auto made = scene_.frame(time == 0 ? Stamp{} : live(time));
    made.misc = misc;
    return made;
}

World& World::map(std::uint64_t time, std::uint32_t pid, Range range, std::string_view path) {
    const Mmap map{{pid}, {pid}, {{range.begin}, range.size}, range.file_offset, path};
    scene_.add(encode(map, frame(time, static_cast<std::uint16_t>(CpuMode::user))));
    return *this;
}

World& World::map(std::uint64_t time, const Mmap2& map, CpuMode mode) {
    scene_.add(encode(map, frame(time, static_cast<std::uint16_t>(mode))));
    return *this;
}

World& World::kernel_map(Range range, std::string_view path, std::uint64_t time) {
    const Mmap map{{~0u}, {0}, {{range.begin}, range.size}, range.file_offset, path};
    scene_.add(encode(map, frame(time, static_cast<std::uint16_t>(CpuMode::kernel))));
    return *this;
}

World& World::comm(std::uint64_t time, std::uint32_t pid, std::uint32_t tid, std::string_view comm, bool exec) {
    scene_.add(encode(Comm{{pid}, {tid}, comm, exec}, frame(time)));
    return *this;
}

World& World::fork(std::uint64_t time, std::uint32_t pid, std::uint32_t tid, std::uint32_t parent_pid,
                   std::uint32_t parent_tid, bool marked) {
    Writer body(scene_.order());
    body.u32(pid).u32(parent_pid).u32(tid).u32(parent_tid).u64(time);
    const std::uint16_t misc = time == 0 && marked ? bit_13 : 0;
    scene_.add(record(RecordType::fork, frame(time, misc), body.blob()));
    return *this;
}

World& World::exit(std::uint64_t time, std::uint32_t pid, std::uint32_t tid) {
    Writer body(scene_.order());
    body.u32(pid).u32(1).u32(tid).u32(1).u64(time);
    scene_.add(record(RecordType::exit, frame(time), body.blob()));
    return *this;
}

World& World::namespaces(std::uint64_t time, std::uint32_t pid, std::uint32_t tid, std::vector<std::uint64_t> inodes) {
    Writer body(scene_.order());
    body.u32(pid).u32(tid).u64(inodes.size());
    for (const auto inode : inodes) body.u64(4).u64(inode);
    scene_.add(record(RecordType::namespaces, frame(time), body.blob()));
    return *this;
}

World& World::cgroup(std::uint64_t id, std::string_view path) {
    scene_.add(record(RecordType::cgroup, frame(0), Writer(scene_.order()).u64(id).padded_text(path).blob()));
    return *this;
}

std::string seen(const Timeline& timeline, std::uint32_t pid, std::uint64_t address, std::uint64_t time) {
    const auto* mapping = timeline.tasks().mapping_at({pid}, {address}, {time});
    if (mapping == nullptr) return "-";
    std::ostringstream text;
    text << timeline.tasks().object(*mapping).path << '+' << std::hex << mapping->offset_of({address});
    return text.str();
}

}  // namespace perfdata::test
