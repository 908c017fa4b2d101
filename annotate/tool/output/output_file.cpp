// SPDX-License-Identifier: MIT
#include "output_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "streams.hpp"

namespace perfdata::tool {
namespace {

template <class Call>
int retried(Call call) {
    int result = -1;
    do {
        result = call();
    } while (result < 0 && errno == EINTR);
    return result;
}

int closed(int& descriptor) {
    const int result = descriptor < 0 ? 0 : ::close(std::exchange(descriptor, -1));
    return result == 0 || errno == EINTR ? 0 : errno;
}

// Returns a descriptor connected to a named socket, or -1 with errno.
int connect_to(const std::string& path) {
    ::sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    if (retried([&] { return ::connect(descriptor, reinterpret_cast<const ::sockaddr*>(&address), sizeof address); }) ==
        0) {
        return descriptor;
    }
    const int problem = errno;
    ::close(descriptor);
    errno = problem;
    return -1;
}

// True for access lists, labels, and users' own attributes. File capabilities and signatures applied to the old
// content.
bool is_kept(std::string_view attribute) {
    return attribute.starts_with("user.") || attribute == "system.posix_acl_access" || attribute == "security.selinux";
}

// Attributes that cannot be copied are those that only the system may set.
void copy_extended_attributes(int from, int to) {
    std::vector<char> names(std::size_t{64} << 10), value(std::size_t{64} << 10);
    const auto size = ::flistxattr(from, names.data(), names.size());
    for (ssize_t at = 0; at < size;) {
        const char* name = names.data() + at;
        at += static_cast<ssize_t>(std::strlen(name)) + 1;
        if (!is_kept(name)) continue;
        const auto got = ::fgetxattr(from, name, value.data(), value.size());
        if (got >= 0) (void)::fsetxattr(to, name, value.data(), static_cast<std::size_t>(got), 0);
    }
}

// copy(from, to) appends a whole file to another. Returns 0 or an errno.
int copy(int from, int to) {
    std::vector<char> block(std::size_t{256} << 10);
    for (::off_t at = 0;;) {
        const auto got = ::pread(from, block.data(), block.size(), at);
        if (got == 0) return 0;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (const int problem = write_all(to, {block.data(), static_cast<std::size_t>(got)}); problem != 0) {
            return problem;
        }
        at += got;
    }
}

// True if the directory does not permit replacing a file, or the file is a mount point. If a disk is full or broken, an
// old file is better left alone.
bool forbids_replacing(int problem) {
    return problem == EACCES || problem == EPERM || problem == EROFS || problem == ENAMETOOLONG || problem == EBUSY ||
           problem == EXDEV;
}

}  // namespace

Result<OutputFile> OutputFile::open(OutputPlace place, HardLinks links) {
    OutputFile file(std::move(place));
    const bool regular = file.place_.is_file();
    const int problem = regular ? file.open_regular(links) : file.open_special();
    if (problem != 0) return cannot_write(file.place_.name, problem);
    return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : place_(std::move(other.place_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      old_text_(other.old_text_),
      in_place_(std::move(other.in_place_)),
      problem_(other.problem_) {
    other.temporary_.reset();
}

OutputFile::~OutputFile() {
    (void)closed(descriptor_);
}

int OutputFile::open_special() {
    if (place_.kind == OutputPlace::Kind::descriptor) {
        constexpr int above_standard = 3;
        descriptor_ = ::fcntl(place_.descriptor, F_DUPFD_CLOEXEC, above_standard);
    } else if (S_ISSOCK(place_.status.st_mode)) {
        descriptor_ = connect_to(place_.path);
    } else {
        const int cut = S_ISREG(place_.status.st_mode) ? O_TRUNC : 0;
        descriptor_ = retried([&] { return ::open(place_.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | cut); });
    }
    return descriptor_ >= 0 ? 0 : errno;
}

int OutputFile::open_regular(HardLinks links) {
    const auto slash = place_.path.rfind('/');
    const auto directory = slash == std::string::npos ? "." : place_.path.substr(0, slash + 1);
    if (place_.kind == OutputPlace::Kind::fresh) {
        constexpr ::mode_t new_mode = 0666;  // restricted by the umask
        auto temporary = TemporaryFile::create(directory, new_mode);
        if (!temporary) return temporary.error();
        temporary_.emplace(std::move(*temporary));
        return 0;
    }
    if (links == HardLinks::keep && place_.status.st_nlink > 1) {
        return open_in_place(fmt::format("it has {} names", place_.status.st_nlink));
    }
    // A write-protected file is kept, although its directory would permit replacing it.
    int old = retried([&] { return ::open(place_.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); });
    if (old < 0) return errno;
    (void)closed(old);
    constexpr ::mode_t private_mode = 0600;  // until it gets the mode of the old one
    auto temporary = TemporaryFile::create(directory, private_mode);
    if (temporary) {
        temporary_.emplace(std::move(*temporary));
        return 0;
    }
    const int problem = temporary.error();
    if (!forbids_replacing(problem)) return problem;
    return open_in_place(fmt::format("its directory allows no new file: {}", std::strerror(problem)));
}

int OutputFile::open_in_place(std::string why) {
    descriptor_ = retried([&] { return ::open(place_.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); });
    if (descriptor_ < 0) return errno;
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) return errno;
    if (!S_ISREG(status.st_mode) || FileIdentity(status) != place_.identity) return EBUSY;  // replaced meanwhile
    old_text_ = true;
    in_place_ = std::move(why);
    return 0;
}

// Prepares for writing. Returns 0 or an errno.
int OutputFile::writable() {
    if (temporary_) return temporary_->wake();
    if (!old_text_) return 0;
    old_text_ = false;
    return retried([&] { return ::ftruncate(descriptor_, 0); }) == 0 ? 0 : errno;
}

void OutputFile::write(std::string_view text) {
    if (problem_ != 0 || text.empty()) return;
    problem_ = writable();
    if (problem_ == 0) problem_ = write_all(temporary_ ? temporary_->descriptor() : descriptor_, text);
}

void OutputFile::rest() {
    if (!temporary_ || problem_ != 0) return;
    problem_ = temporary_->rest();
}

Result<void> OutputFile::commit() {
    if (problem_ == 0) problem_ = writable();
    if (problem_ == 0) problem_ = temporary_ ? replace() : closed(descriptor_);
    if (problem_ == 0 || (!place_.is_file() && is_reader_gone(problem_))) return {};
    if (in_place_.empty() || old_text_) return cannot_write(place_.name, problem_);
    return fail(
        ErrorCode::io, Error::no_offset, place_.name,
        fmt::format("cannot write: {}; what is there now is not whole ({})", std::strerror(problem_), in_place_));
}

bool OutputFile::is_terminal() const {
    return !temporary_ && ::isatty(descriptor_) != 0;
}

// Copies the old file's attributes to the temporary file. Returns 0, or the errno of an attribute that must not be
// lost.
int OutputFile::keep_attributes(const struct stat& old) {
    const int descriptor = temporary_->descriptor();
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0) return errno;
    if (status.st_uid != old.st_uid || status.st_gid != old.st_gid) {
        if (::fchown(descriptor, old.st_uid, old.st_gid) != 0) return errno;
    }
    int from = ::open(place_.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (from >= 0) copy_extended_attributes(from, descriptor);
    (void)closed(from);
    constexpr ::mode_t permissions = 07777;
    if (::fstat(descriptor, &status) != 0) return errno;
    if ((status.st_mode & permissions) == (old.st_mode & permissions)) return 0;
    return ::fchmod(descriptor, old.st_mode & permissions) == 0 ? 0 : errno;
}

int OutputFile::replace() {
    struct stat old = {};
    const bool replaces = ::lstat(place_.path.c_str(), &old) == 0;
    int content = ::fcntl(temporary_->descriptor(), F_DUPFD_CLOEXEC, 0);
    int problem = content >= 0 ? 0 : errno;
    if (problem == 0 && replaces) {
        // It may have been created meanwhile.
        problem = S_ISREG(old.st_mode) ? 0 : S_ISDIR(old.st_mode) ? EISDIR : EEXIST;
        if (problem == 0) {
            const int lost = keep_attributes(old);
            problem = lost != 0 ? copy_in_place(content, old, "a new file cannot have its owner and mode", lost)
                                : temporary_->move_to(place_.path);
            if (lost == 0 && forbids_replacing(problem)) {
                problem = copy_in_place(content, old, "its directory does not allow to replace it", problem);
            }
        }
    } else if (problem == 0) {
        problem = temporary_->move_to(place_.path);
    }
    (void)closed(content);
    return problem;
}

int OutputFile::copy_in_place(int content, const struct stat& old, std::string_view why, int problem) {
    place_.identity = FileIdentity(old);
    if (const int refused = open_in_place(fmt::format("{}: {}", why, std::strerror(problem))); refused != 0) {
        return refused;
    }
    old_text_ = false;
    if (retried([&] { return ::ftruncate(descriptor_, 0); }) != 0) return errno;
    if (const int failed = copy(content, descriptor_); failed != 0) return failed;
    return closed(descriptor_);
}

}  // namespace perfdata::tool
