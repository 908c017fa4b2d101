// SPDX-License-Identifier: MIT
// What places in code are called, whatever kind of code it is.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/symbols/jit/perf_map.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

enum class CodeClass : std::uint8_t { unknown, kernel, module, bpf, out_of_line, user, jit };

std::string_view to_string(CodeClass code);

// FrameName: views live as long as the Names.
struct FrameName {
    std::string_view symbol;   // empty: not known. Of BPF code the kernel's name for it: bpf_prog_<tag>_<name>
    std::uint64_t offset = 0;  // of the frame from the start of the symbol; without symbol: in the object
    std::string_view object;   // perf's "dso": a path, [kernel.kallsyms], [nf_nat], [vdso]; empty: not known
    CodeClass kind = CodeClass::unknown;
    // Of a user-space or module frame without symbol: why. Of others it is SymbolMiss::between_symbols.
    SymbolMiss miss = SymbolMiss::between_symbols;
};

// FunctionExtent is where a function begins, and how long it is.
struct FunctionExtent {
    Frame begin;             // as from Names::function()
    std::uint64_t size = 0;  // bytes, up to the next symbol where the table of names has no sizes; 0: not known
    // address is where `begin` lay, for what lies at one address for everybody (see CodeVersion::address).
    std::optional<Address> address;
};

struct NameOptions {
    FinderOptions finder;
    JitSearch jit;  // where jitdump files and perf maps may be; its `given` are --jitdump and --perf-map files
    bool perf_maps = true;
    Progress progress = {};                        // of unpacking a build-id cache, the one step that may take long
    std::shared_ptr<const FileSystem> files = {};  // null: the machine's, as far as `finder` allows
};

// Names knows all names of one timeline, which must outlive it. Loaded files stay loaded. Const use from many threads
// is safe.
class Names {
  public:
    // load(recording, timeline): nothing that is missing is an error; problems() says what would be needed. A
    // buildid_dir that is a file is opened as ArchivedFiles.
    static Names load(const Recording& recording, const Timeline& timeline, const NameOptions& options = {});
    Names(Names&&) noexcept;
    Names& operator=(Names&&) noexcept;
    ~Names();

    const Timeline& timeline() const { return *timeline_; }
    const JitCodes& jit() const { return jit_; }
    // has_build_ids() is whether the recording has a build id of any file that ran.
    bool has_build_ids() const { return has_build_ids_; }

    FrameName name(const Frame& frame) const;
    // function(frame) is the first byte of the function that the frame is in; the frame itself where it has no name.
    Frame function(const Frame& frame) const;

    // extent(frame) is all of that function. Where the frame has no name, size is 0.
    FunctionExtent extent(const Frame& frame) const;

    // file(object) is the file that stands behind a mapped object: one that is proven to be the recorded one, or that
    // the options allow. It lives as long as the names.
    std::expected<const FoundObject*, SymbolMiss> file(ObjectIndex object) const;
    // file_address(frame) is the address that the file gives a byte of a mapped object, for ElfFile::read().
    std::expected<std::uint64_t, SymbolMiss> file_address(const Frame& frame) const;
    // kernel_text() looks for the ELF file of the recorded kernel, as KernelNames::find_text() says.
    Result<KernelText> kernel_text() const { return KernelNames::find_text(recorded_kernel_, *finder_); }
    const RecordedKernel& recorded_kernel() const { return recorded_kernel_; }

    // prepare(jobs) loads, several at a time, the files that the recording has build ids of: perf notes those of files
    // that samples fell into. Others are loaded when a name of theirs is asked for.
    void prepare(unsigned jobs) const;

    // files() is where names of files are from; file_index(object) is the place of a mapped object in it.
    const ObjectSymbols& files() const { return *files_; }
    FileIndex file_index(ObjectIndex object) const { return file_of_[object]; }

    // objects_with(name) is the kernel and the loaded files that have a function of that name, as FrameName::object.
    std::vector<std::string> objects_with(std::string_view name) const;

    // kernel() is where the kernel's names are from, null if there are none.
    const KernelNames* kernel() const { return kernel_ ? &*kernel_ : nullptr; }
    // problems() is what could not be loaded, with what would supply it.
    const std::vector<Error>& problems() const { return problems_; }
    // losses() is what is in files that were found, and could not be read: packed files that break off, damaged records
    // of jitdumps, lines of perf maps, symbols of files that were asked for so far. It is none of problems().
    DiagnosticLog losses() const;
    // kernel_problem() is the one of problems() that matters only where code of the kernel is to be named: the user
    // gave no file for it, and none was found; null if there is none.
    const Error* kernel_problem() const { return kernel_problem_ ? &problems_[*kernel_problem_] : nullptr; }

  private:
    explicit Names(const Timeline& timeline) : timeline_(&timeline) {}

    // What name() and function() both need.
    struct Found {
        FrameName name;
        Frame function;
        std::uint64_t size = 0;
        std::optional<Address> address;
    };
    Found find(const Frame& frame) const;
    void find_code(const Frame& frame, Found& found) const;
    void find_object(const Frame& frame, Found& found) const;
    void find_in_kernel(Address address, const Frame& frame, Found& found) const;
    void find_in_file(const Frame& frame, Found& found) const;
    void find_memory(const Frame& frame, Found& found) const;
    void load_kernel(const Recording& recording, const ObjectFinder& finder);
    void load_objects(const ObjectFinder& finder);
    void load_jit(const Recording& recording, const NameOptions& options);
    void load_perf_maps(const Recording& recording, const NameOptions& options);
    void tell(Error error);
    void tell(const JitCode& code);

    const Timeline* timeline_;
    RecordedKernel recorded_kernel_;
    std::unique_ptr<const ObjectFinder> finder_;
    std::optional<KernelNames> kernel_;
    std::unique_ptr<ObjectSymbols> files_;
    std::vector<FileIndex> file_of_;          // by ObjectIndex
    std::vector<std::string> object_names_;   // by ObjectIndex: as perf shows them
    std::vector<std::uint64_t> module_base_;  // by ObjectIndex: what to add to an offset to have the address
    bool has_build_ids_ = false;
    JitCodes jit_;
    std::map<std::uint32_t, std::shared_ptr<const PerfMap>> perf_maps_;  // by pid
    std::map<std::uint32_t, std::string> memory_names_;                  // by pid: "/tmp/perf-PID.map"
    std::vector<Error> problems_;
    DiagnosticLog losses_;
    std::optional<std::size_t> kernel_problem_;  // index in problems_
};

}  // namespace perfdata
