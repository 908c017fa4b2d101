// SPDX-License-Identifier: MIT
// Names of JIT code from /tmp/perf-PID.map, which a just-in-time compiler writes as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/timeline/jit_files.hpp"

namespace perfdata {

class LookOut;

// PerfMap returns the last name that the file has for an address. The file has no times: if code was compiled anew or
// memory was reused, the name is wrong for earlier samples, and nothing shows that. A jitdump (JitCode) is better.
// Addresses are those of the process; there are no code bytes. perf uses the file only for executable memory without a
// file of its own (//anon, [heap] and the like): callers should try everything else first.
class PERFDATA_EXPORT PerfMap {
  public:
    // Symbol is one line of the file.
    struct Symbol {
        std::string_view name;     // any bytes but NUL and line feed; lives as long as the map
        AddressRange range;        // as written, even where later lines cover a part
        std::uint64_t offset = 0;  // of the address, from the start of the range
    };

    // Reads a file, compressed or not. Errors: io, limit, malformed (no line of it is one of a perf map), cancelled.
    static Result<PerfMap> open(const std::string& path, const Limits& limits = {}, const Watch& watch = {});
    // The same of a file that is open.
    static Result<PerfMap> open(const Source& source, const std::string& path, const Limits& limits = {},
                                const Watch& watch = {});
    // Parses lines "START SIZE NAME", numbers in hexadecimal with or without 0x. An empty text is a valid map.
    static Result<PerfMap> parse(std::string text, const std::string& where = "perf map", const Watch& watch = {});

    // Parses one line, without its end, such as "7f484ca8a000 10 name"; nothing if it is none of a perf map. The name
    // lives as long as the text.
    static std::optional<Symbol> parse_line(std::string_view line);

    // Returns the last line that covers the address; nothing if none does.
    std::optional<Symbol> find(Address address) const;

    // Return the number of lines that name code, and of all other lines: malformed, or with a size of 0.
    std::size_t size() const { return entries_.size(); }
    std::size_t skipped() const { return skipped_; }
    // Returns how many bytes of memory it takes, about.
    std::uint64_t memory() const {
        return text_.capacity() + entries_.capacity() * sizeof(Entry) + stretches_.capacity() * sizeof(Stretch);
    }
    // Returns what is wrong with the file: packed data ends early, or some lines are not those of a perf map.
    const std::optional<Error>& damage() const { return damage_; }

  private:
    struct Entry {
        AddressRange range;
        std::uint32_t name, name_size;  // in text_
    };
    // Stretch is the addresses from `begin` up to the next stretch, where one entry counts.
    struct Stretch {
        std::uint64_t begin;
        std::uint32_t entry;  // none: no entry
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // These throw Stopped.
    static Result<PerfMap> read(std::string text, const std::string& where, LookOut& look);
    void lay_out(LookOut& look);

    std::string text_;
    std::vector<Entry> entries_;  // in file order
    // Sorted: O(log n) per search, and per entry to build, however entries overlap.
    std::vector<Stretch> stretches_;
    std::size_t skipped_ = 0;
    std::optional<Error> damage_;
};

// Returns where a compiler in that process writes its map, as the process itself sees it: in a container the pid and
// the file system are its own.
PERFDATA_EXPORT std::string perf_map_path(std::uint32_t pid);
// Searches all places of `search` for that file.
PERFDATA_EXPORT FoundFile find_perf_map(std::uint32_t pid, const JitSearch& search);

}  // namespace perfdata
