// SPDX-License-Identifier: MIT
#include "perfdata/symbols/kernel/kernel_names.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "recording/look_out.hpp"
#include "symbols/bundle/bundle_files.hpp"
#include "symbols/elf/elf_constants.hpp"
#include "symbols/elf/elf_notes.hpp"
#include "symbols/elf/file_store.hpp"
#include "symbols/elf/find/build_id_cache.hpp"

namespace perfdata {
namespace {

struct KernelTable {
    Kallsyms table;
    std::optional<Error> damage;  // also of the packed file

    std::uint64_t memory() const { return table.memory(); }
};

}  // namespace

// Loader tries one file after another.
struct KernelNames::Loader {
    const RecordedKernel& kernel;
    const ObjectFinder& finder;
    const FinderOptions& options;
    const Watch& watch;
    KernelNames names;
    KernelText elf;                // what vmlinux() found
    bool only_text = false;        // find the code, not the names
    std::optional<Error> refused;  // why a file that the user gave cannot be used

    bool known_place() const { return !kernel.reference_symbol.empty() && kernel.reference_address != Address{}; }

    void refuse(ErrorCode code, const std::string& path, std::string detail) {
        if (!refused) refused = Error{code, Error::no_offset, path, std::move(detail)};
    }

    // Tries a kallsyms file. `same_kernel`: its build-id proves it, so it may be from another boot. `given`: the user
    // named it, so its error becomes the result.
    bool kallsyms(const FileName& name, bool same_kernel, bool given) {
        Limits limits = options.limits;
        limits.unpacked_bytes = std::min(limits.unpacked_bytes, limits.kallsyms_bytes);
        const auto path = name.shown();
        const auto read = [&]() -> Result<KernelTable> {
            const auto source = open(name, given, limits, Content::text);
            auto text = source ? read_whole(**source, limits.kallsyms_bytes, watch) : fail(source.error());
            auto table = text ? Kallsyms::parse(std::move(*text), path, watch) : fail(std::move(text.error()));
            if (!table) return fail(std::move(table.error()));
            auto damage = (*source)->damage();
            if (!damage) damage = table->damage();
            return KernelTable{std::move(*table), std::move(damage)};
        };
        constexpr auto kind = FileContent::Kind::kallsyms;
        auto kept =
            finder.store().value<kind, KernelTable>(finder.realm(), finder.files(), name, given, LookOut(watch), read);
        if (!kept) return refuse(kept.error(), path, given);
        return take({*kept, &(*kept)->table}, (*kept)->damage, path, same_kernel, given);
    }

    // Returns false.
    bool refuse(const Error& error, const std::string& path, bool given) {
        unless_stopped(error);
        if (given) refuse(error.code, path, error.detail);
        return false;
    }

    Result<std::shared_ptr<const Source>> open(const FileName& name, bool given, const Limits& limits,
                                               Content content) const {
        const auto& files = finder.files();
        auto opened = given && name.root.empty() ? files.open_given_watched(name.path, limits, content, watch)
                                                 : files.open_watched(name, limits, content, watch);
        if (!opened) unless_stopped(opened.error());
        return opened;
    }

    static void unless_stopped(const Error& error) {
        if (error.code == ErrorCode::cancelled) throw Stopped();
    }

    bool take(std::shared_ptr<const Kallsyms> table, std::optional<Error> damage, const std::string& path,
              bool same_kernel, bool given) {
        std::uint64_t relocation = 0;
        if (known_place()) {
            const auto here = table->address_of(kernel.reference_symbol);
            if (here) relocation = kernel.reference_address - *here;
            if (relocation != 0 && !same_kernel) {
                if (given) {
                    refuse(ErrorCode::mismatch, path,
                           "it is not from the boot that was recorded: " + kernel.reference_symbol + " is elsewhere");
                }
                return false;
            }
        }
        names.damage_ = std::move(damage);
        names.kallsyms_ = std::move(table);
        names.relocation_ = relocation;
        names.only_kernel_ = relocation != 0;
        names.origin_ = finder.files().shown(path);
        return true;
    }

