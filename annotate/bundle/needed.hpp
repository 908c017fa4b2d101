// SPDX-License-Identifier: MIT
// The files that a recording needs to be shown on another machine.
//
// What is needed is found by doing the work: counting samples with their chains, naming them, listing functions with
// their code and lines, on files that are traced (TracedFiles). What reports, listings and exports open is then in the
// trace, whatever the rules are by which they look for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/shared.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "bundle_writer.hpp"
#include "needed_users.hpp"
#include "traced_files.hpp"
#include "trimmed_object.hpp"

namespace perfdata {

// NeededFile is a file that goes into a bundle.
struct NeededFile {
    BundleMember member{};  // its path: as reports here show it
    std::shared_ptr<const Source> content{};
    std::shared_ptr<const Source> read_from{};  // the file as it was opened, if the content is made of it
    std::string from{};                         // where it is on this machine, as told to users
    NeededBy by{};
    std::string recorded{};  // the path by which it is found in a bundle; empty: it is found in another way
    std::string root{};      // goes before that path: what process_root() says if it is of one process alone
};

// NeededMissing is a file that is needed and not here.
struct NeededMissing {
    std::string kind;      // as BundleMember::kind
    std::string path;      // as recorded
    std::string build_id;  // hexadecimal; empty: not recorded
    std::string why;       // as MissingFile::why
    std::string text;      // the reason as a clause
    std::string remedy;    // what would supply it; may be empty
    NeededBy by;
    bool is_private = false;  // it is here, but not everybody may read it
};

// NeededLeftOut is what is here and does not go into the bundle.
struct NeededLeftOut {
    static constexpr std::size_t most_examples = 10;

    std::string what;                   // see left_out_text()
    std::uint64_t number = 0;           // of it
    std::vector<std::string> examples;  // the first ones: which files, or whose
};

// NeededOptions is what goes into a bundle besides what names need.
struct NeededOptions {
    DebugDetail debug = DebugDetail::lines;
    bool sources = false;  // source files that lines of sampled functions refer to
    bool vmlinux = false;  // the kernel's ELF file, where one is here
    // The files of a recording's directory are packed with it. False: those that are needed are packed as others are.
    bool recording_as_a_whole = true;
    std::string_view why_no_private = "nobody says whose programs may";  // see SourceReader
    bool owner_only = false;                                             // see SourceReader
    unsigned jobs = 1;                                                   // threads
    Watch watch = {};
};

// Needed is what was found. Contents stay open: files that change or vanish meanwhile do not matter.
struct Needed {
    std::vector<NeededFile> files;        // after finish(): in the order of their names inside
    std::vector<NeededMissing> missing;   // most samples first
    std::vector<NeededLeftOut> left_out;  // after finish(): in the order of the words
    std::string example;                  // a source file that was refused, and why; empty: none was
    std::uint64_t sources_outside = 0;    // source files that were asked for and stay out

    // Adds a file unless one of that name is there, or its name cannot be in a bundle. Returns false then.
    bool add(NeededFile file);
    // Counts something that is left out. `of` is an example: which file, or whose; it may be empty.
    void leave_out(std::string_view what, std::uint64_t number = 1, std::string_view of = {});
    // Sorts everything.
    void finish();

  private:
    // In files, by the name inside. A bundle may have 2^18 of them, in any order.
    std::map<std::string, std::size_t, std::less<>> places_;
};

// NeededFrom is where needed files come from: a symbolizer on traced files. All must outlive it.
struct NeededFrom {
    const Recording& recording;
    const Symbolizer& symbolizer;
    const SymbolizerOptions& options;  // of the symbolizer
    const TracedFiles& files;          // of the options
    // Root directories of processes that have another one, by pid.
    const std::map<std::uint32_t, std::string>& roots;
};

// Does the work of reports, listings and exports, and finds what that needed. Errors: cancelled, out_of_memory, io.
Result<Needed> find_needed(const NeededFrom& from, const NeededOptions& options);

}  // namespace perfdata
