// SPDX-License-Identifier: MIT
#include "perfdata/symbols/elf/find/file_system.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/platform.hpp"
#include "recording/lock_or_stop.hpp"
#include "recording/pulse.hpp"

namespace perfdata {

namespace {

std::unexpected<Error> out_of_reach(const std::string& path) {
    return fail(ErrorCode::missing, Error::no_offset, path, "was not given, and nothing else is looked at");
}

std::unexpected<Error> asked_to_stop(const std::string& path) {
    return fail(ErrorCode::cancelled, Error::no_offset, path, "asked to stop");
}

}  // namespace

Result<std::shared_ptr<const Source>> FileSystem::open_given(const std::string& path, const Limits& limits,
                                                             Content content) const {
    return open({{}, path}, limits, content);
}

Result<std::shared_ptr<const Source>> FileSystem::open_watched(const FileName& name, const Limits& limits,
                                                               Content content, const Watch& watch) const {
    if (watch.stop.stop_requested()) return asked_to_stop(name.shown());
    return open(name, limits, content);
}

Result<std::shared_ptr<const Source>> FileSystem::open_given_watched(const std::string& path, const Limits& limits,
                                                                     Content content, const Watch& watch) const {
    if (watch.stop.stop_requested()) return asked_to_stop(path);
    return open_given(path, limits, content);
}

Result<std::string> FileSystem::read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                         const Watch& watch) const {
    if (watch.stop.stop_requested()) return asked_to_stop(path);
    return read_kernel_file(path, most);
}

bool FileSystem::has(const FileName& name) const {
    return open(name, {}).has_value();
}

Result<std::string> FileSystem::read_kernel_file_start(const std::string& path, std::uint64_t most) const {
    auto text = read_kernel_file(path, std::numeric_limits<std::uint64_t>::max());
    if (text && text->size() > most) text->resize(static_cast<std::size_t>(most));
    return text;
}

Result<std::shared_ptr<const Source>> FileSystem::vdso() const {
    return fail(ErrorCode::missing, Error::no_offset, "[vdso]", "these files have none");
}

struct LocalFiles::ReadOnce {
    OwnedMutex mutex;
    std::map<std::string, Result<std::shared_ptr<const Source>>> files;
};

LocalFiles::LocalFiles(Reach reach, LinkWalk walk)
    : reach_(reach), walk_(walk), read_once_(std::make_unique<ReadOnce>()) {}

LocalFiles::~LocalFiles() = default;

Result<std::shared_ptr<const Source>> LocalFiles::open(const FileName& name, const Limits& limits,
                                                       Content content) const {
    return LocalFiles::open_watched(name, limits, content, {});
}

Result<std::shared_ptr<const Source>> LocalFiles::open_watched(const FileName& name, const Limits& limits,
                                                               Content content, const Watch& watch) const {
    if (!reaches(name)) return out_of_reach(name.shown());
    NamedFileOptions options{.content = content, .walk = walk_};
    options.trusted_owner = content == Content::perf_map && name.root.empty();
    options.trusted_links = content == Content::perf_map;
    options.watch = watch;
    return open_named_file(name, limits, options);
}

Result<std::shared_ptr<const Source>> LocalFiles::open_given(const std::string& path, const Limits& limits,
                                                             Content content) const {
    return LocalFiles::open_given_watched(path, limits, content, {});
}

Result<std::shared_ptr<const Source>> LocalFiles::open_given_watched(const std::string& path, const Limits& limits,
                                                                     Content content, const Watch& watch) const {
    std::error_code unknown;
    if (std::filesystem::is_regular_file(path, unknown)) return open_source(path, limits, content, watch);
    const LookOut look(watch);
    try {
        const auto lock = lock_or_stop(read_once_->mutex, look);
        auto& files = read_once_->files;
        if (const auto known = files.find(path); known != files.end()) return known->second;
        auto opened = open_source(path, limits, content, watch);
        if (!opened && opened.error().code == ErrorCode::cancelled) return opened;
        return files.emplace(path, std::move(opened)).first->second;
    } catch (const Stopped&) {
        return asked_to_stop(path);
    } catch (const Reentered&) {
        return std::unexpected(Reentered::error());
    }
}

bool LocalFiles::has(const FileName& name) const {
    return reaches(name) && is_named_file(name, walk_);
}

Result<std::string> LocalFiles::read_kernel_file(const std::string& path, std::uint64_t most) const {
    return LocalFiles::read_kernel_file_watched(path, most, {});
}

Result<std::string> LocalFiles::read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                         const Watch& watch) const {
    if (reach_ == Reach::given) return out_of_reach(path);
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(ErrorCode::missing, Error::no_offset, path, "cannot be opened");
    // Such files do not report their size. The unused part of the buffer takes only address space.
    constexpr std::uint64_t usual = 16 << 20;
    std::string text;
    text.reserve(static_cast<std::size_t>(std::min(most, usual)));
    std::array<char, 65536> buffer;
    Pulse pulse(watch, 0);
    while (file.read(buffer.data(), buffer.size()), file.gcount() > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
        if (!pulse.go_on(static_cast<std::uint64_t>(file.gcount()))) return fail(pulse.stopped(path));
        if (text.size() > most) {
            return fail(ErrorCode::limit, Error::no_offset, path, "more than " + std::to_string(most) + " bytes");
        }
    }
    if (file.bad()) return fail(ErrorCode::io, Error::no_offset, path, "cannot be read");
    return text;
}

Result<std::string> LocalFiles::read_kernel_file_start(const std::string& path, std::uint64_t most) const {
    if (reach_ == Reach::given) return out_of_reach(path);
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(ErrorCode::missing, Error::no_offset, path, "cannot be opened");
    std::string text(static_cast<std::size_t>(most), '\0');
    file.read(text.data(), static_cast<std::streamsize>(most));
    if (file.bad()) return fail(ErrorCode::io, Error::no_offset, path, "cannot be read");
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

Result<std::shared_ptr<const Source>> LocalFiles::vdso() const {
    if (reach_ == Reach::given) return out_of_reach("[vdso]");
    const auto image = platform::own_vdso();
    if (image.empty()) return FileSystem::vdso();
    return memory_source(image);
}

std::optional<FileTime> LocalFiles::modified(const FileName& name) const {
    if (!reaches(name)) return {};
    const auto time = named_file_time(name, walk_);
    if (!time) return {};
    return FileTime{time->tv_sec, time->tv_nsec};
}

std::optional<FileIdentity> LocalFiles::identity(const FileName& name) const {
    if (!reaches(name)) return {};
    const auto found = named_file_identity(name, walk_);
    return found ? std::optional(*found) : std::nullopt;
}

}  // namespace perfdata
