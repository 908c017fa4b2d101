// SPDX-License-Identifier: MIT
// Names of JIT code from /tmp/perf-PID.map, which a just-in-time compiler writes as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/limits.hpp"
#include "perfdata/timeline/jit_files.hpp"

namespace perfdata {

// PerfMap answers with the last name that the file has for an address. There is no time in the file: where code was
// compiled anew or the memory was used again, that name is wrong for samples from before, and nothing can tell. A
// jitdump (JitCode) is better. Addresses are those of the process; there are no code bytes. perf uses the file for
// executable memory without a file of its own (//anon, [heap] and the like) only; callers should look into it after all
// else.
class PerfMap {
  public:
    struct Symbol {
        std::string_view name;     // any bytes but NUL and line feed; lives as long as the map
        AddressRange range;        // as written, even where later lines cover a part
        std::uint64_t offset = 0;  // of the address, from the start of the range
    };

    // open(path) reads a file, compressed or not. Errors: io, limit, malformed (no line of it is one of a perf map).
    static Result<PerfMap> open(const std::string& path, const Limits& limits = {});
    static Result<PerfMap> open(const Source& source, const std::string& path, const Limits& limits = {});
    // parse(text): lines "START SIZE NAME", numbers in hexadecimal, with or without 0x. An empty text is a map.
    static Result<PerfMap> parse(std::string text, const std::string& where = "perf map");

    std::optional<Symbol> find(Address address) const;

    // size() is how many lines name code, skipped() how many do not: no such line, or a size of 0.
    std::size_t size() const { return entries_.size(); }
    std::size_t skipped() const { return skipped_; }
    // damage() is what is wrong with the file: it is packed and breaks off, or has lines that are none of a perf map.
    const std::optional<Error>& damage() const { return damage_; }

  private:
    struct Entry {
        AddressRange range;
        std::uint32_t name, name_size;  // in text_
    };
    // From `begin` on the entry counts, up to the next stretch.
    struct Stretch {
        std::uint64_t begin;
        std::uint32_t entry;  // none: no entry
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    void lay_out();

    std::string text_;
    std::vector<Entry> entries_;  // in file order
    // Sorted: log n for each search, and for each entry, however they lie over each other.
    std::vector<Stretch> stretches_;
    std::size_t skipped_ = 0;
    std::optional<Error> damage_;
};

// perf_map_path(pid) is where a compiler of that process writes its map, as the process sees itself: in a container
// both the pid and the file system are its own.
std::string perf_map_path(std::uint32_t pid);
// find_perf_map(pid, search) looks for it at all places of `search`.
FoundFile find_perf_map(std::uint32_t pid, const JitSearch& search);

}  // namespace perfdata
