// SPDX-License-Identifier: MIT
// Names and code of the kernel: its table of names, its ELF file, pieces of its memory.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/wire/attr.hpp"

#include "core_pieces.hpp"
#include "needed_parts.hpp"
#include "owned_source.hpp"

namespace perfdata {
namespace {

constexpr std::string_view others_wrote_it = "others may have written the recording";
constexpr std::string_view files_ruled_out = "files of this machine were not looked at (--offline, --symfs)";

class KernelAdder {
  public:
    KernelAdder(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users,
                std::uint64_t without_code, Needed& needed)
        : from_(from),
          options_(options),
          by_(users.by({CodeOf::Kind::kernel, 0})),
          without_code_(without_code),
          needed_(needed),
          id_(hexadecimal(from.symbolizer.recorded_kernel().build_id.bytes())) {
        // Modules are named by the kernel's table.
        const auto objects = from.symbolizer.timeline().tasks().objects();
        for (const auto index : users.objects()) {
            if (objects[index].kind == ObjectKind::module) by_.add(users.by({CodeOf::Kind::object, index}));
        }
        NeededBy* const by = &by_;
        users.count_once({&by, 1});
    }

    Result<void> add() {
        // Text of tracepoints names code as well.
        const auto& events = from_.recording.events().events();
        const bool traced =
            std::ranges::any_of(events, [](const Event& event) { return event.attr.type == attr_type::tracepoint; });
        if (by_.samples == 0 && !traced) return {};
        if (auto added = add_names(); !added) return added;
        if (auto added = add_vmlinux(); !added) return added;
        return add_core();
    }

  private:
    NeededFile file(std::string name, std::string kind, std::string path) const {
        NeededFile needed;
        needed.member = {std::move(name), std::move(kind), path, id_, {}, std::string(recorded_kernel_path)};
        needed.from = std::move(path);
        needed.by = by_;
        return needed;
    }

    bool of_others() const { return from_.options.jit.handed_on == HandedOn::of_others; }

    // Returns true if files of this machine do not count.
    bool not_searched() const { return !from_.options.finder.machine(); }

    std::string_view kernel_why() const {
        if (of_others()) return to_string(SymbolMiss::untrusted);
        if (not_searched()) return to_string(SymbolMiss::offline);
        return is_unproven() ? to_string(SymbolMiss::unproven) : to_string(ErrorCode::missing);
    }

    // Returns true if --allow-local would take the names of the kernel that runs here.
    bool is_unproven() const {
        const auto frame = Frame::nowhere({0}, Miss::kernel, CpuMode::kernel);
        return from_.symbolizer.kernel() == nullptr && from_.symbolizer.why_unnamed(frame).reason == no_kernel_build_id;
    }

    // Returns what would supply the code of the kernel. Many kernels are built without /proc/kcore, and containers see
    // a device in its place.
    std::string core_remedy() const {
        const std::string vmlinux =
            "give the kernel's ELF file, which its debug package has, with --vmlinux and add "
            "--with-vmlinux";
        if (of_others()) return "collect a copy of your own if you trust it, or " + vmlinux;
        if (not_searched()) {
            return "leave out --offline and --symfs on the recorded machine before it boots again, or " + vmlinux;
        }
        if (is_unproven()) {
            return "add --allow-local if this machine made the recording and has not booted since, or " + vmlinux;
        }
        const auto* names = from_.symbolizer.kernel();
        if (names != nullptr && !from_.options.finder.kallsyms.empty()) {
            return "collect on the recorded machine as root, before it boots again and without --kallsyms, or " +
                   vmlinux;
        }
        if (names == nullptr || !names->running()) {
            return "collect on the recorded machine as root and before it boots again, record with perf record "
                   "--kcore, "
                   "or " +
                   vmlinux;
        }
        // It is this machine.
        std::error_code problem;
        if (!std::filesystem::is_regular_file("/proc/kcore", problem))
            return "there is no /proc/kcore here: " + vmlinux;
        const bool readable = std::ifstream("/proc/kcore", std::ios::binary).get() != std::ifstream::traits_type::eof();
        return readable ? vmlinux : "collect as root where /proc/kcore can be read, or " + vmlinux;
    }