    bool vmlinux(const FileName& name, bool given) {
        const auto path = name.shown();
        auto source = open(name, given, options.limits, Content::elf);
        if (!source) {
            if (given) refuse(source.error().code, path, source.error().detail);
            return false;
        }
        auto file = ElfFile::open(std::move(*source), options.limits, watch);
        if (!file) {
            unless_stopped(file.error());
            if (given) refuse(file.error().code, path, file.error().detail);
            return false;
        }
        const bool recorded = kernel.build_id.size != 0;
        if (recorded ? !same_build_id(kernel.build_id, file->build_id()) : !given) {
            if (given) refuse(ErrorCode::mismatch, path, "its build id is not that of the recorded kernel");
            return false;
        }
        const auto* section = file->section(".text");
        if (only_text && (section == nullptr || section->type == no_bits)) {
            if (given) refuse(ErrorCode::missing, path, "it has symbols, but not the code itself");
            return false;
        }
        auto symbols = only_text ? Result<ElfSymbols>() : ElfSymbols::load(*file, nullptr, options.limits, watch);
        if (!symbols) {
            unless_stopped(symbols.error());
            if (given) refuse(symbols.error().code, path, symbols.error().detail);
            return false;
        }
        LookOut look(watch);
        const auto reference = known_place() ? address_of_symbol(*file, kernel.reference_symbol, look) : std::nullopt;
        if (!reference) {
            if (given) {
                refuse(ErrorCode::missing, path,
                       "where the recorded kernel was loaded is not known (record as root, or with "
                       "kernel.kptr_restrict 0)");
            }
            return false;
        }
        const auto relocation = kernel.reference_address.value - *reference;
        if (only_text) {
            elf = {path, std::make_shared<const ElfFile>(std::move(*file)), relocation, name.root};
            return true;
        }
        names.relocation_ = relocation;
        names.vmlinux_ = std::move(*symbols);
        names.origin_ = finder.files().shown(path);
        return true;
    }

    bool from_caches() {
        if (kernel.build_id.size == 0) return false;
        for (const auto& cache : options.caches()) {
            for (const auto& path : cached_kallsyms(cache.path, kernel.build_id)) {
                if (!kallsyms({cache.root, path}, true, false)) continue;
                if (!all_in_place()) names.only_kernel_ = true;
                return true;
            }
        }
        return false;
    }

    // Searches where distributions and perf put the kernel's ELF file.
    bool vmlinux_somewhere() {
        if (kernel.build_id.size == 0) return false;
        for (const auto& cache : options.caches()) {
            for (const auto& path : cached_objects(cache.path, kernel.build_id)) {
                if (vmlinux({cache.root, path}, false)) return true;
            }
        }
        for (const auto& directory : options.debug_roots()) {
            if (vmlinux({directory.root, debug_file_by_id(directory.path, kernel.build_id)}, false)) return true;
        }
        std::vector<std::string> roots;
        if (!options.symfs.empty()) roots.push_back(options.symfs);
        if (options.machine()) roots.emplace_back();
        for (const auto& root : roots) {
            // A release with a slash leads to another directory, and so does "..".
            const auto& release = kernel.os_release;
            if (release.empty() || release == "." || release == ".." || release.find('/') != std::string::npos)
                continue;
            for (const auto& path :
                 {"/boot/vmlinux-" + release, "/usr/lib/debug/boot/vmlinux-" + release,
                  "/lib/modules/" + release + "/build/vmlinux", "/usr/lib/debug/lib/modules/" + release + "/vmlinux",
                  "/usr/lib/debug/boot/vmlinux-" + release + ".debug"}) {
                if (vmlinux({root, path}, false)) return true;
            }
        }
        return false;
    }

    // Takes the table in the bundle. If the recording has a build-id of its kernel, the table must prove that it
    // belongs to it: the reference symbol is in its place, or the index has the same build-id.
    bool bundled_kallsyms() {
        const FileName name{options.bundle, "/kernel/kallsyms"};
        const auto& files = finder.files();
        if (options.bundle.empty() || !files.has(name)) return false;
        const bool has_id = kernel.build_id.size != 0;
        const auto* bundle = dynamic_cast<const BundleFiles*>(&files);
        const bool said = has_id && bundle != nullptr && bundle->said_build_id(name) == hex(kernel.build_id.bytes());
        if (!kallsyms(name, said, true)) return false;
        if (!has_id || said) return true;
        if (known_place() && names.kallsyms_->address_of(kernel.reference_symbol) == kernel.reference_address)
            return true;
        refuse(ErrorCode::mismatch, name.shown(), "nothing proves that it is of the recorded kernel");
        names = {};
        return false;
    }

