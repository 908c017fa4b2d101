// SPDX-License-Identifier: MIT
// Reads source files that may be handed on to others.
//
// Programs name any file as their source, and who may change a directory makes any name lead anywhere. Whoever packs
// the text of sources for others, as root for example, would hand out files that only root may read. So by itself only
// what everybody may read is handed on, and what this user's own programs name. docs/collect.md has the rules.
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
    const Limits& limits;
    // Why no program may name a file that not everybody may read, in words; empty: this user's own programs may.
    std::string_view why_no_private{};
    bool owner_only = false;  // those programs may also name files with a mode for their owner alone, such as keys
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
        "source files that not everybody may read: --source-dir DIR takes them";

    // Returns which file was the first that is untrusted, and why; empty: none was.
    const std::string& example() const { return example_; }

  private:
    // Found is where a text is. `given`: in a directory that the user gave for that. `inside` is then the same name,
    // which no link leads out of that directory. `packed`: in the bundle.
    struct Found {
        FileName name;
        bool given = false, packed = false;
        FileName inside{};
    };
    using Opening = Result<std::shared_ptr<const Source>>;

    FileName resolved(const FileName& name) const;
    bool was_read(const FileName& name) const;
    std::optional<Found> find(std::string_view recorded) const;
    Result<std::string> why_not_own(std::uint32_t object) const;
    Opening open_given(const Found& found, const Limits& limits, NamedFileOptions how) const;
    Opening open(const Found& found, const NamedBy& by, const Limits& limits);

    SourceReader reader_;
    std::map<std::uint32_t, std::string> not_own_;  // by object: why its program is not this user's own, or empty
    std::string example_;
    bool private_takes_one_ = false;  // --private would take one that was refused
};

}  // namespace perfdata
