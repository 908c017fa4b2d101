// SPDX-License-Identifier: MIT
// Code from a just-in-time compiler, by address and time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/text_arena.hpp"
#include "perfdata/timeline/code.hpp"
#include "perfdata/timeline/jit_dump.hpp"
#include "perfdata/timeline/versioned_map.hpp"

namespace perfdata {

class JitClock;
class LookOut;

// JitFunction is one function at one place during one period. The same function after a move and another one at the
// same address are other JitFunctions.
struct JitFunction {
    std::string_view name;         // any bytes; lives as long as the JitCode and copies of it
    AddressRange range;            // where it lay
    Time from;                     // in the event clock; in the dump's own if JitCode is not timed()
    Time until = Time::forever();  // forever: as long as the process keeps its memory
    std::uint64_t index = 0;       // the compiler's number for this compilation
    bool moved = false;            // loaded elsewhere, then moved here
    // Where the code bytes and the lines are in the dump; read them with JitCode::image() and lines().
    std::uint64_t code_at = 0;
    std::uint64_t code_size = 0;  // bytes; at most range.size
    std::uint64_t debug_at = 0;   // of the CODE_DEBUG_INFO record; 0: none
    // Where the unwind information is in the dump, and its size; read it with JitCode::unwind_information(). 0: none.
    // The copies of a function that was moved share it.
    std::uint64_t unwind_at = 0, unwind_size = 0;  // .eh_frame, without its header
    std::uint64_t loaded_size = 0;                 // of the code when it was loaded; a move may cut it off
};

// JitLine assigns the code from this offset up to the next JitLine to a source line.
struct JitLine {
    std::uint64_t offset = 0;         // from the start of the function
    std::uint32_t line = 0;           // as the compiler wrote it
    std::uint32_t discriminator = 0;  // column discriminator of the specification; 0 is its default
    std::string_view file;  // UTF-8, no control characters; empty: unknown. Lives as long as the JitLines and copies
    bool damaged = false;   // the file name in the dump is invalid: `file` is empty

    bool operator==(const JitLine&) const = default;
};

// JitLines is the lines of one function, by offset.
class JitLines {
  public:
    JitLines() = default;
    // `record` holds the texts that the lines view.
    JitLines(std::shared_ptr<const std::vector<std::byte>> record, std::vector<JitLine> lines)
        : record_(std::move(record)), lines_(std::move(lines)) {}

    auto begin() const { return lines_.begin(); }                                 // by offset
    auto end() const { return lines_.end(); }                                     // behind the last line
    std::size_t size() const { return lines_.size(); }                            // number of lines
    bool empty() const { return lines_.empty(); }                                 // no line is known
    const JitLine& operator[](std::size_t index) const { return lines_[index]; }  // the index must be below size()

  private:
    std::shared_ptr<const std::vector<std::byte>> record_;  // what the files are views of
    std::vector<JitLine> lines_;
};

// What CODE_CLOSE means for the code: nothing, as in perf, or that it is gone.
enum class JitClose : std::uint8_t { keeps_code, ends_code };

// JitCodeOptions is which records of a dump count.
struct JitCodeOptions {
    JitClose close = JitClose::keeps_code;  // what CODE_CLOSE means
    // Only records of this process (JitCodeLoad::namespace_pid), for a dump that both a parent and its forked child
    // write; JitCode::namespace_pids() lists them.
    std::optional<std::uint32_t> namespace_pid = {};
};

// JitCode is the content of a dump as an index by address and time: immutable, safe to use from many threads. The dump
// does not say whose code it is: its process ids are those of the process's own namespace. The code belongs to the
// process that mapped the file (see find_jit_dumps), and to its later forks, with the parent's code at the time of the
// fork.
//
// A load ends older code that it overlaps, and a move ends the code at the old place. Time stamps order the records,
// not their places in the file; records of equal time are in file order.
//
// A dump of n records costs n log n, whatever addresses, numbers and names it contains: all tables are sorted or trees.
// A name is stored once, however often its code moves.
class PERFDATA_EXPORT JitCode {
  public:
    // build(dump, clock) reads the whole dump. What cannot be read is in completeness().
    static JitCode build(const JitDump& dump, const JitClock& clock, const JitCodeOptions& options = {});
    // The same, which can be stopped. Errors: cancelled.
    static Result<JitCode> build(const JitDump& dump, const JitClock& clock, const JitCodeOptions& options,
                                 const Watch& watch);

    // find(address, time) returns the function that owned the address at that time, or null. It lives as long as this
    // object.
    const JitFunction* find(Address address, Time time) const;

    // timed() returns true if the clock was comparable. If not, find() ignores the time and returns the latest
    // function.
    bool timed() const { return timed_; }

    // functions() is ordered by start time.
    std::span<const JitFunction> functions() const { return functions_; }
    const JitDump& dump() const { return dump_; }
    const Completeness& completeness() const { return completeness_; }
    // namespace_pids() returns every process id in loads and moves, sorted.
    const std::vector<std::uint32_t>& namespace_pids() const { return namespace_pids_; }
    // closed_at() returns the time of CODE_CLOSE; empty if there was none: the compiler still ran or was killed.
    std::optional<Time> closed_at() const { return closed_at_; }

    // image(function) reads the native code from the file, at most function.range.size bytes. Errors: io, limit.
    Result<std::vector<std::byte>> image(const JitFunction& function) const;

    // unwind_information(function) reads its .eh_frame, whose addresses count from the start of the code, as if it lay
    // behind the loaded code at the next multiple of 8 (unwind_address()). It is empty if the dump has none. Errors:
    // io, limit.
    Result<std::string> unwind_information(const JitFunction& function) const;
    static std::uint64_t unwind_address(const JitFunction& function) { return (function.loaded_size + 7) / 8 * 8; }

    // lines(function) returns its lines by offset, empty if the dump has none. Entries beyond the function are left
    // out. File names that are not UTF-8 or contain control characters are dropped: V8 writes such names from freed
    // memory. Handles compilers that write addresses for perf's ELF files, with the ELF header in front of the code.
    // Errors: io, limit, malformed.
    Result<JitLines> lines(const JitFunction& function) const;

  private:
    class Builder;

    explicit JitCode(const JitDump& dump) : dump_(dump) {}
    // Throws Stopped.
    static JitCode read(const JitDump& dump, const JitClock& clock, const JitCodeOptions& options, LookOut& look);

    JitDump dump_;
    Completeness completeness_;
    std::shared_ptr<TextArena> names_ = std::make_shared<TextArena>();  // of functions_; copies share it
    std::vector<JitFunction> functions_;
    VersionedMap<std::uint32_t> map_;  // indices of functions_
    std::vector<std::uint32_t> namespace_pids_;
    std::optional<Time> closed_at_;
    std::uint64_t line_bias_ = 0;  // added by the compiler to line addresses
    bool timed_ = false;
};

}  // namespace perfdata
