// SPDX-License-Identifier: MIT
#include "kernel_code.hpp"

#include <filesystem>

#include "recording/look_out.hpp"
#include "symbols/elf/elf_notes.hpp"
#include "symbols/elf/read_code.hpp"

namespace perfdata {
namespace {

constexpr const char* running_kcore = "/proc/kcore";

// Returns where the first byte is that the file has of the code.
std::optional<CodePlace> place_in(const ElfFile& file, std::uint64_t vaddr, std::uint64_t size) {
    const CodeOrigin origin{CodeOrigin::Kind::file, reinterpret_cast<std::uintptr_t>(&file)};
    if (const auto offset = file.file_offset(vaddr)) return CodePlace{origin, *offset};
    if (file.type() != ElfFile::Type::core) return {};
    const auto next = file.next_segment(vaddr);
    if (!next || *next - vaddr >= size) return {};
    return CodePlace{origin, file.file_offset(*next).value_or(0)};
}

}  // namespace

KernelCode::KernelCode(const Recording& recording, const RecordedKernel& recorded, const KernelNames* names,
                       const MappedFiles& files, const std::string& kcore, std::vector<Error>& problems,
                       const Watch& watch)
    : recorded_(recorded), names_(names), files_(files), limits_(recording.limits()) {
    if (!kcore.empty()) {
        // Open the user's file now, to report what is wrong with it.
        auto opened = open_kcore({"", kcore}, true, watch);
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
    if (const auto& bundle = files.finder().options().bundle; !bundle.empty()) {
        candidates_.push_back({bundle, "/perf.data/kcore_dir/kcore"});
        candidates_.push_back({bundle, "/kernel/kcore"});
    }
    running_ = names != nullptr && names->running();
}

Result<KernelCode::Kcore> KernelCode::open_kcore(const FileName& name, bool given, const Watch& watch) const {
    const auto path = name.shown();
    const auto named = [&](Error error) {
        if (error.where != path) error.where = path;
        return fail(std::move(error));
    };
    const auto& files = files_.finder().files();
    auto source = given ? files.open_given_watched(path, limits_, Content::elf, watch)
                        : files.open_watched(name, limits_, Content::elf, watch);
    if (!source) return named(std::move(source.error()));
    auto file = ElfFile::open(std::move(*source), limits_, watch);
    if (!file) return named(std::move(file.error()));
    if (file->type() != ElfFile::Type::core) {
        return fail(ErrorCode::mismatch, Error::no_offset, path, "it is no copy of /proc/kcore: not an ELF core file");
    }
    // Compare the build-id in the kernel's notes, if the copy has them: they are in its memory, but not in its code.
    const auto* table = names_ != nullptr ? names_->kallsyms() : nullptr;
    const auto& recorded = recorded_.build_id;
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
    Kcore copy{files.shown(path), nullptr, file->source().damage()};
    // Only a copy can be cut off.
    if (const auto missing = file->missing_bytes(); missing != 0 && path != running_kcore && !copy.damage) {
        copy.damage = Error{ErrorCode::truncated, file->source().size(), path,
                            "it is cut off: its segments have " + std::to_string(missing) + " bytes behind its end"};
    }
    copy.file = std::make_shared<const ElfFile>(std::move(*file));
    return copy;
}

const std::optional<KernelCode::Kcore>& KernelCode::kcore(const LookOut& look) const {
    const auto open = [&](const FileName& name, bool given) {
        auto opened = open_kcore(name, given, look.watch());
        if (!opened && opened.error().code == ErrorCode::cancelled) throw Stopped();
        if (opened) kcore_ = std::move(*opened);
        return opened.has_value();
    };
    const auto search = [&] {
        for (const auto& name : candidates_) {
            if (open(name, false)) return;
        }
        // Our own path, not one from the recording.
        if (running_) open({"", running_kcore}, true);
    };
    kcore_once_(search, look);
    return kcore_;
}

const Result<KernelText>& KernelCode::vmlinux(const LookOut& look) const {
    const auto search = [&] {
        auto found = KernelNames::find_text(recorded_, files_.finder(), look.watch());
        if (!found && found.error().code == ErrorCode::cancelled) throw Stopped();
        vmlinux_ = std::move(found);
    };
    vmlinux_once_(search, look);
    return vmlinux_;
}

void KernelCode::load(const LookOut& look) const {
    if (!kcore(look)) vmlinux(look);
}

Result<bool> KernelCode::read_kcore(Address address, PatchedCode& code, CodeImage& image) const {
    const auto& copy = kcore();
    if (!copy) return false;
    const auto read = read_code(*copy->file, address.value, code);
    if (!read) return fail(read.error());
    if (!code.any_known()) return false;
    image.origin = copy->path;
    if (!*read) {
        image.problems.push_back({ErrorCode::limit, Error::no_offset, copy->path,
                                  "its segments share bytes, so that one function would have more of them than the "
                                  "file: the rest is not taken"});
    }
    return true;
}

std::optional<CodePlace> KernelCode::kcore_place(Address address, std::uint64_t size) const {
    const auto& copy = kcore();
    return copy ? place_in(*copy->file, address.value, size) : std::nullopt;
}

std::optional<CodePlace> KernelCode::place(const Frame& function, Address address, std::uint64_t size) const {
    if (auto in_kcore = kcore_place(address, size)) return in_kcore;
    if (is_module(function)) {
        const auto found = files_.file(function.index);
        const auto vaddr = files_.vaddr(function);
        if (!found || !vaddr) return {};
        return place_in(*(*found)->file, *vaddr, size);
    }
    const auto& text = vmlinux();
    return text ? place_in(*text->file, address.value - text->relocation, size) : std::nullopt;
}

std::optional<Error> KernelCode::damage() const {
    return kcore_once_.done() && kcore_ ? kcore_->damage : std::nullopt;
}

bool KernelCode::is_module(const Frame& function) const {
    const auto& objects = files_.timeline().tasks().objects();
    return function.kind == FrameKind::object && objects[function.index].kind == ObjectKind::module;
}

Result<void> KernelCode::read(const Frame& function, Address address, PatchedCode& code, CodeImage& image) const {
    const auto from_kcore = read_kcore(address, code, image);
    if (!from_kcore) return fail(from_kcore.error());
    if (*from_kcore) return {};
    auto other = is_module(function) ? read_module(function, code, image) : read_vmlinux(address, code, image);
    if (!other && kcore()) other.error().detail = "not in " + kcore()->path + "; and " + other.error().detail;
    return other;
}

Result<void> KernelCode::read_vmlinux(Address address, PatchedCode& code, CodeImage& image) const {
    const auto& text = vmlinux();
    if (!text) return fail(text.error());
    if (auto read = read_code(*text->file, address.value - text->relocation, code); !read) return fail(read.error());
    image.origin = files_.finder().files().shown(text->path);
    image.problems.push_back({ErrorCode::mismatch, Error::no_offset, image.origin,
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
    const auto found = files_.file(function.index);
    const auto vaddr = files_.vaddr(function);
    if (!found || !vaddr) {
        const auto miss = found ? vaddr.error() : found.error();
        const auto& path = files_.timeline().tasks().objects()[function.index].path;
        return fail(ErrorCode::missing, Error::no_offset, path,
                    "no code of this module: " + std::string(explain(miss)) +
                        "; record with perf record --kcore, or give --kcore (a copy of the recording machine's "
                        "/proc/kcore) or --symfs");
    }
    if (auto read = read_code(*(*found)->file, *vaddr, code); !read) return fail(read.error());
    image.origin = files_.finder().files().shown((*found)->path);
    image.relocations = relocations((*found)->file).find(*vaddr, code.size());
    image.problems.push_back(
        {ErrorCode::mismatch, Error::no_offset, image.origin,
         "this is the code before the kernel loaded and patched it: addresses in it are not filled "
         "in. Record with perf record --kcore"});
    return {};
}

}  // namespace perfdata
