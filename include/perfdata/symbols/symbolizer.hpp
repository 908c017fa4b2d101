// SPDX-License-Identifier: MIT
// Names, bytes and lines of any code: the facade of all sources of code.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/symbols/code_image.hpp"
#include "perfdata/symbols/code_place.hpp"
#include "perfdata/symbols/compiled_line.hpp"
#include "perfdata/symbols/frame_name.hpp"
#include "perfdata/symbols/known_target.hpp"
#include "perfdata/symbols/missing_debug_file.hpp"
#include "perfdata/symbols/source_line.hpp"
#include "perfdata/symbols/symbol_miss.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/function_index.hpp"

namespace perfdata {

class BpfPrograms;
class CodeAnswers;
class ElfFile;
class JitCodes;
class KernelNames;
class Recording;
struct FoundObject;
struct KernelText;
struct RecordedKernel;
struct RecordedObject;

// Symbolizer answers for one recording and its timeline, which must outlive it. What it loaded stays loaded: views and
// pointers live as long as it, even if it is moved. Const use from many threads is safe. Callbacks (progress, stop
// tokens, file systems) may use it, too, on their own thread: what the call around them is just reading is the error
// `busy`, or has no name, for SymbolMiss::busy. functions() throws Reentered then, which catch_bad_alloc() makes that
// error. Other threads wait for the call around, so that a callback must not wait for them.
//
// Each kind of code has its source:
// - BPF programs: the recording, which does not say when perf read them from the kernel. JIT code: its jitdump.
// - The kernel and its modules: names from kallsyms or vmlinux, bytes from a kcore. This is the one given, that of the
//   recording's directory (perf record --kcore), or /proc/kcore of this machine if its /proc/kallsyms was proven to be
//   of the recorded boot. Without a kcore the bytes are those of vmlinux and the modules' files. These do not have what
//   the kernel patched when it booted, and the image says so.
// - Out-of-line code (kprobe slots, ftrace trampolines): the TEXT_POKE records that wrote it.
// - Mapped files: a file that is proven to be the recorded one, or that the options allow.
// - All code of a profile file (Recording::stored()): that file alone. It has the answers that whoever made it got, of
//   the code that was sampled, of its callers, and of nothing else. Options have no effect.
// No source says when its bytes were read. TEXT_POKE records say what each changed place had before and after each
// change. The source must have one of these states there, or the image has a problem.
class PERFDATA_EXPORT Symbolizer {
  public:
    // Always succeeds: problems() says what is missing and what would supply it. Opens a buildid_dir that is a file as
    // ArchivedFiles. Throws nothing but bad_alloc, and Reentered in a callback of what is reading the same.
    static Symbolizer open(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options = {});
    // Reads into options.cache the symbols of files whose build-ids the recording's header has, the kernel's first,
    // which most Symbolizers want: on another thread while the timeline is built, with the options for open(). It ends
    // early if options.stop says so. Nothing depends on it but the time that prepare() takes. Without a cache, and of
    // bundles and profile files, it reads nothing.
    static void read_ahead(const Recording& recording, const SymbolizerOptions& options) noexcept;
    ~Symbolizer();
    Symbolizer(Symbolizer&&) noexcept;
    Symbolizer& operator=(Symbolizer&&) noexcept;

    const Timeline& timeline() const;  // that it was opened for
    const JitCodes& jit() const;       // code of its jitdumps
    // Returns the BPF programs of the recording.
    const BpfPrograms& bpf() const;
    // Returns the functions, for counting.
    const FunctionIndex& functions() const;
    // Returns the versions of code that the kernel changed.
    const CodeVersions& versions() const;

    FrameName name(const Frame& frame) const;  // name, object and kind of the code at a frame
    // Returns why a frame has no symbol.
    Unnamed why_unnamed(const Frame& frame) const;
    // Returns the first byte of the function at the frame; the frame itself if it has no name.
    Frame function(const Frame& frame) const;
    // Returns the whole function at the frame; size 0 if it has no name.
    FunctionExtent extent(const Frame& frame) const;

    // Returns the code as it was in that version. Errors: missing (with what would supply it), malformed, io, limit.
    Result<CodeImage> image(const CodeVersion& version) const;

    // Returns true for a profile file: target() answers. Of other recordings, timeline and functions do.
    bool keeps_targets() const;
    // Returns what lies at an address outside of that code, which an instruction of it names; nothing if it has no
    // name.
    std::optional<KnownTarget> target(const CodeVersion& version, Address address, TargetUse use) const;

