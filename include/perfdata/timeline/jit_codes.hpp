// SPDX-License-Identifier: MIT
// The JIT code of all processes of a recording.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/timeline/jit_code.hpp"
#include "perfdata/timeline/tasks.hpp"

namespace perfdata {

// JitPlace is a byte of a JIT function.
struct JitPlace {
    std::uint32_t function = 0;  // see JitCodes::function()
    std::uint64_t offset = 0;    // from its start
};

// JitCodes is filled once and may then be read from many threads. A search takes time proportional to the number of
// dumps of a process and the logarithm of their contents: add only a few dumps per process.
class PERFDATA_EXPORT JitCodes {
  public:
    // add(pid, code) adds the code of a process, from the dump that it mapped, and returns its index in codes(). A
    // process may have several.
    std::size_t add(Pid pid, JitCode code);
    // add(pid, dump) assigns the code of a dump that was added for another process to this one as well.
    void add(Pid pid, std::size_t dump);
    // dumps_of(pid) returns the number of dumps added for a process.
    std::size_t dumps_of(Pid pid) const { return of_pid_.count(pid.value); }

    // find(tasks, pid, address, time) returns the JIT function at the address. A forked process has the code that its
    // parent had at the fork.
    std::optional<JitPlace> find(const Tasks& tasks, Pid pid, Address address, Time time) const;

    bool empty() const { return codes_.empty(); }  // no dump was added
    // function(index), code(index) return the function and the dump that it is from. Valid for indices from find().
    const JitFunction& function(std::uint32_t index) const;
    const JitCode& code(std::uint32_t index) const;
    const std::vector<std::unique_ptr<JitCode>>& codes() const { return codes_; }

  private:
    std::size_t dump_of(std::uint32_t index) const;

    std::vector<std::unique_ptr<JitCode>> codes_;
    std::vector<std::uint32_t> begins_;  // of each: the index of its first function
    std::uint32_t functions_ = 0;
    std::multimap<std::uint32_t, std::size_t> of_pid_;  // index in codes_
};

}  // namespace perfdata
