// SPDX-License-Identifier: MIT
// Writes bundles: a recording with all that is needed to show it on any machine, in one file. docs/bundles.md has the
// format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// BundleMember is what the index says of a member, besides its size and its hash.
struct BundleMember {
    std::string name{};      // inside of the bundle
    std::string kind{};      // recording, object, vdso, debug, kallsyms, kcore, vmlinux, jitdump, perf_map or source
    std::string path{};      // the recorded path, as it was hashed if the bundle is anonymized; empty: none
    std::string build_id{};  // hexadecimal; empty: none
    // With code of it in their chain. Nothing: not counted, as for the recording.
    std::optional<std::uint64_t> samples{};
    std::string recorded{};  // what the recording calls it, as the path
};

// MissingMember is what was needed and not found.
struct MissingMember {
    std::string path{};                      // as recorded
    std::string build_id{};                  // hexadecimal; empty: not recorded
    std::string why{};                       // as MissingFile::why
    std::optional<std::uint64_t> samples{};  // that need it; nothing: not known
    std::string kind{};                      // as BundleMember::kind
    std::string reason{};                    // why, as a clause; empty: the word must do
};

// BundleIndex is what the index says besides the members.
struct BundleIndex {
    std::string recording = "perf.data";  // name of the file, or of the directory
    std::string debug = "lines";          // what was packed of debug information: none, lines or full
    bool sources = false;                 // source files were asked for
    std::vector<MissingMember> missing{};
    std::vector<std::pair<std::string, std::uint64_t>> left_out{};    // what was left out on purpose, by kind
    std::vector<std::pair<std::string, std::uint64_t>> anonymized{};  // what became a hash, by kind; empty: nothing
};

// BundleContent is a member with its content, which is read twice: to be hashed, and to be packed.
struct BundleContent {
    BundleMember member{};
    Shared<const Source> content{};  // never null
};

// MemberHashes is what sha256_of() says of members, by name.
using MemberHashes = std::map<std::string, std::string>;

// write_bundle(recording, others, index, sink, watch, known) writes a bundle. `recording` has the main file first; the
// rest, and `others`, are sorted by name: equal input makes equal bytes. What the sink throws passes. watch is told of
// bytes that were hashed and packed. Errors: unsupported (built without libarchive), malformed (a name that cannot be
// in a bundle, or is there twice), mismatch (another hash than the known one), io (also content that is not the same
// twice), cancelled. After an error the output is no bundle.
Result<void> write_bundle(std::vector<BundleContent> recording, std::vector<BundleContent> others,
                          const BundleIndex& index, const Sink& sink, const Watch& watch = {},
                          const MemberHashes& known = {});

}  // namespace perfdata
