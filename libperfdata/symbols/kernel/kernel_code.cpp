// SPDX-License-Identifier: MIT
#include "kernel_code.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "symbols/elf/elf_notes.hpp"

namespace perfdata {

Result<void> read_code(const ElfFile& file, std::uint64_t vaddr, PatchedCode& code) {
    std::array<std::byte, 16384> block;
    auto size = std::min<std::uint64_t>(code.size(), std::numeric_limits<std::uint64_t>::max() - vaddr);
    if (file.type() == ElfFile::Type::relocatable) {
        // Addresses are places in the file; a function does not go on in the next section.
        if (const auto* section = file.code_section(vaddr)) {
            size = std::min(size, section->size - (vaddr - section->offset));
        }
    }
    for (std::uint64_t done = 0; done < size;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), size - done));
        const auto got = file.read(vaddr + done, std::span(block).first(wanted));
        if (!got) return fail(got.error());
        code.put(done, Bytes(block).first(*got));
        done += *got;
        if (*got != 0) continue;
        if (file.type() != ElfFile::Type::core) break;
        // An excerpt of memory may lack a page in the middle of a function.
        const auto next = file.next_segment(vaddr + done);
        done = next ? std::min(size, *next - vaddr) : size;
    }
    return {};
}

KernelCode::KernelCode(const Recording& recording, const Names& names, const std::string& kcore,
                       std::vector<Error>& problems)
    : names_(names), limits_(recording.limits()) {
    if (!kcore.empty()) {
        // What the user gave is looked at now, so that it can be told what is wrong with it.
        auto opened = open_kcore({"", kcore}, true);
        if (opened) {
            kcore_once_([&] { kcore_ = std::move(*opened); });
            return;
        }
        problems.push_back(std::move(opened.error()));
    }
    std::error_code none;
    if (std::filesystem::is_directory(recording.path(), none)) {
        candidates_.push_back({recording.path(), "/kcore_dir/kcore"});
    }
    running_ = names.kernel() != nullptr && names.kernel()->running();
}

Result<KernelCode::Kcore> KernelCode::open_kcore(const FileName& name, bool given) const {
    const auto path = name.shown();
    const auto named = [&](Error error) {
        if (error.where != path) error.where = path;
        return fail(std::move(error));
    };
    const auto& files = names_.files().finder().files();
    auto source = given ? files.open_given(path, limits_, Content::elf) : files.open(name, limits_, Content::elf);
    if (!source) return named(std::move(source.error()));
    auto file = ElfFile::open(std::move(*source), limits_);
    if (!file) return named(std::move(file.error()));
    if (file->type() != ElfFile::Type::core) {
        return fail(ErrorCode::mismatch, Error::no_offset, path, "it is no copy of /proc/kcore: not an ELF core file");
    }
    // The kernel's own notes lie in its memory; copies of the code alone do not have them.
    const auto* kernel = names_.kernel();
    const auto* table = kernel != nullptr ? kernel->kallsyms() : nullptr;
    const auto& recorded = names_.recorded_kernel().build_id;
    const auto begin = table != nullptr ? table->address_of("__start_notes") : std::nullopt;
    const auto end = table != nullptr ? table->address_of("__stop_notes") : std::nullopt;
    constexpr std::uint64_t largest_notes = 1 << 16;
    if (begin && end && *begin < *end && *end - *begin <= largest_notes && recorded.size != 0) {
        std::vector<std::byte> notes(static_cast<std::size_t>(*end - *begin));
        const auto got = file->read(begin->value, notes);
        if (got && *got == notes.size() && !same_build_id(recorded, build_id_of_notes(notes, file->order()))) {
            return fail(ErrorCode::mismatch, Error::no_offset, path,
                        "it is not from the boot that was recorded: the recorded kernel's build id is not where its "
                        "symbols say");
        }
    }
    return Kcore{path, std::make_shared<const ElfFile>(std::move(*file))};
}

const std::optional<KernelCode::Kcore>& KernelCode::kcore() const {
    kcore_once_([&] {
        for (const auto& name : candidates_) {
            auto opened = open_kcore(name, false);
            if (!opened) continue;
            kcore_ = std::move(*opened);
            return;
        }
        // A name of ours, not of the recording.
        if (!running_) return;
        if (auto opened = open_kcore({"", "/proc/kcore"}, true)) kcore_ = std::move(*opened);
    });
    return kcore_;
}

Result<bool> KernelCode::read_kcore(Address address, PatchedCode& code, CodeImage& image) const {
    const auto& copy = kcore();
    if (!copy) return false;
    if (auto read = read_code(*copy->file, address.value, code); !read) return fail(read.error());
    if (!code.any_known()) return false;
    image.origin = copy->path;
    return true;
}

Result<void> KernelCode::read(const Frame& function, Address address, PatchedCode& code, CodeImage& image) const {
    const auto from_kcore = read_kcore(address, code, image);
    if (!from_kcore) return fail(from_kcore.error());
    if (*from_kcore) return {};
    const auto& objects = names_.timeline().tasks().objects();
    auto other = function.kind == FrameKind::object && objects[function.index].kind == ObjectKind::module
                     ? read_module(function, code, image)
                     : read_vmlinux(address, code, image);
    if (!other && kcore()) other.error().detail = "not in " + kcore()->path + "; and " + other.error().detail;
    return other;
}

Result<void> KernelCode::read_vmlinux(Address address, PatchedCode& code, CodeImage& image) const {
    vmlinux_once_([&] { vmlinux_ = names_.kernel_text(); });
    if (!vmlinux_) return fail(vmlinux_.error());
    if (auto read = read_code(*vmlinux_->file, address.value - vmlinux_->relocation, code); !read) return read;
    image.origin = vmlinux_->path;
    image.problems.push_back({ErrorCode::mismatch, Error::no_offset, vmlinux_->path,
                              "this is the code before the kernel patched itself when it booted (alternatives, ftrace, "
                              "static calls); what ran may differ. Record with perf record --kcore"});
    return {};
}

const CodeRelocations& KernelCode::relocations(const std::shared_ptr<const ElfFile>& module) const {
    const std::scoped_lock lock(relocations_mutex_);
    auto& known = relocations_[module.get()];
    if (!known) known = std::make_unique<CodeRelocations>(module);
    return *known;
}

Result<void> KernelCode::read_module(const Frame& function, PatchedCode& code, CodeImage& image) const {
    const auto found = names_.file(function.index);
    const auto vaddr = names_.file_address(function);
    if (!found || !vaddr) {
        const auto miss = found ? vaddr.error() : found.error();
        const auto& path = names_.timeline().tasks().objects()[function.index].path;
        return fail(ErrorCode::missing, Error::no_offset, path,
                    "no code of this module: " + std::string(explain(miss)) +
                        "; record with perf record --kcore, or give --kcore (a copy of the recording machine's "
                        "/proc/kcore) or --symfs");
    }
    if (auto read = read_code(*(*found)->file, *vaddr, code); !read) return read;
    image.origin = (*found)->path;
    image.relocations = relocations((*found)->file).find(*vaddr, code.size());
    image.problems.push_back(
        {ErrorCode::mismatch, Error::no_offset, (*found)->path,
         "this is the code before the kernel loaded and patched it: addresses in it are not filled "
         "in. Record with perf record --kcore"});
    return {};
}

}  // namespace perfdata
