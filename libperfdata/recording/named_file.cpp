// SPDX-License-Identifier: MIT
#include "perfdata/recording/named_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/platform.hpp"
#include "file_source.hpp"
#include "name_walk.hpp"
#include "owner_proof.hpp"
#include "pseudo_files.hpp"

namespace perfdata {
namespace {

using platform::Descriptor;
using platform::FileStatus;

constexpr std::size_t longest_path = 4096;  // PATH_MAX of Linux
constexpr std::string_view not_everybodys = "not everybody may read it";
constexpr platform::OpenMode to_look_at_link{.what = platform::OpenMode::For::place, .no_link = true};

std::unexpected<Error> no_such_file(const FileName& name, std::string why) {
    return fail(ErrorCode::missing, Error::no_offset, name.shown(), std::move(why));
}

// Found is a file that has been looked up but not opened for reading.
struct Found {
    Descriptor place;   // O_PATH: of the file itself
    Descriptor folder;  // O_PATH: of its directory; none if the kernel walked
    std::string last;   // its name in the directory
    FileStatus status{};
    // As Walked has it; unknown if the kernel walked.
    bool foreign_link = false, unproven_link = false, passable = false, passable_inside = false, shared = false;
    std::string_view foreign_way{};
};

// check(fd, status) returns an error if the open file must not be read on the word of an untrusted name.
Result<void> check(int fd, const FileStatus& status, const FileName& name) {
    if (!status.is_regular()) return no_such_file(name, "there is no regular file of that name");
    if (const auto kind = pseudo_file_system(fd)) {
        return no_such_file(name, "is a file of " + std::string(*kind) + ", which is not read by that name");
    }
    return {};
}

// find(name, walk) looks up a file. It opens only directories and, without reading, the file's place.
Result<Found> find(const FileName& name, LinkWalk walk, std::optional<std::uint32_t> friendly = {}) {
    Found found;
    const auto wrong = [&](int problem) {
        if (problem == EMFILE || problem == ENFILE || problem == ENOMEM || problem == EIO) {
            return io_failure(name.shown(), "cannot open", problem);
        }
        return no_such_file(name, "there is no regular file of that name: " + std::generic_category().message(problem));
    };
    if (name.path.find('\0') != std::string::npos) return wrong(ENOENT);
    if (name.path.size() >= longest_path) return wrong(ENAMETOOLONG);
    if (walk == LinkWalk::kernel) {
        auto walked = walk_by_kernel(name.root, name.path);
        if (walked.fd.is_open()) {
            found.place = std::move(walked.fd);
        } else if (!walked.unable) {
            return wrong(walked.problem);
        }
    }
    if (!found.place.is_open()) {
        auto walked = walk_by_steps(name.root, name.path, friendly);
        if (!walked.fd.is_open()) {
            if (walked.pseudo) {
                return no_such_file(name,
                                    "is in " + std::string(*walked.pseudo) + ", where nothing is opened by that name");
            }
            return wrong(walked.problem);
        }
        found.place = std::move(walked.fd);
        found.folder = std::move(walked.folder);
        found.last = std::move(walked.last);
        found.foreign_link = walked.foreign_link;
        found.unproven_link = walked.unproven_link;
        found.passable = walked.passable;
        found.passable_inside = walked.passable_inside;
        found.foreign_way = walked.foreign_way;
        found.shared = walked.shared;
    }
    const auto status = platform::status(found.place.get());
    if (!status) return wrong(status.error());
    found.status = *status;
    if (auto right = check(found.place.get(), found.status, name); !right) return fail(std::move(right.error()));
    return found;
}

// reopen(found, name) opens the file for reading. It may have been replaced since the lookup: the opened file is
// checked again.
Result<Descriptor> reopen(const Found& found, const FileName& name) {
    // Without its directory the file is reachable only through /proc, if that is mounted; else it is looked up again.
    const bool by_number = !found.folder.is_open();
    auto file = by_number ? platform::reopen_for_reading(found.place.get())
                          : platform::open_at(found.folder.get(), found.last, {.no_link = true, .no_wait = true});
    const auto status = file ? platform::status(file->get()) : std::unexpected(file.error());
    const bool known = status.has_value();
    const int problem = known ? 0 : status.error();
    if (known && status->is_same_file(found.status)) {
        if (auto right = check(file->get(), *status, name); !right) return fail(std::move(right.error()));
        return std::move(*file);
    }
    if (by_number && (known || problem == ENOENT || problem == ENOTDIR)) {
        auto again = find(name, LinkWalk::own);
        return again ? reopen(*again, name) : fail(std::move(again.error()));
    }
    if (known) return no_such_file(name, "was replaced while it was opened");
    return io_failure(name.shown(), "cannot open", problem);
}

// check_owners(found, status, name, options) returns an error if the options want other owners. `status` is that of the
// open file, fd.
Result<void> check_owners(const Found& found, const FileStatus& status, int fd, const FileName& name,
                          const NamedFileOptions& options) {
    const auto refuse = [&](std::string why) {
        return fail(ErrorCode::mismatch, Error::no_offset, name.shown(), std::move(why));
    };
    const auto refuse_private = [&](const std::string& why) { return refuse(std::string(not_everybodys) + why); };
    const bool passable = options.inside_process ? found.passable_inside : found.passable;
    const bool everybodys = passable && everybody_reads(status, fd);
    if ((options.trusted_owner || options.trusted_links) &&
        (found.foreign_link || (found.unproven_link && !everybodys))) {
        return refuse("a link of another user leads to it, who may not be allowed to read it");
    }
    if (options.trusted_owner && status.owner != 0 && status.owner != platform::user_id()) {
        return refuse("belongs to another user (" + std::to_string(status.owner) +
                      "), who may write there what they like");
    }
    if (everybodys) return {};
    const auto user = options.on_behalf_of.value_or(platform::user_id());
    if (options.on_behalf_of == no_user) {
        return refuse_private(everybody_reads(status, fd) ? ": others may not pass the directories on the way" : "");
    }
    if (options.on_behalf_of && status.owner != user) {
        return refuse_private(", and it belongs to user " + std::to_string(status.owner));
    }
    constexpr std::uint32_t group_or_others_read = 044;
    if (options.for_others && (status.permissions & group_or_others_read) == 0) {
        return refuse_private(": its mode lets nobody read it but its owner");
    }
    if (options.inside_process && status.links != 1) return refuse_private(", and it has other names");
    if (!options.trusted_way) return {};
    auto why = found.foreign_way;
    // Who may not read a file can still link it, or move it from a directory of theirs.
    const bool put_by_owner = status.links == 1 && status.owner == user && (options.mapped || status.as_written);
    if (why.empty() && found.shared && !put_by_owner) {
        why =
            "it is in a directory where everybody may put files, as in /tmp, and is not one that its owner wrote there";
    }
    if (why.empty()) return {};
    return refuse_private(", and another user may have put it there: " + std::string(why));
}

// OpenedFile is a file that was opened by a name.
struct OpenedFile {
    Found found;
    Descriptor file;
    FileStatus status;