    // Returns true if the path is in the recording itself, and this goes into the bundle as a whole.
    bool is_packed(const std::string& path) const {
        const auto& directory = from_.options.finder.recording_dir;
        return options_.recording_as_a_whole && !directory.empty() && path.starts_with(directory + "/");
    }

    Result<void> add_names() {
        const auto* names = from_.symbolizer.kernel();
        if (names == nullptr) {
            if (by_.samples == 0) return {};
            // Reports say here what --allow-local would do, and so do those of the bundle.
            const auto why = of_others()      ? others_wrote_it
                             : not_searched() ? files_ruled_out
                             : is_unproven()  ? no_kernel_build_id
                                              : no_kernel_names;
            const auto remedy =
                of_others() ? "collect a copy of your own if you trust it, or give --kallsyms"
                : not_searched()
                    ? "leave out --offline and --symfs on the recorded machine before it boots again, or give "
                      "--kallsyms, a copy of /proc/kallsyms that root made in the same boot"
                : is_unproven() ? "add --allow-local if this machine made the recording and has not booted since, or "
                                  "give --kallsyms, a copy of /proc/kallsyms that root made in the same boot"
                                : "collect on the recorded machine as root and before it boots again, or give "
                                  "--kallsyms, a copy of /proc/kallsyms that root made in the same boot";
            needed_.missing.push_back({"kallsyms", std::string(recorded_kernel_path), id_, std::string(kernel_why()),
                                       std::string(why), remedy, by_});
            return {};
        }
        const auto& origin = names->origin();
        if (is_packed(origin)) return {};
        auto content = names_content(*names);
        if (!content) return fail(std::move(content.error()));
        if (!*content) {
            names_from_vmlinux_ = true;
            return {};
        }
        // By its build id it is found as a copy in a cache: then names of modules count only if all modules are where
        // the recording has them, which need not be so any more.
        const bool moved = names->kallsyms() != nullptr && !all_in_place(*names->kallsyms());
        auto named = file(id_.empty() || moved ? "kernel/kallsyms" : id_folder(id_) + "/kallsyms", "kallsyms", origin);
        named.content = std::move(*content);
        needed_.add(std::move(named));
        return {};
    }

    // Returns the table of names; null if the names are those of a vmlinux.
    Result<std::shared_ptr<const Source>> names_content(const KernelNames& names) const {
        const auto& origin = names.origin();
        const auto table = from_.files.kernel_table();
        if (origin == "/proc/kallsyms" && table) return std::make_shared<const OwnedSource>(table);
        const auto place = from_.files.text_file(origin);
        if (!place) return nullptr;
        const bool given = origin == from_.options.finder.kallsyms;
        const auto& files = from_.files.beneath();
        const auto& limits = from_.recording.limits();
        auto content = given ? files.open_given_watched(place->path, limits, Content::text, options_.watch)
                             : files.open_watched(*place, limits, Content::text, options_.watch);
        if (content && !from_.files.read_text(*place)) {
            return fail(ErrorCode::mismatch, Error::no_offset, origin, "has changed since it was read: collect again");
        }
        return content;
    }

    // As KernelNames has it for copies in caches.
    bool all_in_place(const Kallsyms& table) const {
        const auto begins = table.module_begins();
        return std::ranges::all_of(from_.symbolizer.recorded_kernel().modules, [&](const auto& module) {
            const auto first = begins.find(module.name);
            return first != begins.end() && module.range.contains(first->second);
        });
    }

