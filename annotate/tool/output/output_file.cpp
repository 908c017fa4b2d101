// SPDX-License-Identifier: MIT
#include "output_file.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/core/cursor.hpp"

#include "core/platform.hpp"
#include "streams.hpp"

namespace perfdata::tool {
namespace {

using platform::FileStatus;
using platform::OpenMode;

// How an existing regular file is opened to be written in place. It may have been replaced by a FIFO or a link.
constexpr OpenMode in_place_mode{.what = OpenMode::For::writing, .no_link = true, .no_wait = true};

// copy(from, to) appends a whole file to another. Returns 0 or an errno.
int copy(int from, int to) {
    std::vector<std::byte> block(std::size_t{256} << 10);
    for (std::uint64_t at = 0;;) {
        const auto got = platform::read_at(from, at, block);
        if (!got) return got.error();
        if (*got == 0) return 0;
        const auto text = as_text(Bytes(block).first(*got));
        if (const int problem = platform::write_all(to, text); problem != 0) return problem;
        at += *got;
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
    if (file.place_.kind != OutputPlace::Kind::fresh && file.is_others(file.place_.status)) {
        return fail(ErrorCode::io, Error::no_offset, file.place_.name,
                    fmt::format("belongs to another user ({}), and not everybody may read what would be written: give "
                                "another name, or remove it",
                                file.place_.status.owner));
    }
    const bool regular = file.place_.is_file();
    const int problem = regular ? file.open_regular(links) : file.open_special();
    if (problem != 0) return cannot_write(file.place_.name, problem);
    return file;
}

// Returns true if the file is another user's, who must not get what is written.
bool OutputFile::is_others(const FileStatus& file) const {
    constexpr std::uint32_t all_read = 044;
    if ((place_.fresh_permissions & all_read) == all_read || place_.kind == OutputPlace::Kind::descriptor) return false;
    const bool device = !file.is_regular() && file.owner == 0;
    return file.owner != platform::user_id() && !device;
}

int OutputFile::open_special() {
    constexpr int above_standard = 3;
    const bool is_number = place_.kind == OutputPlace::Kind::descriptor;
    const OpenMode mode{.what = OpenMode::For::writing, .cut = place_.status.is_regular()};
    auto opened = is_number ? platform::duplicate(place_.descriptor, above_standard)
                  : place_.status.kind == platform::FileKind::socket ? platform::connect(place_.path)
                                                                     : platform::open(place_.path, mode);
    if (!opened) return opened.error();
    descriptor_ = std::move(*opened);
    return 0;
}

int OutputFile::open_regular(HardLinks links) {
    const auto slash = place_.path.rfind('/');
    const auto directory = slash == std::string::npos ? "." : place_.path.substr(0, slash + 1);
    if (place_.kind == OutputPlace::Kind::fresh) {
        auto temporary = TemporaryFile::create(directory, place_.fresh_permissions);
        if (!temporary) return temporary.error();
        temporary_.emplace(std::move(*temporary));
        return 0;
    }
    if (links == HardLinks::keep && place_.status.links > 1) {
        return open_in_place(fmt::format("it has {} names", place_.status.links));
    }
    // A write-protected file is kept, although its directory would permit replacing it.
    if (const auto old = platform::open(place_.path, in_place_mode); !old) return old.error();
    constexpr std::uint32_t private_mode = 0600;  // until it gets the mode of the old one
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
    auto opened = platform::open(place_.path, in_place_mode);
    if (!opened) return opened.error();
    descriptor_ = std::move(*opened);
    const auto status = platform::status(descriptor_.get());
    if (!status) return status.error();
    if (!status->is_regular() || FileIdentity(*status) != place_.identity) return EBUSY;  // replaced meanwhile
    old_text_ = true;
    in_place_ = std::move(why);
    return 0;
}

// Prepares for writing. Returns 0 or an errno.
int OutputFile::writable() {
    if (temporary_) return temporary_->wake();
    if (!old_text_) return 0;
    old_text_ = false;
    return platform::cut(descriptor_.get());
}

void OutputFile::write(std::string_view text) {
    if (problem_ != 0 || text.empty()) return;
    problem_ = writable();
    if (problem_ == 0) {
        problem_ = platform::write_all(temporary_ ? temporary_->descriptor() : descriptor_.get(), text);
    }
}

void OutputFile::rest() {
    if (!temporary_ || problem_ != 0) return;
    problem_ = temporary_->rest();
}

Result<void> OutputFile::commit() {
    if (problem_ == 0) problem_ = writable();
    if (problem_ == 0) problem_ = temporary_ ? replace() : descriptor_.close();
    if (problem_ == 0 || (!place_.is_file() && is_reader_gone(problem_))) return {};
    if (in_place_.empty() || old_text_) return cannot_write(place_.name, problem_);
    return fail(
        ErrorCode::io, Error::no_offset, place_.name,
        fmt::format("cannot write: {}; what is there now is not whole ({})", std::strerror(problem_), in_place_));
}

bool OutputFile::is_terminal() const {
    return !temporary_ && platform::is_terminal(descriptor_.get());
}

// Copies the old file's attributes to the temporary file. Returns 0, or the errno of an attribute that must not be
// lost.
int OutputFile::keep_attributes(const FileStatus& old) {
    const int descriptor = temporary_->descriptor();
    const auto fresh = platform::status(descriptor);
    if (!fresh) return fresh.error();
    if (fresh->owner != old.owner || fresh->group != old.group) {
        if (const int problem = platform::set_owner(descriptor, old.owner, old.group); problem != 0) return problem;
    }
    if (const auto from = platform::open(place_.path, in_place_mode))
        platform::copy_attributes(from->get(), descriptor);
    const auto owned = platform::status(descriptor);
    if (!owned) return owned.error();
    return owned->permissions == old.permissions ? 0 : platform::set_permissions(descriptor, old.permissions);
}

int OutputFile::replace() {
    const auto content = platform::duplicate(temporary_->descriptor());
    if (!content) return content.error();
    const auto old = platform::link_status(place_.path);
    if (!old) return temporary_->move_to(place_.path);
    // It may have been created meanwhile, by anybody: nothing of that is kept.
    if (!old->is_regular()) return old->is_directory() ? EISDIR : EEXIST;
    if (place_.kind == OutputPlace::Kind::fresh) return temporary_->move_to(place_.path);
    if (is_others(*old)) return EPERM;
    if (const int lost = keep_attributes(*old); lost != 0) {
        return copy_in_place(content->get(), *old, "a new file cannot have its owner and mode", lost);
    }
    const int problem = temporary_->move_to(place_.path);
    if (!forbids_replacing(problem)) return problem;
    return copy_in_place(content->get(), *old, "its directory does not allow to replace it", problem);
}

int OutputFile::copy_in_place(int content, const FileStatus& old, std::string_view why, int problem) {
    place_.identity = FileIdentity(old);
    if (const int refused = open_in_place(fmt::format("{}: {}", why, std::strerror(problem))); refused != 0) {
        return refused;
    }
    old_text_ = false;
    if (const int failed = platform::cut(descriptor_.get()); failed != 0) return failed;
    if (const int failed = copy(content, descriptor_.get()); failed != 0) return failed;
    return descriptor_.close();
}

}  // namespace perfdata::tool