    Result<std::shared_ptr<const Source>> read(const FileName& name, const Limits& limits,
                                               const NamedFileOptions& options) && {
        if (status.size == 0) return memory_source({});
        return source_of(std::move(file), status, name.shown(), limits, options.content, options.watch);
    }
};

Result<OpenedFile> open_checked(const FileName& name, const NamedFileOptions& options) {
    // Only our own walk sees what is on the way.
    const bool careful = options.trusted_owner || options.trusted_links || options.on_behalf_of ||
                         options.trusted_way || options.inside_process;
    auto found = find(name, careful ? LinkWalk::own : options.walk, options.on_behalf_of);
    if (!found) return fail(std::move(found.error()));
    auto file = reopen(*found, name);
    if (!file) return fail(std::move(file.error()));
    const auto status = platform::status(file->get());
    if (!status) return io_failure(name.shown(), "cannot look at", status.error());
    if (auto right = check_owners(*found, *status, file->get(), name, options); !right) {
        return fail(std::move(right.error()));
    }
    return OpenedFile{std::move(*found), std::move(*file), *status};
}

// is_that(inode, status, fd) returns true if records name that open file so. On btrfs they have a device that stat(2)
// does not say, and inode numbers of several subvolumes.
bool is_that(const FileInode& inode, const FileStatus& status, int fd) {
    const auto is_of = [&](const platform::DeviceNumbers& device) {
        return inode.major == device.major && inode.minor == device.minor;
    };
    if (inode.number != status.inode) return false;
    const auto generation = platform::generation(fd);
    const bool same_generation = generation && *generation == inode.generation;
    if (is_of(platform::device_numbers(status.device))) {
        // Inode numbers are used again. Not all file systems tell the generation.
        return same_generation || inode.generation == 0 || !generation;
    }
    const auto mount = mount_of(fd);
    return mount && is_of(mount->device) && same_generation;
}

// Returns true for names that perf and debuginfod give to copies: a build id, or in a directory that is one.
bool is_named_by_build_id(int fd) {
    const auto link = platform::open("/proc/self/fd/" + std::to_string(fd), to_look_at_link);
    const auto path = link ? platform::link_target(link->get()) : std::unexpected(0);
    if (!path) return true;
    const auto is_id = [](std::string_view part) {
        constexpr std::size_t shortest = 16;
        return part.size() >= shortest && part.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    };
    const std::filesystem::path place(*path);
    return path->contains("/.build-id/") || is_id(place.filename().native()) ||
           is_id(place.parent_path().filename().native());
}

}  // namespace

Result<std::shared_ptr<const Source>> open_named_file(const FileName& name, const Limits& limits,
                                                      const NamedFileOptions& options) {
    auto opened = open_checked(name, options);
    return opened ? std::move(*opened).read(name, limits, options) : fail(std::move(opened.error()));
}

Result<std::shared_ptr<const Source>> open_own_program(const FileName& name, const std::optional<FileInode>& mapped,
                                                       const Limits& limits, const Watch& watch) {
    NamedFileOptions options;
    options.content = Content::elf;
    options.trusted_links = true;
    options.watch = watch;
    auto opened = open_checked(name, options);
    if (!opened) return fail(std::move(opened.error()));
    const int fd = opened->file.get();
    const auto why = [&]() -> std::string_view {
        if (opened->status.owner != platform::user_id()) return "the program belongs to another user";
        if (others_may_write(opened->status, fd)) return "others may write the program";
        if (!opened->found.foreign_way.empty()) return opened->found.foreign_way;
        if (mapped && !is_that(*mapped, opened->status, fd)) return "the program is not the file that ran";
        return is_named_by_build_id(fd) ? "the program is a copy by its build id" : std::string_view();
    }();
    if (!why.empty()) return fail(ErrorCode::mismatch, Error::no_offset, name.shown(), std::string(why));
    return std::move(*opened).read(name, limits, options);
}

bool others_may_have_written(const Source& source) {
    const auto* file = dynamic_cast<const FileSource*>(&source);
    if (file == nullptr || !file->read_from()) return false;
    const auto& from = *file->read_from();
    if (from.kind == platform::FileKind::character_device) return false;
    if (!from.is_regular()) return true;  // a pipe says nothing of whose recording comes through it
    if (from.owner != 0 && from.owner != platform::user_id()) return true;
    if (!file->opened()) return from.written_by_others;  // a copy of it is open
    return others_may_write(from, file->descriptor()) || !owners_are_proven(file->descriptor());
}

bool everybody_may_read(const Source& source) {
    const auto* file = dynamic_cast<const FileSource*>(&source);
    if (file == nullptr || !file->read_from()) return false;
    std::error_code unknown;
    const auto path = std::filesystem::absolute(file->path(), unknown);
    if (unknown) return false;
    // It is still open, so an equal number is the same file.
    const auto found = find({{}, path.string()}, LinkWalk::own);
    return found && found->status.is_same_file(*file->read_from()) && found->passable &&
           everybody_reads(found->status, found->place.get());
}

Result<std::shared_ptr<const Source>> fit_to_hand_on(std::shared_ptr<const Source> source, const MayHandOn& how,
                                                     const Limits& limits, const Watch& watch) {
    if (everybody_may_read(*source)) return source;
    const auto* file = dynamic_cast<const FileSource*>(source.get());
    const auto& from = file != nullptr ? file->read_from() : std::nullopt;
    const auto refuse = [&](std::string why) {
        return fail(ErrorCode::mismatch, Error::no_offset, how.name.shown(),
                    std::string(not_everybodys) + std::move(why));
    };
    if (!from || !from->is_regular()) return refuse(", or that is not known");
    NamedFileOptions again;
    again.content = how.content;
    again.watch = watch;
    auto name = how.name;
    if (name.root.empty()) {
        if (how.handed_on == HandedOn::of_others) {
            return refuse(", and others may have written the recording that names it");
        }
        if (how.handed_on != HandedOn::if_fit) return refuse({});
        if (how.mapped == nullptr && from->owner != 0 && from->owner != platform::user_id()) {
            return refuse(", and it belongs to user " + std::to_string(from->owner));
        }
        again.mapped = how.mapped != nullptr;
        again.on_behalf_of = from->owner;
        again.trusted_way = true;
        std::error_code unknown;
        const auto path = std::filesystem::absolute(name.path, unknown);
        if (!unknown) name.path = path.string();
    } else {
        again.trusted_links = true;
        if (how.handed_on != HandedOn::if_fit) again.on_behalf_of = no_user;
    }
    auto opened = open_checked(name, again);
    if (!opened) return fail(std::move(opened.error()));
    const int fd = opened->file.get();
    if (!opened->status.is_same_file(*from)) return refuse(", and it was replaced while it was opened");
    const auto is_this = [&](const FileInode& inode) { return is_that(inode, opened->status, fd); };
    if (again.mapped && std::ranges::none_of(*how.mapped, is_this)) {
        return refuse(", and the recording does not say that a process mapped this very file");
    }
    return std::move(*opened).read(name, limits, again);
}

bool is_private(const Error& error) {
    return error.code == ErrorCode::mismatch && error.detail.starts_with(not_everybodys);
}

bool is_named_file(const FileName& name, LinkWalk walk) {
    return find(name, walk).has_value();
}

Result<FileIdentity> named_file_identity(const FileName& name, LinkWalk walk) {
    const auto found = find(name, walk);
    if (!found) return fail(found.error());
    const auto& status = found->status;
    return FileIdentity{status.device, status.inode, status.size, status.seconds, status.nanoseconds};
}

Result<std::timespec> named_file_time(const FileName& name, LinkWalk walk) {
    const auto found = find(name, walk);
    if (!found) return fail(found.error());
    return std::timespec{found->status.seconds, static_cast<long>(found->status.nanoseconds)};
}

}  // namespace perfdata