    // Takes the vmlinux in the bundle, for recordings without a build-id of their kernel.
    bool bundled_vmlinux() {
        const FileName name{options.bundle, "/kernel/vmlinux"};
        return !options.bundle.empty() && finder.files().has(name) && vmlinux(name, true);
    }

    // Returns true if the kernel and each of its modules begin where they did: then the copy is from the recorded boot.
    bool all_in_place() const {
        const auto& table = *names.kallsyms_;
        if (table.address_of(kernel.reference_symbol) != kernel.reference_address) return false;
        const auto begins = table.module_begins();
        return std::ranges::all_of(kernel.modules, [&](const auto& module) {
            const auto first = begins.find(module.name);
            return first != begins.end() && module.range.contains(first->second);
        });
    }

    // Returns true if the running kernel lies where the recorded one did.
    bool same_boot(const std::string& path) const {
        constexpr std::uint64_t enough = 64 << 10;  // the reference symbol is among the first
        auto text = finder.files().read_kernel_file_start(path, enough);
        if (!text) return false;
        text->resize(text->rfind('\n') + 1);
        const auto table = Kallsyms::parse(std::move(*text), path);
        return table && table->address_of(kernel.reference_symbol) == kernel.reference_address;
    }

    bool from_copy_of_this_boot() {
        for (const auto& cache : options.caches()) {
            for (const auto& path : cached_kallsyms(cache.path, kernel.build_id)) {
                if (kallsyms({cache.root, path}, false, false) && all_in_place()) return true;
            }
        }
        return false;
    }

    // Returns true if the running kernel is the recorded one, by its build-id. If none is recorded, the user may vouch
    // for it (allow_local), but not if its release differs.
    bool runs_here() const {
        if (kernel.build_id.size == 0) {
            if (!options.allow_local) return false;
            constexpr std::uint64_t longest_release = 65;  // __NEW_UTS_LEN and an end of line
            const auto release = finder.files().read_kernel_file("/proc/sys/kernel/osrelease", longest_release);
            return release && (kernel.os_release.empty() || *release == kernel.os_release + "\n");
        }
        constexpr std::uint64_t largest_notes = 1 << 20;
        const auto notes = finder.files().read_kernel_file("/sys/kernel/notes", largest_notes);
        if (!notes) return false;
        return same_build_id(kernel.build_id, build_id_of_notes(as_bytes(*notes), AnyOrder(std::endian::native)));
    }

    // Takes the running kernel's names if it is the recorded one, and in the same boot: the reference symbol is where
    // it was.
    bool running_kernel() {
        if (!options.machine() || !known_place() || !runs_here()) return false;
        const std::string path = "/proc/kallsyms";
        // Copies are found by build-id.
        if (kernel.build_id.size != 0 && same_boot(path) && from_copy_of_this_boot()) return names.running_ = true;
        names = {};
        auto text = finder.files().read_kernel_file_watched(path, options.limits.kallsyms_bytes, watch);
        auto table = text ? Kallsyms::parse(std::move(*text), path, watch) : fail(std::move(text.error()));
        if (!table) return refuse(table.error(), path, false);
        auto damage = table->damage();
        const auto kept = std::make_shared<const Kallsyms>(std::move(*table));
        names.running_ = take(kept, std::move(damage), path, false, false);
        return names.running_;
    }