    Result<void> add_vmlinux() {
        const bool wanted = options_.vmlinux || names_from_vmlinux_;
        const auto text = from_.symbolizer.kernel_text(options_.watch);
        if (!text) {
            if (text.error().code == ErrorCode::cancelled) return fail(text.error());
            if (!names_from_vmlinux_) {
                if (options_.vmlinux) add_missing("vmlinux", "vmlinux", text.error());
                return {};
            }
            return add_symbols_alone();
        }
        if (!wanted) {
            needed_.leave_out("vmlinux files (see --with-vmlinux)", 1, from_.files.shown(text->path));
            return {};
        }
        return add_elf(text->path, std::shared_ptr<const Source>(text->file, &text->file->source()), *text->file);
    }

    // Names may come from an ELF file of the kernel that has symbols and no code.
    Result<void> add_symbols_alone() {
        const auto& origin = from_.symbolizer.kernel()->origin();
        const auto& files = from_.files.beneath();
        const auto& limits = from_.recording.limits();
        for (const auto& one : from_.files.elf_files()) {
            if (from_.files.shown(one.name.shown()) != origin) continue;
            const bool given = origin == from_.options.finder.vmlinux;
            // The very file that was read, as long as it is in use.
            Result<std::shared_ptr<const Source>> content = one.in_use();
            if (!*content) {
                content = given ? files.open_given_watched(one.actual.path, limits, Content::elf, options_.watch)
                                : files.open_watched(one.actual, limits, Content::elf, options_.watch);
            }
            if (!content) return fail(std::move(content.error()));
            const auto file = ElfFile::open(*content, limits, options_.watch);
            if (!file) return fail(file.error());
            return add_elf(origin, std::move(*content), *file);
        }
        return {};
    }

    Result<void> add_elf(const std::string& path, std::shared_ptr<const Source> content, const ElfFile& elf) {
        auto needed =
            file(id_.empty() ? "kernel/vmlinux" : id_folder(id_) + "/elf", "vmlinux", from_.files.shown(path));
        needed.read_from = content;
        auto trimmed = trimmed_object(std::move(content), elf, options_.debug);
        if (!trimmed) return fail(std::move(trimmed.error()));
        needed.content = std::move(trimmed->content);
        if (needed_.add(std::move(needed))) needed_.leave_out("bytes of debug information", trimmed->left_out);
        return {};
    }

    // Adds what was read of a copy of the kernel's memory.
    Result<void> add_core() {
        const auto core = from_.files.core();
        if (!core) {
            if (without_code_ == 0) return {};
            auto by = by_;
            by.samples = without_code_;
            by.code.clear();  // these samples are counted already
            needed_.missing.push_back({"kcore", "/proc/kcore", id_, "missing",
                                       "nothing here has the code of the recorded kernel's functions", core_remedy(),
                                       by});
            return {};
        }
        const auto elf = ElfFile::open(core->beneath(), from_.recording.limits(), options_.watch);
        if (!elf) {
            if (elf.error().code == ErrorCode::cancelled) return fail(elf.error());
            add_missing("kcore", from_.files.core_path(), elf.error());
            return {};
        }
        auto pieces = core_pieces(*elf, core->ranges(), options_.watch);
        if (!pieces) {
            if (pieces.error().code == ErrorCode::cancelled) return fail(std::move(pieces.error()));
            add_missing("kcore", from_.files.core_path(), pieces.error());
            return {};
        }
        auto needed = file("kernel/kcore", "kcore", from_.files.core_path());
        needed.content = std::make_shared<const OwnedSource>(std::move(*pieces));
        needed_.add(std::move(needed));
        return {};
    }

    void add_missing(const char* kind, const std::string& path, const Error& error) {
        needed_.missing.push_back({kind, path, id_, std::string(to_string(error.code)), error.detail, {}, by_});
    }

    const NeededFrom& from_;
    const NeededOptions& options_;
    NeededBy by_;
    std::uint64_t without_code_;
    Needed& needed_;
    std::string id_;
    bool names_from_vmlinux_ = false;
};

}  // namespace

Result<void> add_kernel(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users,
                        std::uint64_t without_code, Needed& needed) {
    return KernelAdder(from, options, users, without_code, needed).add();
}

}  // namespace perfdata
