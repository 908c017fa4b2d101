// SPDX-License-Identifier: MIT
#include "perfdata/recording/named_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/recording/spool.hpp"

#include "file_source.hpp"
#include "name_walk.hpp"
#include "pseudo_files.hpp"

namespace perfdata {
namespace {

std::unexpected<Error> no_such_file(const FileName& name, std::string why) {
    return fail(ErrorCode::missing, Error::no_offset, name.shown(), std::move(why));
}

// Found is a file that has been looked up but not opened for reading.
struct Found {
    Descriptor place;   // O_PATH: of the file itself
    Descriptor folder;  // O_PATH: of its directory; none if the kernel walked
    std::string last;   // its name in the directory
    struct stat status {};
};

// check(fd, status) returns an error if the open file must not be read on the word of an untrusted name.
Result<void> check(int fd, const struct stat& status, const FileName& name) {
    if (!S_ISREG(status.st_mode)) return no_such_file(name, "there is no regular file of that name");
    if (const auto kind = pseudo_file_system(fd)) {
        return no_such_file(name, "is a file of " + std::string(*kind) + ", which is not read by that name");
    }
    return {};
}

bool same_file(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// find(name, walk) looks up a file. It opens only directories and, without reading, the file's place.
Result<Found> find(const FileName& name, LinkWalk walk) {
    Found found{Descriptor(-1), Descriptor(-1), {}, {}};
    const auto wrong = [&](int problem) {
        if (problem == EMFILE || problem == ENFILE || problem == ENOMEM || problem == EIO) {
            errno = problem;
            return io_failure(name.shown(), "cannot open");
        }
        return no_such_file(name, "there is no regular file of that name: " + std::generic_category().message(problem));
    };
    if (name.path.find('\0') != std::string::npos) return wrong(ENOENT);
    if (name.path.size() >= PATH_MAX) return wrong(ENAMETOOLONG);
    if (walk == LinkWalk::kernel && !name.root.empty()) {
        auto walked = walk_by_kernel(name.root, name.path);
        if (walked.fd.get() >= 0) {
            found.place = std::move(walked.fd);
        } else if (!walked.unable) {
            return wrong(walked.problem);
        }
    }
    if (found.place.get() < 0) {
        auto walked = walk_by_steps(name.root, name.path);
        if (walked.fd.get() < 0) {
            if (walked.pseudo) {
                return no_such_file(name,
                                    "is in " + std::string(*walked.pseudo) + ", where nothing is opened by that name");
            }
            return wrong(walked.problem);
        }
        found.place = std::move(walked.fd);
        found.folder = std::move(walked.folder);
        found.last = std::move(walked.last);
    }
    if (::fstat(found.place.get(), &found.status) != 0) return wrong(errno);
    if (auto right = check(found.place.get(), found.status, name); !right) return fail(std::move(right.error()));
    return found;
}

// reopen(found, name) opens the file for reading. It may have been replaced since the lookup: the opened file is
// checked again.
Result<Descriptor> reopen(const Found& found, const FileName& name) {
    constexpr int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    // Without its directory the file is reachable only through /proc, if that is mounted; else it is looked up again.
    const bool by_number = found.folder.get() < 0;
    const auto number = "/proc/self/fd/" + std::to_string(found.place.get());
    Descriptor file(by_number ? ::open(number.c_str(), flags)
                              : ::openat(found.folder.get(), found.last.c_str(), flags | O_NOFOLLOW));
    const int problem = errno;
    struct stat status {};
    const bool known = file.get() >= 0 && ::fstat(file.get(), &status) == 0;
    if (known && same_file(status, found.status)) {
        if (auto right = check(file.get(), status, name); !right) return fail(std::move(right.error()));
        return file;
    }
    if (by_number && (known || problem == ENOENT || problem == ENOTDIR)) {
        auto again = find(name, LinkWalk::own);
        return again ? reopen(*again, name) : fail(std::move(again.error()));
    }
    if (known) return no_such_file(name, "was replaced while it was opened");
    errno = problem;
    return io_failure(name.shown(), "cannot open");
}

}  // namespace

Result<std::shared_ptr<const Source>> open_named_file(const FileName& name, const Limits& limits,
                                                      const NamedFileOptions& options) {
    auto found = find(name, options.walk);
    if (!found) return fail(std::move(found.error()));
    auto file = reopen(*found, name);
    if (!file) return fail(std::move(file.error()));
    struct stat status {};
    if (::fstat(file->get(), &status) != 0) return io_failure(name.shown(), "cannot look at");
    if (options.trusted_owner && status.st_uid != 0 && status.st_uid != ::geteuid()) {
        return fail(
            ErrorCode::mismatch, Error::no_offset, name.shown(),
            "belongs to another user (" + std::to_string(status.st_uid) + "), who may write there what they like");
    }
    if (status.st_size == 0) return memory_source({});
    return source_of(std::move(*file), status, name.shown(), limits, options.content);
}

bool is_named_file(const FileName& name, LinkWalk walk) {
    return find(name, walk).has_value();
}

Result<FileIdentity> named_file_identity(const FileName& name, LinkWalk walk) {
    const auto found = find(name, walk);
    if (!found) return fail(found.error());
    const auto& status = found->status;
    return FileIdentity{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
                        status.st_mtim.tv_nsec};
}

Result<std::timespec> named_file_time(const FileName& name, LinkWalk walk) {
    const auto found = find(name, walk);
    if (!found) return fail(found.error());
    return found->status.st_mtim;
}

}  // namespace perfdata
