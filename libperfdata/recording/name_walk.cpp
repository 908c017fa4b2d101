// SPDX-License-Identifier: MIT
#include "name_walk.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "pseudo_files.hpp"

namespace perfdata {
namespace {

constexpr int to_pass = O_PATH | O_CLOEXEC;
constexpr unsigned most_links = 40;
constexpr std::size_t longest_name = 65536;  // of the rest still to walk, with links expanded

Walked failed(int problem) {
    Walked walked;
    walked.problem = problem;
    return walked;
}

// The user names a root: it may be a link, or /proc/PID/root.
Descriptor open_root(const std::string& root) {
    return Descriptor(::open(root.c_str(), to_pass | O_DIRECTORY));
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Steps is one walk. It holds descriptors of the root and of the current directory, however deep that is.
class Steps {
  public:
    Steps(Descriptor top, Descriptor start, bool confined, bool absolute, const std::string& path)
        : top_(std::move(top)), at_(std::move(start)), confined_(confined), absolute_(absolute), left_(path) {}

    Walked walk() {
        if (!look(at_.get(), here_)) return failed(errno);
        while (true) {
            const auto begin = left_.find_first_not_of('/');
            if (begin == std::string::npos) return failed(EISDIR);
            const auto end = std::min(left_.find('/', begin), left_.size());
            const auto part = left_.substr(begin, end - begin);
            left_.erase(0, end);
            if (part == ".") continue;
            if (part == "..") {
                if (const int problem = go_up()) return failed(problem);
                continue;
            }
            if (auto ended = step(part)) return std::move(*ended);
        }
    }

  private:
    struct Identity {
        dev_t device = 0;
        ino_t number = 0;

        bool operator==(const Identity&) const = default;
    };

    static bool look(int fd, Identity& identity) {
        struct stat status {};
        if (::fstat(fd, &status) != 0) return false;
        identity = {status.st_dev, status.st_ino};
        return true;
    }

    // begin_again() returns to the root, for an absolute link.
    int begin_again() {
        Descriptor top(::fcntl(top_.get(), F_DUPFD_CLOEXEC, 0));
        if (top.get() < 0 || !look(top.get(), here_)) return errno;
        at_ = std::move(top);
        above_.clear();
        absolute_ = true;
        return 0;
    }

    // The parent of a directory must be the one that the walk came from: moving a directory meanwhile does not redirect
    // the walk.
    int go_up() {
        if (above_.empty() && (confined_ || absolute_)) return 0;  // ".." of a root is the root
        Descriptor up(::openat(at_.get(), "..", to_pass | O_DIRECTORY));
        Identity identity;
        if (up.get() < 0 || !look(up.get(), identity)) return errno;
        if (!above_.empty()) {
            if (above_.back() != identity) return EXDEV;
            above_.pop_back();
        }
        at_ = std::move(up);
        here_ = identity;
        return 0;
    }

    // step(part) follows one more part of the name; a result ends the walk.
    std::optional<Walked> step(const std::string& part) {
        if (const auto kind = pseudo_file_system(at_.get())) return through(*kind, part);
        Descriptor next(::openat(at_.get(), part.c_str(), to_pass | O_NOFOLLOW));
        struct stat status {};
        if (next.get() < 0 || ::fstat(next.get(), &status) != 0) return failed(errno);
        if (S_ISLNK(status.st_mode)) return follow(next.get());
        if (S_ISDIR(status.st_mode)) {
            enter(std::move(next), {status.st_dev, status.st_ino});
            return {};
        }
        if (!left_.empty()) return failed(ENOTDIR);
        Walked walked;
        walked.fd = std::move(next);
        walked.folder = std::move(at_);
        walked.last = part;
        return walked;
    }

    void enter(Descriptor next, Identity identity) {
        above_.push_back(here_);
        here_ = identity;
        at_ = std::move(next);
    }

    std::optional<Walked> follow(int link) {
        if (++links_ > most_links) return failed(ELOOP);
        std::array<char, PATH_MAX> target;
        const auto size = ::readlinkat(link, "", target.data(), target.size());
        if (size < 0) return failed(errno);
        if (size == 0) return failed(ENOENT);
        if (static_cast<std::size_t>(size) == target.size()) return failed(ENAMETOOLONG);
        left_.insert(0, target.data(), static_cast<std::size_t>(size));
        if (left_.size() > longest_name) return failed(ENAMETOOLONG);
        if (left_.front() == '/') {
            if (const int problem = begin_again()) return failed(problem);
        }
        return {};
    }

    // through(kind, part) follows /proc/PID/root, /proc/self/root and /proc/PID/task/TID/root. Only the kernel can
    // follow these links.
    std::optional<Walked> through(std::string_view kind, const std::string& part) {
        const bool self = part == "self" || part == "thread-self", root = part == "root";
        if (kind != "proc" || confined_ || !(is_number(part) || part == "task" || self || root)) {
            Walked walked = failed(EACCES);
            walked.pseudo = kind;
            return walked;
        }
        Descriptor next(::openat(at_.get(), part.c_str(), to_pass | O_DIRECTORY | (self || root ? 0 : O_NOFOLLOW)));
        Identity identity;
        if (next.get() < 0 || !look(next.get(), identity)) return failed(errno);
        if (!root) {
            enter(std::move(next), identity);
            return {};
        }
        Descriptor top(::fcntl(next.get(), F_DUPFD_CLOEXEC, 0));
        if (top.get() < 0) return failed(errno);
        top_ = std::move(top);
        at_ = std::move(next);
        here_ = identity;
        above_.clear();
        confined_ = true;
        return {};
    }

    Descriptor top_, at_;          // O_PATH
    bool confined_;                // the root is not the machine's
    bool absolute_;                // the walk began at the root
    std::string left_;             // what is left to walk
    Identity here_;                // of at_
    std::vector<Identity> above_;  // identities of the directories that led here, the root first
    unsigned links_ = 0;
};

}  // namespace

Walked walk_by_kernel(const std::string& root, const std::string& path) {
    const auto top = open_root(root);
    if (top.get() < 0) return failed(errno);
    open_how how{};
    how.flags = to_pass;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    Walked walked;
    walked.fd = Descriptor(static_cast<int>(::syscall(SYS_openat2, top.get(), path.c_str(), &how, sizeof how)));
    if (walked.fd.get() >= 0) return walked;
    walked.problem = errno;
    // Sandboxed processes get EPERM for calls that their filter does not know; EAGAIN: somebody moves directories.
    constexpr std::array unable{ENOSYS, EPERM, EINVAL, E2BIG, EAGAIN};
    walked.unable = std::ranges::find(unable, walked.problem) != unable.end();
    return walked;
}

Walked walk_by_steps(const std::string& root, const std::string& path) {
    const bool absolute = path.starts_with('/') || !root.empty();
    auto top = open_root(root.empty() ? "/" : root);
    if (top.get() < 0) return failed(errno);
    Descriptor start(absolute ? ::fcntl(top.get(), F_DUPFD_CLOEXEC, 0) : ::open(".", to_pass | O_DIRECTORY));
    if (start.get() < 0) return failed(errno);
    return Steps(std::move(top), std::move(start), !root.empty(), absolute, path).walk();
}

}  // namespace perfdata
