// SPDX-License-Identifier: MIT
// Names, bytes and lines of any code: the facade of all sources of code.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/symbols/code_image.hpp"
#include "perfdata/symbols/code_place.hpp"
#include "perfdata/symbols/frame_name.hpp"
#include "perfdata/symbols/source_line.hpp"
#include "perfdata/symbols/symbol_miss.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/function_index.hpp"

namespace perfdata {

class BpfPrograms;
class CodeSources;
class JitCodes;
class KernelNames;
class Recording;
struct FoundObject;
struct KernelText;
struct RecordedKernel;
struct RecordedObject;

// Symbolizer answers for one recording and its timeline, which must outlive it. What it loaded stays loaded; views and
// pointers live as long as it, also when it is moved. Const use from many threads is safe.
//
// Each source of code answers for its own frames:
// - BPF programs from the recording; it is not known when perf asked the kernel for them. JIT code from its jitdump;
// - the kernel and its modules by kallsyms or vmlinux; their bytes from a kcore: the one given, that of the recording's
//   directory (perf record --kcore), or /proc/kcore of this machine if its /proc/kallsyms was proven to be of the
//   recorded boot; else from vmlinux and the modules' files, which lack what the kernel patched when it booted, and the
//   image says so;
// - out-of-line code (kprobe slots, ftrace trampolines) from the TEXT_POKE records that laid it there;
// - mapped files from a file that is proven to be the recorded one, or that the options allow.
// No source says when its bytes were taken. Places in TEXT_POKE records are as those say, before and after each of
// them; but what the source has there must be what was there at some time between them, or the image has a problem.
class Symbolizer {
  public:
    // Nothing that is missing is an error: problems() says what would be needed. A buildid_dir that is a file is opened
    // as ArchivedFiles. Throws bad_alloc and nothing else.
    static Symbolizer open(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options = {});
    ~Symbolizer();
    Symbolizer(Symbolizer&&) noexcept;
    Symbolizer& operator=(Symbolizer&&) noexcept;

    const Timeline& timeline() const;
    const JitCodes& jit() const;
    // Returns what the recording holds of BPF programs.
    const BpfPrograms& bpf() const;
    // Returns the functions as counting needs them.
    const FunctionIndex& functions() const;
    // Returns the versions of code that the kernel changed.
    const CodeVersions& versions() const;

    FrameName name(const Frame& frame) const;
    // Says why a frame has no symbol.
    Unnamed why_unnamed(const Frame& frame) const;
    // Returns the first byte of the function that the frame is in; the frame itself where it has no name.
    Frame function(const Frame& frame) const;
    // Returns all of that function. Where the frame has no name, size is 0.
    FunctionExtent extent(const Frame& frame) const;

    // Returns the code as it was in that version. Errors: missing (with what would supply it), malformed, io, limit.
    Result<CodeImage> image(const CodeVersion& version) const;

    // Returns the lines of a function by offset from its start; none if nothing is known of them. `size` is how many
    // bytes of it are of interest. Errors: malformed, unsupported, io, limit.
    Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) const;
    // Says what the lines are read from. What is read of one file is bounded over all calls of lines(): ask for
    // functions with the same LinesOrigin::from in the same order for the same answers in each run.
    LinesOrigin lines_origin(const Frame& function) const;
    // Returns how many bytes lines() reads for this function alone; 0 where functions share what is read.
    std::uint64_t lines_size(const Frame& function) const;
    // Says where the bytes of a function are kept.
    CodePlace place(const CodeVersion& version) const;
    // Says what those lines, which lines() gave, lack: names of files that are damaged in a jitdump, names of inlined
    // calls that are in a file which is not here, lines without an address.
    std::optional<Error> lines_problem(const Frame& function, std::span<const LineStart> lines) const;
    // Returns true if that error of lines() or lines_problem() means something that is there and damaged, or beyond a
    // limit. What the recording lacks is no loss, nor is debug information that this library was built without.
    bool is_line_loss(const Frame& function, const Error& error) const;
    // Says how much text of source files lines() left out so far, because it may take too much.
    std::optional<Error> text_problem() const;

    // Returns the file that stands behind a mapped object: one that is proven to be the recorded one, or that the
    // options allow.
    std::expected<const FoundObject*, SymbolMiss> file(ObjectIndex object) const;
    // Returns what the recording says of that file.
    const RecordedObject& recorded_object(ObjectIndex object) const;
    // Returns true if the recording has a build id of any file that ran.
    bool has_build_ids() const;
    // Loads files on that many threads: those that the recording has build ids of, as perf notes those of files that
    // samples fell into. Others are loaded when a name of theirs is asked for.
    void prepare(unsigned jobs) const;
    // Returns the kernel and the loaded files that have a function of that name, as FrameName::object.
    std::vector<std::string> objects_with(std::string_view name) const;

    // Returns where the kernel's names are from, null if there are none.
    const KernelNames* kernel() const;
    const RecordedKernel& recorded_kernel() const;
    // Looks for the ELF file of the recorded kernel, as KernelNames::find_text() says.
    Result<KernelText> kernel_text() const;

    // Returns what could not be loaded, with what would supply it.
    const std::vector<Error>& problems() const;
    // Returns the one of problems() that matters only where code of the kernel has no name: the user gave no file for
    // it, and none was found. Null if there is none.
    const Error* kernel_problem() const;
    // Returns what is wrong with the kcore that the user gave.
    const std::vector<Error>& image_problems() const;
    // Returns what is in files that were found, and could not be read: packed files that break off, damaged records of
    // jitdumps, lines of perf maps, symbols of files that were asked for so far. None of these is in problems().
    DiagnosticLog losses() const;

  private:
    explicit Symbolizer(std::unique_ptr<const CodeSources> sources);

    std::unique_ptr<const CodeSources> sources_;
};

}  // namespace perfdata