    // Returns the lines of a function by offset from its start; empty if nothing is known. `size`: bytes of the
    // function that are of interest. Errors: malformed, unsupported, io, limit.
    Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) const;
    // Returns the lines of `size` bytes of a mapped file, by offset from the frame, as compilers count them; empty if
    // nothing is known, and for other code. Errors: as lines().
    Result<std::vector<CompiledLine>> compiled_lines(const Frame& function, std::uint64_t size) const;
    // Returns what the lines are read from.
    LinesOrigin lines_origin(const Frame& function) const;
    // Returns what reading the lines shares with other functions; null: nothing. Names of debug information, ranges and
    // damage are counted over all functions that share it: copies of a program at several paths, programs with one
    // debug file, or one file of dwz. For the same answers in each run, ask for functions with equal ones in the same
    // order. Errors: cancelled.
    Result<const void*> lines_shared(const Frame& function, const Watch& watch = {}) const;
    // Returns lines() without the text of source files. All of these share one limit, whatever code they are of: so
    // that the same ones are left out in each run, ask for them in the same order by with_texts(), or by lines().
    Result<std::vector<LineStart>> lines_without_texts(const Frame& function, std::uint64_t size) const;
    // Returns lines of a function with their texts.
    std::vector<LineStart> with_texts(const Frame& function, std::vector<LineStart> lines) const;
    // Returns how many bytes lines() reads for this function alone; 0 if functions share them.
    std::uint64_t lines_size(const Frame& function) const;
    // Returns where the bytes of a function come from.
    CodePlace place(const CodeVersion& version) const;
    // Returns what is missing from lines that lines() returned: file names damaged in a jitdump, names of inlined calls
    // in a file that was not found, lines without an address.
    std::optional<Error> lines_problem(const Frame& function, std::span<const LineStart> lines) const;
    // Returns true if an error of lines() or lines_problem() means damaged data, or a limit. Data missing from the
    // recording is no loss, nor is debug information that this library was built without.
    bool is_line_loss(const Frame& function, const Error& error) const;
    // Returns why lines() found no text in a source file that a function has lines of. `file`: see SourceLine.
    TextMiss text_miss(const Frame& function, std::string_view file) const;
    // Reports how many source files lines() left out so far, because together they exceed Limits::source_file_bytes.
    std::optional<Error> text_problem() const;

    // Returns the file of a mapped object: one that is proven to be the recorded one, or that the options allow. In a
    // profile file it is a path alone.
    std::expected<const FoundObject*, SymbolMiss> file(ObjectIndex object) const;
    // Returns the files that its code, symbols, lines, inlined calls and unwind information were read from so far,
    // which live as long as this.
    std::vector<const ElfFile*> files_read(ObjectIndex object) const;
    // Returns the virtual address that the file wants for the byte at an offset in it; nothing if there is no file, or
    // if none of its segments has the byte.
    std::optional<std::uint64_t> file_address(ObjectIndex object, std::uint64_t offset) const;
    // Returns what the recording says about that file.
    const RecordedObject& recorded_object(ObjectIndex object) const;
    // Returns what that file says of a separate debug file that is not here; nothing if it says nothing, if the debug
    // file is here, or if there is no file.
    std::optional<MissingDebugFile> missing_debug(ObjectIndex object) const;
    // Returns true if the recording has a build-id of any file that ran.
    bool has_build_ids() const;
    // Loads the files with recorded build-ids on that many threads: perf records build-ids of files with samples. Other
    // files are loaded when a name in them is needed, and so are those that are left when `stop` says so.
    // progress(files, all) is called on these threads, one at a time.
    void prepare(unsigned jobs, const StopToken& stop = {}, const Progress& progress = {}) const;
    // Reads the file behind a frame, as far as the other members need it for what will be asked. They do so themselves,
    // but cannot be stopped then: one large file with debug information may take seconds. Errors: cancelled. What was
    // half read is not kept.
    Result<void> load(const Frame& frame, CodeDetail detail, const Watch& watch) const;
    // Returns the kernel and the loaded files that have a function of that name, as FrameName::object.
    // Once `stop` says so, it returns those that it has: demangling all names of many files takes long.
    std::vector<std::string> objects_with(std::string_view name, const StopToken& stop = {}) const;

    // Returns the kernel's names; null if there are none, or if only those in a profile file are known.
    const KernelNames* kernel() const;
    // Returns true if there are names of the kernel, in a profile file too.
    bool has_kernel_names() const;
    const RecordedKernel& recorded_kernel() const;
    // Finds the ELF file of the recorded kernel: see KernelNames::find_text().
    Result<KernelText> kernel_text(const Watch& watch = {}) const;

    // Returns what could not be loaded, and what would supply it.
    const std::vector<Error>& problems() const;
    // Returns the one of problems() that matters only if kernel code has no name: the user gave no file with names, and
    // none was found. Null if there is none.
    const Error* kernel_problem() const;
    // Returns what is wrong with the kcore that the user gave.
    const std::vector<Error>& image_problems() const;
    // Returns why inlined calls that functions() was asked for are missing: of each file one of each kind of error,
    // sorted by file. Those for which is_line_loss(error.code) is true are also in losses().
    std::vector<Error> inlined_problems() const;
    // Returns what was found but could not be read: packed files that end early, damaged records of jitdumps, lines of
    // perf maps, symbols and inlined calls of the files used so far. None of these is in problems().
    DiagnosticLog losses() const;

  private:
    explicit Symbolizer(Shared<const CodeAnswers> answers);

    Shared<const CodeAnswers> answers_;
};

}  // namespace perfdata