    bool load() {
        if (!options.kallsyms.empty() && kallsyms({"", options.kallsyms}, false, true)) return true;
        if (!options.vmlinux.empty() && vmlinux({"", options.vmlinux}, true)) return true;
        if (!options.recording_dir.empty() && kallsyms({options.recording_dir, "/kcore_dir/kallsyms"}, false, false)) {
            return true;
        }
        // Who may have written the recording may not read these.
        if (options.handed_on != HandedOn::of_others && (running_kernel() || from_caches())) return true;
        if (bundled_kallsyms()) return true;
        return vmlinux_somewhere() || bundled_vmlinux();
    }
};

void KernelNames::read_ahead(const BuildId& build_id, const ObjectFinder& finder) {
    const auto& options = finder.options();
    const bool others = !options.kallsyms.empty() || !options.vmlinux.empty() || !options.recording_dir.empty();
    if (others || build_id.size == 0 || options.handed_on == HandedOn::of_others) return;
    RecordedKernel kernel;
    kernel.build_id = build_id;
    Loader loader{kernel, finder, options, {}, {}, {}, false, {}};
    (void)loader.from_caches();
}

bool KernelNames::lack_only_trust(const RecordedKernel& kernel, const ObjectFinder& finder) {
    const auto& options = finder.options();
    if (kernel.build_id.size != 0 || options.allow_local) return false;
    return options.machine() ||
           bundled_miss(finder.files(), std::string(recorded_kernel_path), {}) == SymbolMiss::unproven;
}

Result<KernelNames> KernelNames::load(const RecordedKernel& kernel, const ObjectFinder& finder, const Watch& watch) {
    Loader loader{kernel, finder, finder.options(), watch, {}, {}, false, {}};
    try {
        if (loader.load()) return std::move(loader.names);
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, "kernel symbols", "asked to stop");
    }
    if (loader.refused) return fail(std::move(*loader.refused));
    if (kernel.build_id.size == 0) {
        return fail(
            ErrorCode::missing, Error::no_offset, "kernel symbols",
            std::string("the recording has no build id of its kernel; ") +
                (!finder.options().bundle.empty() && lack_only_trust(kernel, finder)
                     ? "collect again with --allow-local, on the recorded machine before it boots again, or give"
                 : lack_only_trust(kernel, finder)
                     ? "add --allow-local if this machine made it and has not booted since, or give"
                 : finder.options().machine() ? "this machine runs another one, or booted since; give"
                                              : "give") +
                " --kallsyms (a copy of the recording machine's /proc/kallsyms, made by root in the same boot) "
                "or --vmlinux");
    }
    return fail(ErrorCode::missing, Error::no_offset, "kernel symbols",
                "nothing here is proven to be of the recorded kernel; give --kallsyms (a copy of the recording "
                "machine's /proc/kallsyms, made by root in the same boot) or --vmlinux");
}

Result<KernelText> KernelNames::find_text(const RecordedKernel& kernel, const ObjectFinder& finder,
                                          const Watch& watch) {
    Loader loader{kernel, finder, finder.options(), watch, {}, {}, true, {}};
    const auto& given = finder.options().vmlinux;
    try {
        if ((!given.empty() && loader.vmlinux({"", given}, true)) || loader.vmlinux_somewhere() ||
            loader.bundled_vmlinux())
            return std::move(loader.elf);
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, "kernel code", "asked to stop");
    }
    if (loader.refused) return fail(std::move(*loader.refused));
    return fail(ErrorCode::missing, Error::no_offset, "kernel code",
                "nothing here holds the code of the recorded kernel; give --kcore (a copy of the recording machine's "
                "/proc/kcore, made by root in the same boot, or record with perf record --kcore) or --vmlinux");
}

bool KernelNames::has_function(std::string_view name) const {
    if (kallsyms_) {
        const auto address = kallsyms_->address_of(name);
        const auto function = address ? kallsyms_->find(*address) : std::nullopt;
        return function && function->name == name && function->address == *address;
    }
    if (!vmlinux_) return false;
    for (std::size_t at = 0; at < vmlinux_->size(); ++at) {
        if (vmlinux_->symbol(at).name == name) return true;
    }
    return false;
}

std::optional<KernelName> KernelNames::find(Address address) const {
    const Address in_file{address.value - relocation_};
    if (kallsyms_) {
        const auto symbol = kallsyms_->find(in_file);
        if (!symbol) return {};
        if (only_kernel_ && !symbol->module.empty()) return {};
        return KernelName{symbol->name, symbol->module, in_file - symbol->address, symbol->address + relocation_,
                          symbol->size};
    }
    if (vmlinux_) {
        if (const auto found = vmlinux_->find(in_file.value)) {
            return KernelName{
                found->symbol.name, {}, found->offset, {found->symbol.value + relocation_}, found->symbol.size};
        }
    }
    return {};
}

}  // namespace perfdata
