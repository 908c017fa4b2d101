// SPDX-License-Identifier: MIT
// Reads source files on behalf of the programs that name them.
//
// Programs name any file as their source, and who may change a directory makes any name lead anywhere. Whoever packs
// the text of sources for others, as root for example, would hand out files that only root may read. docs/collect.md
// has the rules.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "traced_files.hpp"

namespace perfdata {

// SourceReader is who reads, and what with. All that it refers to must outlive what is made of it.
struct SourceReader {
    const Symbolizer& symbolizer;
    const SymbolizerOptions& options;     // of the symbolizer; of a bundle: with Bundle::apply()
    const FileSystem& files;              // of these options
    const TracedFiles* traced = nullptr;  // the same files, if they note what is opened; else null
    // Root directories of processes that have another one, by pid; null: files are found in none of them.
    const std::map<std::uint32_t, std::string>* roots = nullptr;
    const Limits& limits;
    std::uint32_t user;  // programs of that user may name any file as their source
    Watch watch = {};
};

// SourceText is what became of one name.
struct SourceText {
    bool found = false;           // false: no file was read by that name; the code itself has the text
    std::string_view left_out{};  // why the text must not be used, in words, which are the same for many files
    std::string text{};           // whole, if nothing is left out
    std::string from{};           // where the file is on this machine, as told to users
};

// naming_object(function) returns the object whose lines a function has, by ObjectIndex; nothing: it is other code.
inline std::optional<std::uint32_t> naming_object(const Frame& function) {
    const bool mapped = function.kind == FrameKind::object || function.kind == FrameKind::inlined;
    return mapped ? std::optional<std::uint32_t>(function.index) : std::nullopt;
}

// TrustedSources reads each file that it is asked for. What it keeps grows with the objects that name files.
class TrustedSources {
  public:
    // NamedBy is what names a file: see naming_object().
    using NamedBy = std::set<std::optional<std::uint32_t>>;

    explicit TrustedSources(const SourceReader& reader) : reader_(reader) {}

    // Looks where SourceFiles looks, in the same order, and reads at most `room` bytes. Errors: cancelled.
    Result<SourceText> read(std::string_view recorded, const NamedBy& by, std::uint64_t room);

    // What is said of a file whose text differs from what was shown of it.
    static constexpr std::string_view unreadable =
        "source files that cannot be read any more, or together are too large";
    static constexpr std::string_view untrusted =
        "source files that the owner of the program may not read, or that others may have put there (who owns what is "
        "not proven with nosuid, FUSE and networks): --source-dir DIR takes them";

  private:
    // Found is where a text is. `given`: in a directory that the user gave for that. `inside` is then the same name,
    // which no link leads out of that directory. `packed`: in the bundle.
    struct Found {
        FileName name;
        bool given = false, packed = false;
        FileName inside{};
    };
    using Owner = std::optional<std::uint32_t>;  // number of a user; nothing: nobody
    using Opening = Result<std::shared_ptr<const Source>>;

    FileName resolved(const FileName& name) const;
    bool was_read(const FileName& name) const;
    std::optional<Found> find(std::string_view recorded) const;
    Result<Owner> owner_of(std::uint32_t object);
    Result<Owner> find_owner(std::uint32_t object) const;
    bool is_of_this_root(const FoundObject& used) const;
    Result<std::vector<std::uint32_t>> processes_of(const std::string& root, const NamedBy& by);
    Result<bool> has_mapped(const std::string& root, std::uint32_t object) const;
    Opening open_in_root(const FileName& there, const NamedBy& by, const Limits& limits, NamedFileOptions how);
    Opening open_given(const Found& found, const Limits& limits, NamedFileOptions how) const;
    Opening open(const Found& found, const NamedBy& by, const Limits& limits);

    SourceReader reader_;
    std::map<std::uint32_t, Owner> owners_;  // by object
    // Pids in SourceReader::roots with the objects that they mapped, once one was asked for: at most one per mapping.
    std::optional<std::set<std::pair<std::uint32_t, std::uint32_t>>> mapped_;
    // Whether the program that has the lines of an object is the one at its path below a root.
    std::map<std::pair<std::string, std::uint32_t>, bool> in_roots_;
};

}  // namespace perfdata
