// SPDX-License-Identifier: MIT
#include "perfdata/symbols/code_images.hpp"

#include <algorithm>
#include <set>

#include "symbols/kernel/kernel_code.hpp"
#include "symbols/kernel/patched_code.hpp"

namespace perfdata {
namespace {

constexpr std::string_view the_recording = "the recording";

// changes_between(...) is what the patches of a version changed: bytes that are other ones after it than before.
std::vector<CodeChange> changes_between(const PatchedCode& before, const PatchedCode& after, Address begin,
                                        std::span<const TextPatch* const> patches, const CodeVersion& version) {
    std::vector<CodeChange> changes;
    std::set<std::pair<std::uint64_t, std::size_t>> told;  // offset and size
    const auto first_of = std::ranges::lower_bound(patches, version.from, {}, &TextPatch::time);
    for (const auto* patch : std::ranges::subrange(first_of, patches.end())) {
        if (patch->time >= version.until) break;
        // What was taken away is still shown.
        const AddressRange range{patch->address, patch->new_bytes.size()};
        if (range.size == 0) continue;
        const auto first = patch->address < begin ? 0 : patch->address - begin;
        const auto last = std::min<std::uint64_t>(range.last() < begin ? 0 : range.last() - begin + 1, after.size());
        CodeChange change{first, patch->time, {}, {}};
        bool differs = false;
        for (auto offset = static_cast<std::size_t>(first); offset < last; ++offset) {
            // Code that is laid where none was is no change of code.
            if (!before.known(offset) || !after.known(offset)) break;
            change.before.push_back(before.bytes()[offset]);
            change.after.push_back(after.bytes()[offset]);
            differs = differs || change.before.back() != change.after.back();
        }
        // Two events may tell of one change.
        if (!differs || !told.emplace(change.offset, change.before.size()).second) continue;
        changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace

struct CodeImages::Sources {
    Sources(const Recording& recording, const Timeline& of_timeline, const Names& of_names, const Symbols& of_symbols,
            const CodeVersions& of_versions, const CodeImageOptions& options)
        : timeline(of_timeline),
          names(of_names),
          symbols(of_symbols),
          versions(of_versions),
          limits(recording.limits()),
          kernel(recording, of_names, options.kcore, problems) {}

    const Timeline& timeline;
    const Names& names;
    const Symbols& symbols;
    const CodeVersions& versions;
    Limits limits;
    std::vector<Error> problems;
    KernelCode kernel;

    std::string name_of(const CodeVersion& version) const {
        const auto name = names.name(version.function);
        return std::string(name.symbol.empty() ? name.object : name.symbol);
    }

    // What the versions of code at one address for everybody are made of: read(code, image) fills in a copy of it.
    // `held` is how much of it the source may have: records claim any size, and what nobody has takes no room.
    template <class Read>
    Result<CodeImage> patched(const CodeVersion& version, std::uint64_t size, std::uint64_t held, Read&& read) const {
        CodeImage image;
        image.address = *version.address;
        const auto patches = versions.patches(version.function, {image.address, size});
        for (const auto* patch : patches) held = std::max(held, patch->range().last() - image.address + 1);
        PatchedCode code(image.address, std::min(size, held));
        if (auto filled = read(code, image); !filled) return fail(std::move(filled.error()));
        if (!patches.empty()) {
            auto found = code.check(patches);
            std::ranges::move(found, std::back_inserter(image.problems));
            if (version.number != 0) {
                auto before = code;
                before.apply(patches, version.from);
                code.apply(patches, version.until);
                image.changes = changes_between(before, code, image.address, patches, version);
            } else {
                code.apply(patches, version.until);
            }
            if (image.origin.empty()) image.origin = the_recording;
        }
        std::move(code).finish(image);
        return image;
    }

    Result<CodeImage> code(const CodeVersion& version, std::uint64_t size) const {
        const auto index = version.function.index;
        const auto& what = timeline.code()[index];
        if (what.kind == CodeKind::bpf_program) {
            const auto bytes = symbols.image(index);
            if (!bytes) return fail(bytes.error());
            return patched(version, size, bytes->size(), [&](PatchedCode& code, CodeImage& image) -> Result<void> {
                code.put(0, *bytes);
                image.origin = the_recording;
                return {};
            });
        }
        // A copy of memory has it for sure only if it was there all the time.
        const bool always = what.from == Time{} && what.until == Time::forever();
        const auto held = always ? size : 0;
        auto result = patched(version, size, held, [&](PatchedCode& code, CodeImage& image) -> Result<void> {
            if (!always) return {};
            const auto read = kernel.read_kcore(image.address, code, image);
            return read ? Result<void>() : fail(read.error());
        });
        if (result && result->bytes.empty()) {
            return fail(ErrorCode::missing, Error::no_offset, std::string(what.symbol),
                        "the recording holds no code of it; record with perf record --kcore, or with an event that has "
                        "text pokes, before it is made");
        }
        return result;
    }

    Result<CodeImage> jit(const CodeVersion& version) const {
        const auto index = version.function.index;
        const auto& dump = names.jit().code(index);
        auto bytes = dump.image(names.jit().function(index));
        if (!bytes) return fail(bytes.error());
        CodeImage image;
        image.bytes = std::move(*bytes);
        image.address = names.jit().function(index).range.begin;
        image.origin = dump.dump().name();
        return image;
    }

    Result<CodeImage> kernel_text(const CodeVersion& version, std::uint64_t size) const {
        return patched(version, size, size, [&](PatchedCode& code, CodeImage& image) {
            return kernel.read(version.function, image.address, code, image);
        });
    }

    Result<CodeImage> file(const CodeVersion& version, std::uint64_t size) const {
        const auto& object = timeline.tasks().objects()[version.function.index];
        const auto found = names.file(version.function.index);
        const auto vaddr = names.file_address(version.function);
        if (!found || !vaddr) {
            const auto miss = found ? vaddr.error() : found.error();
            const auto help = remedy(miss);
            return fail(ErrorCode::missing, Error::no_offset, object.path,
                        std::string(explain(miss)) + (help.empty() ? "" : "; ") + std::string(help));
        }
        CodeImage image;
        image.address = {*vaddr};
        image.origin = (*found)->path;
        PatchedCode code(image.address, size);
        if (auto read = read_code(*(*found)->file, *vaddr, code); !read) return fail(std::move(read.error()));
        if (!(*found)->proven) {
            image.problems.push_back({ErrorCode::missing, Error::no_offset, (*found)->path,
                                      "no build id proves that this is the file that was recorded"});
        }
        std::move(code).finish(image);
        return image;
    }

    Result<CodeImage> memory(const CodeVersion& version) const {
        const auto name = name_of(version);
        return fail(ErrorCode::missing, Error::no_offset, name.empty() ? "memory of a process" : name,
                    "memory without a file: a perf map has names, but no code; let the compiler write a jitdump");
    }

    Result<CodeImage> of(const CodeVersion& version, std::uint64_t size) const {
        const auto& frame = version.function;
        switch (frame.kind) {
            case FrameKind::code: return code(version, size);
            case FrameKind::jit: return jit(version);
            case FrameKind::object: {
                const auto kind = timeline.tasks().objects()[frame.index].kind;
                const bool in_kernel = kind == ObjectKind::kernel || kind == ObjectKind::module;
                if (in_kernel && version.address) return kernel_text(version, size);
                return in_kernel ? nothing(version) : file(version, size);
            }
            case FrameKind::memory: return memory(version);
            case FrameKind::nowhere: break;
        }
        return version.address && size != 0 ? kernel_text(version, size) : nothing(version);
    }

    Result<CodeImage> nothing(const CodeVersion& version) const {
        const auto name = name_of(version);
        return fail(ErrorCode::missing, Error::no_offset, name.empty() ? "code without a name" : name,
                    "it is not known where the function begins and ends");
    }
};

CodeImages::CodeImages(const Recording& recording, const Timeline& timeline, const Names& names, const Symbols& symbols,
                       const CodeVersions& versions, CodeImageOptions options)
    : sources_(std::make_unique<Sources>(recording, timeline, names, symbols, versions, options)) {}
CodeImages::~CodeImages() = default;
CodeImages::CodeImages(CodeImages&&) noexcept = default;
CodeImages& CodeImages::operator=(CodeImages&&) noexcept = default;

Result<CodeImage> CodeImages::image(const CodeVersion& version) const {
    // Nobody vouches for the sizes in tables of symbols.
    const auto size = std::min(version.size, sources_->limits.function_bytes);
    if (size == 0 && version.function.kind != FrameKind::memory) return sources_->nothing(version);
    auto image = sources_->of(version, size);
    if (!image) return image;
    const auto where = sources_->name_of(version);
    if (image->bytes.empty()) {
        return fail(ErrorCode::missing, Error::no_offset, where, image->origin + " has no code there");
    }
    auto known = image->bytes.size();
    for (const auto& gap : image->gaps) known -= static_cast<std::size_t>(gap.size);
    if (known < version.size) {
        const bool limited = known == sources_->limits.function_bytes;
        image->problems.push_back({limited ? ErrorCode::limit : ErrorCode::truncated, Error::no_offset, where,
                                   "of its " + std::to_string(version.size) + " bytes only " + std::to_string(known) +
                                       (limited ? " are shown" : " are in " + image->origin)});
    }
    return image;
}

const std::vector<Error>& CodeImages::problems() const {
    return sources_->problems;
}

}  // namespace perfdata
