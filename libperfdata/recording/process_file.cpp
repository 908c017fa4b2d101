// SPDX-License-Identifier: MIT
#include "perfdata/recording/process_file.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string_view>

#include "core/platform.hpp"
#include "file_source.hpp"

namespace perfdata {
namespace {

// LivingProcess holds the directory of a process in /proc: of this very process, also once another one has its number.
class LivingProcess {
  public:
    explicit LivingProcess(std::uint32_t pid)
        : directory_(platform::open("/proc/" + std::to_string(pid),
                                    {.what = platform::OpenMode::For::place, .directory = true})),
          path_(directory_ ? "/proc/self/fd/" + std::to_string(directory_->get()) : std::string()) {}

    // Returns the user as whom it does everything; nothing if it has several, or has ended.
    std::optional<std::uint32_t> user() const {
        if (!directory_) return {};
        std::ifstream status(path_ + "/status");
        std::string line;
        while (std::getline(status, line)) {
            constexpr std::string_view key = "Uid:";
            if (!line.starts_with(key)) continue;
            std::istringstream numbers(line.substr(key.size()));
            std::uint32_t real = 0, effective = 0, saved = 0, of_files = 0;
            numbers >> real >> effective >> saved >> of_files;
            const bool one = numbers && real == effective && real == saved && real == of_files;
            return one ? std::optional(real) : std::nullopt;
        }
        return {};
    }

    bool lives() const { return directory_.has_value(); }

    // Returns when it began, in seconds since 1970.
    std::optional<std::int64_t> began() const {
        std::ifstream stat(path_ + "/stat"), up("/proc/uptime");
        std::string text;
        std::getline(stat, text);
        // 12 (name) S 1 12 ...: the name may have any characters. The 22nd word is when it began.
        const auto behind = text.rfind(')');
        if (behind == std::string::npos) return {};
        std::istringstream words(text.substr(behind + 1));
        constexpr int words_between = 19;
        for (int word = 0; word < words_between; ++word) words >> text;
        std::int64_t ticks = 0;
        double seconds_up = 0;
        constexpr std::int64_t ticks_a_second = 100;  // USER_HZ of all architectures that perf is for
        if (!(words >> ticks) || !(up >> seconds_up)) return {};
        return std::time(nullptr) - static_cast<std::int64_t>(seconds_up) + ticks / ticks_a_second;
    }

    bool runs_one_of(std::span<const MappedProgram> programs) const {
        const auto link =
            platform::open_at(directory_->get(), "exe", {.what = platform::OpenMode::For::place, .no_link = true});
        const auto path = link ? platform::link_target(link->get()) : std::unexpected(0);
        const auto program = platform::status(path_ + "/exe");
        if (!path || !program) return false;
        const auto inode = mapped_inode(*path);
        return std::ranges::any_of(programs, [&](const MappedProgram& one) {
            if (!one.inode) {
                const auto there = named_file_identity({path_ + "/root", one.path});
                return there && there->device == program->device && there->inode == program->inode;
            }
            return inode && inode->number == one.inode->number && inode->major == one.inode->major &&
                   inode->minor == one.inode->minor;
        });
    }

  private:
    // Returns what records would say of its program, which may be another device than that of stat(2).
    std::optional<FileInode> mapped_inode(const std::string& program) const {
        std::ifstream maps(path_ + "/maps");
        std::string line;
        while (std::getline(maps, line)) {
            // 55d0c0000000-55d0c0001000 r-xp 00000000 fd:01 1234    /usr/bin/x
            std::istringstream words(line);
            std::string range, permissions, offset, path;
            FileInode inode;
            char colon = 0;
            words >> range >> permissions >> offset >> std::hex >> inode.major >> colon >> inode.minor >> std::dec >>
                inode.number >> std::ws;
            if (words && std::getline(words, path) && path == program) return inode;
        }
        return {};
    }

    platform::Answer<platform::Descriptor> directory_;
    std::string path_;
};

}  // namespace

Result<std::shared_ptr<const Source>> open_of_process(std::uint32_t pid, std::span<const MappedProgram> mapped,
                                                      const FileName& there, const Limits& limits,
                                                      NamedFileOptions how) {
    const LivingProcess process(pid);
    const auto user = process.user();
    const auto is_same = [&] { return user && process.runs_one_of(mapped) && process.user() == user; };
    if (is_same()) {
        if (!how.on_behalf_of) how.on_behalf_of = user;
        how.trusted_links = true;
        how.inside_process = how.on_behalf_of != no_user;  // else nothing below that root is everybody's
        auto opened = open_named_file(there, limits, how);
        if (!opened || is_same()) return opened;
    }
    return fail(ErrorCode::mismatch, Error::no_offset, there.shown(),
                "process " + std::to_string(pid) +
                    " has ended, runs another program than in the recording, or has rights of several users: nothing "
                    "says whose the file is");
}

bool may_be_map_of(std::uint32_t pid, const Source& source) {
    const LivingProcess process(pid);
    if (!process.lives()) return true;
    const auto* file = dynamic_cast<const FileSource*>(&source);
    if (file == nullptr || !file->read_from()) return false;
    const auto began = process.began();
    constexpr std::int64_t rounding = 2;  // seconds
    return process.user() == file->read_from()->owner && began && file->read_from()->seconds + rounding >= *began;
}

}  // namespace perfdata
