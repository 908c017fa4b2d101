// SPDX-License-Identifier: MIT
// Names of the kernel and its modules, from files proven to belong to the recorded kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/kernel/kallsyms.hpp"

namespace perfdata {

// RecordedKernel identifies the recorded kernel: from the MMAP record "[kernel.kallsyms]_text" and the build-id of
// "[kernel.kallsyms]".
struct RecordedKernel {
    std::string reference_symbol;  // "_text" or "_stext"; empty: not recorded
    Address reference_address;     // 0: hidden from the recorder
    BuildId build_id;              // size 0: not recorded
    std::string os_release;        // names the vmlinux files of debug packages; may be empty
    // Module is a module that was loaded.
    struct Module {
        std::string name;    // as the kernel has it: "nf_nat"
        AddressRange range;  // of its text, as recorded
    };
    std::vector<Module> modules;  // by the time of their records
};

// no_kernel_names is the reason for unnamed kernel code if no names were found (see Unnamed).
inline constexpr std::string_view no_kernel_names = "there are no names of the recorded kernel";
// no_kernel_build_id is the same if the names of the running kernel would be taken with `allow_local`.
inline constexpr std::string_view no_kernel_build_id =
    "the recording has no build id of its kernel that would prove the names of this machine's";

// recorded_kernel_path is what recordings, and indexes of bundles, call the kernel.
inline constexpr std::string_view recorded_kernel_path = "[kernel.kallsyms]";

// KernelName is a place in a function of the kernel or of a module.
struct KernelName {
    std::string_view name;     // not demangled; lives as long as the KernelNames
    std::string_view module;   // empty for the kernel itself
    std::uint64_t offset = 0;  // from the start of the function
    Address function;          // its address on the recording machine
    std::uint64_t size = 0;    // bytes; with kallsyms up to the next function (see Kallsyms::find())
};

// KernelText is the kernel's ELF file.
struct KernelText {
    std::string path;                     // where it was found, for messages
    std::shared_ptr<const ElfFile> file;  // never null
    std::uint64_t relocation = 0;         // address on the recording machine less address in the file
    std::string root{};                   // see FoundObject::root
};

// KernelNames is const after loading and may be read from many threads; names live as long as it.
class PERFDATA_EXPORT KernelNames {
  public:
    // Takes the first of these files that agrees with the recording:
    // 1. options.kallsyms, then options.vmlinux;
    // 2. kcore_dir/kallsyms of the recording;
    // 3. unless offline, /proc/kallsyms of this machine, if /sys/kernel/notes and the address of the reference symbol
    //    prove the same boot. Without a recorded build-id options.allow_local replaces the notes. The kernel takes long
    //    to write that file, so a copy in the caches is preferred if it has the kernel and the recorded modules at the
    //    same addresses;
    // 4. kallsyms by build-id in the caches;
    // 5. vmlinux by build-id in the caches and debug directories.
    // Errors: if the user gave a file, why it was rejected (mismatch: it contradicts the recording); else missing; or
    // cancelled.
    static Result<KernelNames> load(const RecordedKernel& kernel, const ObjectFinder& finder, const Watch& watch = {});

    // Reads into the finder's store the copy of kallsyms that load() most likely takes for a kernel of that build-id:
    // the first in the caches. Reads nothing where it would take another file.
    static void read_ahead(const BuildId& build_id, const ObjectFinder& finder);

    // Returns true if `allow_local` alone may be what the names lack, here or where the bundle was made.
    static bool lack_only_trust(const RecordedKernel& kernel, const ObjectFinder& finder);

    // Returns options.vmlinux, or the vmlinux of the recorded build-id in the caches and debug directories. Errors: as
    // load().
    static Result<KernelText> find_text(const RecordedKernel& kernel, const ObjectFinder& finder,
                                        const Watch& watch = {});

    // Returns the function at an address of the recording machine; nothing if none is known there.
    std::optional<KernelName> find(Address address) const;

    // Returns true if the kernel itself, without its modules, has a function of that name.
    bool has_function(std::string_view name) const;

    // Returns the path of the file with the names.
    const std::string& origin() const { return origin_; }
    // Returns why that file has fewer names than it should: packed data that ends early, for example.
    const std::optional<Error>& damage() const { return damage_; }
    // Returns true if the names are those of the kernel now running on this machine, in the recorded boot.
    bool running() const { return running_; }
    // Returns the table; null if the names are from a vmlinux, or from another boot of the same kernel.
    const Kallsyms* kallsyms() const { return kallsyms_ && !only_kernel_ ? kallsyms_.get() : nullptr; }
    // Returns addresses on the recording machine less addresses in the file. A kallsyms file of another boot of the
    // same kernel (same build-id) names the kernel, but not its modules: those move independently.
    std::uint64_t relocation() const { return relocation_; }

  private:
    struct Loader;

    std::string origin_;
    std::optional<Error> damage_;
    std::uint64_t relocation_ = 0;
    bool running_ = false;
    bool only_kernel_ = false;                  // the file is from another boot: modules lay elsewhere
    std::shared_ptr<const Kallsyms> kallsyms_;  // null: none
    std::optional<ElfSymbols> vmlinux_;
};

}  // namespace perfdata
