// SPDX-License-Identifier: MIT
// Recordings of processes that fork, exec, map files and exit. Built on Scene. Times are those of live records of one
// CPU; time zero makes a record that perf synthesized.
#pragma once

#include "support/scene.hpp"

namespace perfdata::test {

class World {
  public:
    explicit World(std::endian order = std::endian::little) : scene_(order) {}

    struct Range {
        std::uint64_t begin = 0, size = 0, file_offset = 0;
    };
    World& map(std::uint64_t time, std::uint32_t pid, Range range, std::string_view path);
    World& map(std::uint64_t time, const Mmap2& map, CpuMode mode = CpuMode::user);
    // kernel_map(...): as perf synthesizes it for the kernel and its modules.
    World& kernel_map(Range range, std::string_view path, std::uint64_t time = 0);
    World& comm(std::uint64_t time, std::uint32_t pid, std::uint32_t tid, std::string_view comm, bool exec = false);
    World& exec(std::uint64_t time, std::uint32_t pid, std::string_view name) {
        return comm(time, pid, pid, name, true);
    }
    // fork(...) adds a process, thread(...) a thread started by its process's leader.
    World& fork(std::uint64_t time, std::uint32_t pid, std::uint32_t parent) {
        return fork(time, pid, pid, parent, parent);
    }
    World& thread(std::uint64_t time, std::uint32_t pid, std::uint32_t tid) { return fork(time, pid, tid, pid, pid); }
    World& fork(std::uint64_t time, std::uint32_t pid, std::uint32_t tid, std::uint32_t parent_pid,
                std::uint32_t parent_tid, bool marked = true);
    World& exit(std::uint64_t time, std::uint32_t pid, std::uint32_t tid);
    World& namespaces(std::uint64_t time, std::uint32_t pid, std::uint32_t tid, std::vector<std::uint64_t> inodes);
    World& cgroup(std::uint64_t id, std::string_view path);

    RecordFrame frame(std::uint64_t time, std::uint16_t misc = 0) const;
    Scene& scene() { return scene_; }
    Timeline timeline(const OpenOptions& options = {}) { return scene_.timeline(options); }

  private:
    Scene scene_;
};

// seen(timeline, pid, address, time) returns "PATH+OFFSET" (hexadecimal) of the process's mapping there, "-" if there
// is none.
std::string seen(const Timeline& timeline, std::uint32_t pid, std::uint64_t address, std::uint64_t time);

}  // namespace perfdata::test
