// SPDX-License-Identifier: MIT
// Reads bundles of perfdata collect: a recording with all that is needed to show it on any machine, in one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

class FileSystem;
class LookOut;
class PackedFrames;
struct FileName;
struct FoundMembers;
struct SymbolizerOptions;

// BundledFile is a member of a bundle. What the index alone says is empty for members that it does not list.
struct BundledFile {
    std::string name;        // inside of the bundle, such as ".build-id/ab/cdef/elf"
    std::string kind;        // recording, object, vdso, debug, kallsyms, kcore, vmlinux, jitdump, perf_map or source
    std::string path;        // on the recorded machine
    std::string build_id;    // hexadecimal
    std::string sha256;      // of the content, hexadecimal
    std::uint64_t size = 0;  // of the content, in bytes
    std::optional<std::uint64_t> samples{};  // with code of it in their chain
    std::string recorded{};                  // what the recording calls it, if that is not the path; may be empty
};

// MissingFile is what whoever packed the bundle needed and did not find.
struct PERFDATA_EXPORT MissingFile {
    static constexpr std::string_view is_private = "private";  // why: it is there, but not everybody may read it

    std::string path;                        // on the recorded machine
    std::string build_id;                    // hexadecimal; empty: not recorded
    std::string why;                         // a word: of SymbolMiss, of ErrorCode, or is_private
    std::optional<std::uint64_t> samples{};  // that need it; nothing: the index does not say
    std::string kind{};                      // as BundledFile::kind; empty: the index does not say
    std::string reason{};                    // why, as a clause; empty: the index does not say

    // Returns why it is not in the bundle, as a clause of at most some 400 bytes. Strangers write indexes: it may be
    // any text.
    std::string explained() const;
};

// BundleFacts is what the index says about the bundle as a whole.
struct BundleFacts {
    std::uint64_t version = 0;         // of its format; 0: it has no index that can be read
    std::string recording;             // name of the recording in it
    std::string debug;                 // debug information that was packed: none, lines or full
    bool sources = false;              // source files were asked for
    std::vector<MissingFile> missing;  // files that were not found
    std::vector<std::pair<std::string, std::uint64_t>> left_out;    // what was left out on purpose, by kind
    std::vector<std::pair<std::string, std::uint64_t>> anonymized;  // what became a hash, by kind

    // Returns how much could not be read of the recording that this one is an anonymized copy of: records, places and
    // sections. The copy itself is whole.
    std::uint64_t lost_before() const {
        std::uint64_t lost = 0;
        for (const auto& [kind, number] : anonymized) {
            const bool counts = kind == "dropped_damaged_records" || kind == "dropped_unread_places" ||
                                kind == "dropped_damaged_sections";
            if (counts) lost = add_up_to_most(lost, number);
        }
        return lost;
    }
};

// Bundle is an open bundle. Only members that are read are unpacked, each once: to memory if it is short, else to a
// temporary file. Const use from many threads is safe.
class PERFDATA_EXPORT Bundle {
  public:
    // Returns true if the input is a tar-ball, plain or packed with zstd, gzip or xz: no recording is one. Reads its
    // beginning alone. Errors: io.
    static Result<bool> is_bundle(const Source& source);
    // Opens a bundle. `path` is the name in messages; files in it are named as if it were a directory of that name.
    // Reads all headers, and the index. Limits also bound what will be unpacked. Errors: io, malformed (no recording in
    // it), unsupported (a newer version, or see ArchivedFiles::available()), limit, cancelled.
    static Result<Shared<const Bundle>> open(std::shared_ptr<const Source> source, std::string path,
                                             const Limits& limits, const Watch& watch = {});
    ~Bundle();
    Bundle(const Bundle&) = delete;
    Bundle& operator=(const Bundle&) = delete;

    const std::string& path() const { return path_; }                 // as it was given
    const Source& source() const { return *source_; }                 // that it was opened from
    const std::vector<BundledFile>& files() const { return files_; }  // in the order of the tar-ball
    const BundleFacts& facts() const { return facts_; }               // what its index says
    const std::vector<Error>& problems() const { return problems_; }  // what was wrong with it when it was opened
    DiagnosticLog losses() const;                                     // members that could not be read since

    // Returns the content of a member, unpacked from the tar-ball but not by itself. A recording that breaks off has a
    // damage(). Errors: missing, io, malformed, limit, mismatch (with the hash in the index), cancelled.
    Result<std::shared_ptr<const Source>> content(std::string_view name, const Watch& watch = {}) const;
    // The same for a member that must begin as that content does, unless it is packed once more, and have at most
    // limits.unpacked_bytes. A long one that does not is not unpacked, and told in losses(). Errors: also malformed,
    // not_perf_data.
    Result<std::shared_ptr<const Source>> content(std::string_view name, const Limits& limits, Content expected,
                                                  const Watch& watch = {}) const;
    // Returns the number of a member in files(); nothing if there is none of that name.
    std::optional<std::size_t> find(std::string_view name) const;

    // Returns the directory that stands for the bundle: below it, files() have its members.
    const std::string& directory() const { return directory_; }
    // Returns files that have those of the bundle as well. They keep the bundle. `beneath`: all others.
    static Shared<const FileSystem> files(Shared<const Bundle> bundle, Shared<const FileSystem> beneath);
    // Returns the path to show for a file below directory(): the one on the recorded machine. Others stay as they are.
    std::string shown(const std::string& path) const;
    // Has everything looked for in the bundle, behind what the user gave, and nothing on this machine besides.
    static void apply(const Shared<const Bundle>& bundle, SymbolizerOptions& options);
    // Adds what was missing when it was packed, with who needs it.
    static void tell_missing(const Bundle& bundle, std::vector<Error>& problems);

  private:
    struct Member;
    struct Late;

    Bundle(std::string path, const Limits& limits);

    // These may throw Stopped.
    Result<void> read(std::shared_ptr<const Source> source, LookOut& look);
    Result<void> find_in_frames(std::uint64_t packed_size, LookOut& look, FoundMembers& found) const;
    Result<void> read_index(const LookOut& look);
    Result<std::shared_ptr<const Source>> unpack(std::size_t number, const LookOut& look) const;
    Result<std::shared_ptr<const Source>> slice(std::size_t number, const LookOut& look) const;
    void problem(ErrorCode code, std::string why);

    std::string path_, directory_;
    std::shared_ptr<const Source> source_;
    Limits limits_;
    std::shared_ptr<const Source> tar_;           // plain
    std::shared_ptr<const PackedFrames> frames_;  // the same, if it is unpacked frame by frame; else null
    std::vector<BundledFile> files_;
    std::vector<Member> members_;  // where they are in tar_, by number
    std::map<std::string_view, std::size_t> by_name_;
    BundleFacts facts_;
    std::vector<Error> problems_;
    std::unique_ptr<Late> late_;
};

// open_recording(path, options) is Recording::open(), and opens bundles as well: Recording::bundle() then has the rest
// of it. Errors: also those of Bundle::open().
PERFDATA_EXPORT Result<Recording> open_recording(const std::string& path, const OpenOptions& options = {});
// open_recording(source, name, options) is Recording::from_source() in the same way.
PERFDATA_EXPORT Result<Recording> open_recording(Shared<const Source> source, std::string name,
                                                 const OpenOptions& options = {});

}  // namespace perfdata
