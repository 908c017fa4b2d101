// SPDX-License-Identifier: MIT
#include "bundle_files.hpp"

#include <string_view>

#include "perfdata/recording/content.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"

#include "bundle_names.hpp"
#include "symbols/elf/find/build_id_cache.hpp"
#include "symbols/source_files.hpp"

namespace perfdata {
namespace {

// Returns the reason of that word; nothing for other texts.
std::optional<SymbolMiss> reason_of(std::string_view word) {
    for (unsigned number = 0; number < symbol_misses; ++number) {
        const auto reason = static_cast<SymbolMiss>(number);
        if (to_string(reason) == word) return reason;
    }
    return {};
}

// Returns at most so many bytes of a text, whole characters, and says if that is not all.
std::string beginning_of(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
    text.resize(most);
    return text + "...";
}

}  // namespace

BundleFiles::BundleFiles(Shared<const Bundle> bundle, Shared<const FileSystem> beneath)
    : bundle_(std::move(bundle)), beneath_(std::move(beneath)), prefix_(bundle_->directory() + "/") {
    // As many as the index has, which is bounded.
    for (const auto& file : bundle_->facts().missing) {
        if (const auto reason = reason_of(file.why)) misses_.try_emplace({file.path, file.build_id}, *reason);
    }
}

std::optional<SymbolMiss> BundleFiles::miss(const std::string& path, Bytes build_id) const {
    if (misses_.empty()) return {};
    const auto found = misses_.find({path, hex(build_id)});
    return found == misses_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SymbolMiss> bundled_miss(const FileSystem& files, const std::string& path, Bytes build_id) {
    const auto* bundle = dynamic_cast<const BundleFiles*>(&files);
    return bundle == nullptr ? std::nullopt : bundle->miss(path, build_id);
}

std::string BundleFiles::said_build_id(const FileName& name) const {
    const auto member = inside(name);
    const auto number = member ? bundle_->find(*member) : std::nullopt;
    return number ? bundle_->files()[*number].build_id : std::string();
}

std::optional<std::string> BundleFiles::inside(const FileName& name) const {
    if (name.root.empty()) {
        if (!name.path.starts_with(prefix_)) return {};
        return source_path(std::string_view(name.path).substr(prefix_.size()));
    }
    const auto root = name.root + "/";
    if (!root.starts_with(prefix_)) return {};
    auto member = source_path(std::string_view(root).substr(prefix_.size()));
    const auto path = source_path(name.path);
    if (!member.empty() && !path.empty()) member += '/';
    return member + path;
}

Result<std::shared_ptr<const Source>> BundleFiles::open(const FileName& name, const Limits& limits,
                                                        Content content) const {
    return BundleFiles::open_watched(name, limits, content, {});
}

Result<std::shared_ptr<const Source>> BundleFiles::open_watched(const FileName& name, const Limits& limits,
                                                                Content content, const Watch& watch) const {
    const auto member = inside(name);
    if (!member) return beneath_->open_watched(name, limits, content, watch);
    auto packed = bundle_->content(*member, limits, content, watch);
    if (!packed) return packed;
    return unpacked(std::move(*packed), name.shown(), limits, content, watch);
}

Result<std::shared_ptr<const Source>> BundleFiles::open_given(const std::string& path, const Limits& limits,
                                                              Content content) const {
    return beneath_->open_given(path, limits, content);
}

Result<std::shared_ptr<const Source>> BundleFiles::open_given_watched(const std::string& path, const Limits& limits,
                                                                      Content content, const Watch& watch) const {
    return beneath_->open_given_watched(path, limits, content, watch);
}

bool BundleFiles::has(const FileName& name) const {
    const auto member = inside(name);
    return member ? bundle_->find(*member).has_value() : beneath_->has(name);
}

Result<std::string> BundleFiles::read_kernel_file(const std::string& path, std::uint64_t most) const {
    return beneath_->read_kernel_file(path, most);
}

Result<std::string> BundleFiles::read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                          const Watch& watch) const {
    return beneath_->read_kernel_file_watched(path, most, watch);
}

Result<std::string> BundleFiles::read_kernel_file_start(const std::string& path, std::uint64_t most) const {
    return beneath_->read_kernel_file_start(path, most);
}

Result<std::shared_ptr<const Source>> BundleFiles::vdso() const {
    return beneath_->vdso();
}

std::optional<FileTime> BundleFiles::modified(const FileName& name) const {
    return inside(name) ? std::nullopt : beneath_->modified(name);
}

std::string BundleFiles::shown(const std::string& path) const {
    return path.starts_with(prefix_) ? bundle_->shown(path) : beneath_->shown(path);
}

std::optional<FileIdentity> BundleFiles::identity(const FileName& name) const {
    const auto member = inside(name);
    if (!member) return beneath_->identity(name);
    const auto number = bundle_->find(*member);
    if (!number) return {};
    // No device has this number, nor has any a packed build-id cache.
    return FileIdentity{~std::uint64_t{0} - 1, *number, bundle_->files()[*number].size, 0, 0};
}

Shared<const FileSystem> Bundle::files(Shared<const Bundle> bundle, Shared<const FileSystem> beneath) {
    if (!beneath) beneath = std::make_shared<const LocalFiles>(Reach::given);
    return std::make_shared<const BundleFiles>(std::move(bundle), std::move(beneath));
}

std::string Bundle::shown(const std::string& path) const {
    const auto prefix = directory_ + "/";
    if (!path.starts_with(prefix)) return path;
    auto name = source_path(std::string_view(path).substr(prefix.size()));
    if (const auto number = find(name); number && !files_[*number].path.empty()) return files_[*number].path;
    const auto root = std::string(bundle_root) + "/";
    return name.starts_with(root) ? name.substr(root.size() - 1) : name;
}

std::string MissingFile::explained() const {
    constexpr std::size_t most = 400, most_of_word = 40;
    if (!reason.empty()) return beginning_of(reason, most);
    if (const auto miss = reason_of(why)) return std::string(explain(*miss));
    if (why == is_private) return "not everybody may read it where the bundle was made";
    if (why.empty() || why == to_string(ErrorCode::missing)) return "it was not found when the bundle was made";
    return "it could not be used when the bundle was made (" + beginning_of(why, most_of_word) + ")";
}

void Bundle::apply(const Shared<const Bundle>& bundle, SymbolizerOptions& options) {
    auto& finder = options.finder;
    finder.bundle = bundle->directory();
    finder.recording_dir = bundle->find(bundle_main_file) ? bundle->directory() + "/perf.data" : std::string();
    options.files = files(bundle, std::move(options.files));
    auto& jit = options.jit;
    jit.bundle = finder.bundle_root();
    jit.beside.clear();
    jit.as_recorded = false;
    jit.has = [has = options.files](const FileName& name) { return has->has(name); };
    options.cache = {};  // nothing says that files of two bundles are the same
}

void Bundle::tell_missing(const Bundle& bundle, std::vector<Error>& problems) {
    constexpr std::size_t most_told = 10, most_of_path = 4096;
    // Code of the kernel is for listings alone, which say of each function that it has none.
    auto missing = bundle.facts().missing;
    std::erase_if(missing, [](const auto& file) { return file.path == "/proc/kcore"; });
    for (std::size_t at = 0; at < missing.size() && at < most_told; ++at) {
        const auto& file = missing[at];
        auto text = "is not in the bundle: " + file.explained();
        if (file.samples) {
            text +=
                "; " + std::to_string(*file.samples) + (*file.samples == 1 ? " sample needs it" : " samples need it");
        }
        problems.push_back(
            {ErrorCode::missing, Error::no_offset, beginning_of(file.path, most_of_path), std::move(text)});
    }
    if (missing.size() > most_told) {
        problems.push_back({ErrorCode::missing, Error::no_offset, bundle.path(),
                            "its index names " + std::to_string(missing.size() - most_told) + " more missing files"});
    }
}

}  // namespace perfdata
