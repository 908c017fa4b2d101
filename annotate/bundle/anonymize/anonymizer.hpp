// SPDX-License-Identifier: MIT
// Copies of a recording, and of the files that explain it, without what may be secret: perfdata collect --anonymize.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"

#include "bundle/anonymize/names.hpp"
#include "bundle/anonymize/tally.hpp"

namespace perfdata {

// AnonymizeKey is the secret that names are hashed with. Equal keys make equal hashes: two bundles that share one can
// be compared. Whoever has it can check a guess of a name.
using AnonymizeKey = std::array<std::byte, 32>;

// random_anonymize_key() returns a key from the system's random source. Errors: unsupported (libsodium cannot start).
Result<AnonymizeKey> random_anonymize_key();
// read_anonymize_key(file, path) reads a key of 32 bytes, or of 64 hexadecimal digits with or without white space
// around them. path is for messages. Errors: malformed (neither), io.
Result<AnonymizeKey> read_anonymize_key(const Source& file, const std::string& path);

// Anonymizer keeps only what is on its lists: fields that it knows to hold numbers, and words that tools need. All
// other text becomes a keyed hash, everything else is left out and counted. Nothing is copied that it does not
// understand. docs/anonymize.md says what is kept. One object makes one bundle; it is not to be shared by threads.
class Anonymizer {
  public:
    // Errors: unsupported (libsodium cannot start).
    static Result<Anonymizer> create(std::span<const std::byte, 32> key);

    // recording(recording, watch) returns a perf.data file in the recording's byte order, in a temporary file: of a
    // pipe or a directory, too. Compressed records are unpacked, damaged ones left out. Memory does not grow with the
    // records. Errors: io, limit, cancelled, out_of_memory.
    Result<std::shared_ptr<const Source>> recording(const Recording& recording, const Watch& watch);

    // The hashes of the recording: of a path (of an object, a jitdump, a source), of the name of a function, and of a
    // command. Equal texts have equal hashes, and what tools need to know of them stays: see Names.
    std::string path(std::string_view path) const { return names_.path(path); }
    std::string name(std::string_view name) const { return names_.symbol(name); }
    std::string command(std::string_view command) const { return names_.comm(command); }

    // Each returns a copy with hashed names in a temporary file. Lines and records that cannot be read are left out.
    // Errors: io, limit, cancelled, out_of_memory; malformed if it is no such file at all.
    Result<std::shared_ptr<const Source>> kallsyms(const Source& file, const Watch& watch);
    Result<std::shared_ptr<const Source>> perf_map(const Source& file, const Watch& watch);
    // Also drops lines (DEBUG_INFO) and unwind information.
    Result<std::shared_ptr<const Source>> jitdump(const Source& file, const Watch& watch);
    // object(file, path, limits, watch) returns a copy of an ELF file, unpacked if it is compressed (.ko.xz). Code,
    // symbol tables and the build id stay where they are, all other bytes are zero. path is for messages. Errors:
    // malformed, unsupported (without section headers its code cannot be told from its data), and as above.
    Result<std::shared_ptr<const Source>> object(std::shared_ptr<const Source> file, const std::string& path,
                                                 const Limits& limits, const Watch& watch);

    // counts() returns what was hashed and left out so far, by kind, in a fixed order: for the index and stderr. Only
    // what there was.
    std::vector<std::pair<std::string, std::uint64_t>> counts() const { return tally_.counts(); }
    // dropped() is the same.
    std::vector<std::pair<std::string, std::uint64_t>> dropped() const { return counts(); }

  private:
    explicit Anonymizer(Names names) : names_(std::move(names)) {}

    Names names_;
    Tally tally_;
};

}  // namespace perfdata
