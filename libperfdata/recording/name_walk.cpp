// SPDX-License-Identifier: MIT
#include "name_walk.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "owner_proof.hpp"
#include "pseudo_files.hpp"

namespace perfdata {
namespace {

using platform::Answer;
using platform::Descriptor;
using platform::OpenMode;

constexpr OpenMode to_pass{.what = OpenMode::For::place, .directory = true};
constexpr OpenMode to_look_at{.what = OpenMode::For::place, .no_link = true};
constexpr unsigned most_links_walked = 40;
constexpr std::size_t longest_rest = 65536;  // of the rest still to walk, with links expanded

// How somebody else may have made a name lead to a file.
constexpr std::string_view unknown_start = "its path begins where nobody knows whose that is";
constexpr std::string_view foreign_directory = "a directory on the way to it belongs to another user";
constexpr std::string_view foreign_link_there = "a link of another user leads to it";
constexpr std::string_view written_directory =
    "others may write to a directory on the way to it (everybody, a group, or by an access list)";
constexpr std::string_view unproven_owner =
    "its file system does not prove owners (mounted with nosuid, by FUSE, or over a network)";
constexpr std::string_view link_in_shared = "a link to it is in a directory where everybody may put one, as in /tmp";
constexpr std::string_view other_root = "it is below the root of a process, who may mount anything there";

Walked failed(int problem) {
    Walked walked;
    walked.problem = problem;
    return walked;
}

// The user names a root: it may be a link, or /proc/PID/root.
Answer<Descriptor> open_root(const std::string& root) {
    return platform::open(root, to_pass);
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Returns true for /proc/PID/root, and for what is below it.
bool is_of_process(const std::string& root) {
    return std::filesystem::path(root).lexically_normal().string().starts_with("/proc/");
}

// Steps is one walk. It holds descriptors of the root and of the current directory, however deep that is.
class Steps {
  public:
    Steps(Descriptor top, Descriptor start, bool confined, bool absolute, bool of_process, const std::string& path,
          std::optional<std::uint32_t> friendly)
        : top_(std::move(top)),
          at_(std::move(start)),
          confined_(confined),
          absolute_(absolute),
          of_process_(of_process),
          passable_(absolute),
          foreign_way_(absolute ? std::string_view() : unknown_start),
          friendly_(friendly),
          left_(path) {}

    Walked walk() {
        if (const int problem = look(at_.get(), here_)) return failed(problem);
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
        std::uint64_t device = 0, number = 0;

        bool operator==(const Identity&) const = default;
    };

    // look(fd, identity) returns 0 or an errno. It is for directories.
    int look(int fd, Identity& identity) {
        const auto status = platform::status(fd);
        if (!status) return status.error();
        identity = {status->device, status->inode};
        pass(fd, *status);
        return 0;
    }

    void pass(int fd, const platform::FileStatus& directory) {
        passable_ = passable_ && everybody_passes(directory, fd) && everybody_looks_into(fd);
        constexpr std::uint32_t sticky = 01000;
        const bool writable = others_may_write(directory, fd);
        shared_ = writable && (directory.permissions & sticky) != 0;
        if (writable && !shared_) is_foreign_way(written_directory);
        if (is_foreign(directory.owner)) is_foreign_way(foreign_directory);
        if (!owners_are_proven(fd)) is_foreign_way(unproven_owner);
    }

    // Notes the first reason.
    void is_foreign_way(std::string_view why) {
        if (foreign_way_.empty()) foreign_way_ = why;
    }

    bool is_foreign(std::uint32_t owner) const {
        return owner != 0 && owner != platform::user_id() && owner != friendly_;
    }

    // begin_again() returns to the root, for an absolute link.
    int begin_again() {
        auto top = platform::duplicate(top_.get());
        if (!top) return top.error();
        if (const int problem = look(top->get(), here_)) return problem;
        at_ = std::move(*top);
        above_.clear();
        absolute_ = true;
        return 0;
    }

    // The parent of a directory must be the one that the walk came from: moving a directory meanwhile does not redirect
    // the walk.
    int go_up() {
        if (above_.empty() && (confined_ || absolute_)) return 0;  // ".." of a root is the root
        auto up = platform::open_at(at_.get(), "..", to_pass);
        if (!up) return up.error();
        Identity identity;
        if (const int problem = look(up->get(), identity)) return problem;
        if (!above_.empty()) {
            if (above_.back() != identity) return EXDEV;
            above_.pop_back();
        }
        at_ = std::move(*up);
        here_ = identity;
        return 0;
    }

    // step(part) follows one more part of the name; a result ends the walk.
    std::optional<Walked> step(const std::string& part) {
        if (const auto kind = pseudo_file_system(at_.get())) return through(*kind, part);
        auto next = platform::open_at(at_.get(), part, to_look_at);
        if (!next) return failed(next.error());
        const auto status = platform::status(next->get());
        if (!status) return failed(status.error());
        if (status->kind == platform::FileKind::link) {
            // Everybody may move there what is in a directory of theirs; but no directory of others.
            if (shared_) is_foreign_way(link_in_shared);
            if (!owners_are_proven(next->get())) {
                unproven_link_ = true;
                is_foreign_way(unproven_owner);
            }
            if (is_foreign(status->owner)) is_foreign_way(foreign_link_there);
            if (status->owner != 0 && status->owner != platform::user_id()) foreign_link_ = true;
            return follow(next->get());
        }
        if (status->is_directory()) {
            pass(next->get(), *status);
            enter(std::move(*next), {status->device, status->inode});
            return {};
        }
        if (!left_.empty()) return failed(ENOTDIR);
        // A file may be mounted alone.
        if (!owners_are_proven(next->get())) is_foreign_way(unproven_owner);
        Walked walked;
        walked.fd = std::move(*next);
        walked.folder = std::move(at_);
        walked.last = part;
        walked.foreign_link = foreign_link_;
        walked.unproven_link = unproven_link_;
        passable_ = passable_ && everybody_looks_into(walked.fd.get());
        walked.passable = passable_ && !of_process_;
        walked.passable_inside = passable_;
        walked.foreign_way = foreign_way_;
        walked.shared = shared_;
        return walked;
    }

    void enter(Descriptor next, Identity identity) {
        above_.push_back(here_);
        here_ = identity;
        at_ = std::move(next);
    }

    std::optional<Walked> follow(int link) {
        if (++links_ > most_links_walked) return failed(ELOOP);
        const auto target = platform::link_target(link);
        if (!target) return failed(target.error());
        if (target->empty()) return failed(ENOENT);
        left_.insert(0, *target);
        if (left_.size() > longest_rest) return failed(ENAMETOOLONG);
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
        auto mode = to_pass;
        mode.no_link = !self && !root;
        auto next = platform::open_at(at_.get(), part, mode);
        if (!next) return failed(next.error());
        Identity identity;
        if (const int problem = look(next->get(), identity)) return failed(problem);
        if (!root) {
            enter(std::move(*next), identity);
            return {};
        }
        auto top = platform::duplicate(next->get());
        if (!top) return failed(top.error());
        top_ = std::move(*top);
        at_ = std::move(*next);
        here_ = identity;
        above_.clear();
        confined_ = true;
        of_process_ = true;
        is_foreign_way(other_root);
        return {};
    }

    Descriptor top_, at_;                                // places
    bool confined_;                                      // the root is not the machine's
    bool absolute_;                                      // the walk began at the root
    bool of_process_;                                    // the root is that of a process
    bool passable_;                                      // for everybody who is at the root, as far as the walk came
    bool foreign_link_ = false, unproven_link_ = false;  // it followed a link of another user, or maybe of one
    std::string_view foreign_way_;                       // how somebody else may have made it come here
    bool shared_ = false;  // others may add to the current directory, but not replace what is there
    std::optional<std::uint32_t> friendly_;
    std::string left_;             // what is left to walk
    Identity here_;                // of at_
    std::vector<Identity> above_;  // identities of the directories that led here, the root first
    unsigned links_ = 0;
};

}  // namespace

Walked walk_by_kernel(const std::string& root, const std::string& path) {
    Answer<Descriptor> place;
    if (root.empty()) {
        place = platform::open_place(path);
    } else {
        const auto top = open_root(root);
        if (!top) return failed(top.error());
        place = platform::open_place_within(top->get(), path);
    }
    Walked walked;
    if (place) {
        walked.fd = std::move(*place);
        // Who asks by steps is told that the name leads into such a file system.
        walked.unable = root.empty() && pseudo_file_system(walked.fd.get());
        if (walked.unable) walked.fd = {};
        return walked;
    }
    walked.problem = place.error();
    // Our own walk goes to other file systems, through /proc/PID/root, and by links of others in /tmp that the kernel
    // does not follow.
    if (root.empty() && walked.problem != ENOENT && walked.problem != ENOTDIR) {
        walked.unable = true;
        return walked;
    }
    // Sandboxed processes get EPERM for calls that their filter does not know; EAGAIN: somebody moves directories.
    constexpr std::array unable{ENOSYS, EPERM, EINVAL, E2BIG, EAGAIN};
    walked.unable = std::ranges::find(unable, walked.problem) != unable.end();
    return walked;
}

Walked walk_by_steps(const std::string& root, const std::string& path, std::optional<std::uint32_t> friendly) {
    const bool absolute = path.starts_with('/') || !root.empty();
    auto top = open_root(root.empty() ? "/" : root);
    if (!top) return failed(top.error());
    auto start = absolute ? platform::duplicate(top->get()) : platform::open(".", to_pass);
    if (!start) return failed(start.error());
    return Steps(std::move(*top), std::move(*start), !root.empty(), absolute, is_of_process(root), path, friendly)
        .walk();
}

}  // namespace perfdata
