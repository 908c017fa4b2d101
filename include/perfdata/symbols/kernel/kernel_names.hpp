// SPDX-License-Identifier: MIT
// Names of the kernel's own code and its modules', from whatever is proven to be of the kernel that was recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/kernel/kallsyms.hpp"

namespace perfdata {

// RecordedKernel is what a recording says of its kernel: the MMAP record "[kernel.kallsyms]_text" and the build id of
// "[kernel.kallsyms]".
struct RecordedKernel {
    std::string reference_symbol;  // "_text" or "_stext"; empty: not recorded
    Address reference_address;     // 0: hidden from the recorder
    BuildId build_id;              // size 0: not recorded
    std::string os_release;        // names the vmlinux files of debug packages; may be empty
    // modules is what was loaded, by name.
    struct Module {
        std::string name;
        AddressRange range;
    };
    std::vector<Module> modules;
};

// no_kernel_names is the reason of what has no name for want of them (see Unnamed).
inline constexpr std::string_view no_kernel_names = "there are no names of the recorded kernel";

struct KernelName {
    std::string_view name;
    std::string_view module;   // empty for the kernel itself
    std::uint64_t offset = 0;  // from the start of the function
    Address function;          // where it began on the recording machine
    std::uint64_t size = 0;    // of the function; with kallsyms up to the next one (see Kallsyms::find())
};

// KernelText is the kernel's ELF file.
struct KernelText {
    std::string path;
    std::shared_ptr<const ElfFile> file;
    std::uint64_t relocation = 0;  // what to add to an address of the file to have the recording machine's
    std::string root{};            // see FoundObject::root
};

// KernelNames is const after loading and may be read from many threads; names live as long as it.
class KernelNames {
  public:
    // load(kernel, finder) takes the first that agrees with the recording of: options.kallsyms, options.vmlinux, the
    // recording's kcore_dir/kallsyms; not when offline, the machine's own /proc/kallsyms if /sys/kernel/notes and the
    // place of the reference symbol prove it to be the same boot (or a copy of it in the caches that has the kernel and
    // the recorded modules at the same places: the kernel takes long to write that file); kallsyms by build id in the
    // caches, vmlinux by build id in the caches and debug directories. Errors: if the user gave a file, why it was not
    // taken (mismatch: it contradicts the recording); else missing.
    static Result<KernelNames> load(const RecordedKernel& kernel, const ObjectFinder& finder);

    // find_text(kernel, finder) is options.vmlinux, or the vmlinux of the recorded build id in the caches and debug
    // directories. Errors as of load().
    static Result<KernelText> find_text(const RecordedKernel& kernel, const ObjectFinder& finder);

    std::optional<KernelName> find(Address address) const;

    // has_function(name) is whether the kernel itself has a function of that name.
    bool has_function(std::string_view name) const;

    // origin() is the path of the file that the names are from.
    const std::string& origin() const { return origin_; }
    // damage() is why that file has fewer names than it should: it is packed and breaks off, for example.
    const std::optional<Error>& damage() const { return damage_; }
    // running() is whether they are of the kernel that runs this machine, and of the boot that was recorded.
    bool running() const { return running_; }
    // kallsyms() is the table, null if the names are from a vmlinux or from another boot of the same kernel.
    const Kallsyms* kallsyms() const { return kallsyms_ && !only_kernel_ ? &*kallsyms_ : nullptr; }
    // relocation() is what to add to an address of the file to have the recording machine's. A kallsyms file of another
    // boot of the same kernel (same build id) names the kernel, but not its modules: those move on their own.
    std::uint64_t relocation() const { return relocation_; }

  private:
    struct Loader;

    std::string origin_;
    std::optional<Error> damage_;
    std::uint64_t relocation_ = 0;
    bool running_ = false;
    bool only_kernel_ = false;  // the file is not of the recorded boot: modules were elsewhere
    std::optional<Kallsyms> kallsyms_;
    std::optional<ElfSymbols> vmlinux_;
};

}  // namespace perfdata
