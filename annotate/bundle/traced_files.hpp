// SPDX-License-Identifier: MIT
// Notes which files are opened for names, bytes and lines of code.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perfdata/core/shared.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"

#include "logged_source.hpp"

namespace perfdata {

// TracedFiles is the files beneath it, and notes what was opened of them with success: who runs reports and listings on
// it knows every file that these need. Names that are not there it looks up in other roots as well, such as those of
// containers: build ids prove files that are found so. What it notes grows with the files that are opened.
class TracedFiles final : public FileSystem {
  public:
    // Opened is a file that was found; whether it was then used is for others to judge.
    struct Opened {
        FileName name;    // as it was asked for
        FileName actual;  // where it was found
        // Of each opening. Gone once nobody uses it: of threads that open a file at once all but one drop theirs.
        std::vector<std::weak_ptr<const Source>> contents;

        // Returns the content in use; null if nobody uses any.
        std::shared_ptr<const Source> in_use() const {
            for (const auto& content : contents) {
                if (auto used = content.lock()) return used;
            }
            return {};
        }
    };

    // `roots`: directories to look below for names that are not there. `cores`: paths of copies of the kernel's memory;
    // it notes which bytes of these are read.
    TracedFiles(Shared<const FileSystem> beneath, std::vector<std::string> roots, std::set<std::string> cores)
        : beneath_(std::move(beneath)), roots_(std::move(roots)), cores_(std::move(cores)) {}

    // Has the object of that build id (hexadecimal) found in every build-id cache. Call it before anything is opened.
    void add_object(const std::string& build_id, FileName actual) { objects_[build_id] = std::move(actual); }
    // Has the file of that path, which nothing proves, found elsewhere: in the root of the processes that mapped it; or
    // nowhere. Call it before anything is opened.
    void redirect(const std::string& path, std::optional<FileName> actual) {
        redirected_[path] = actual ? std::move(*actual) : FileName{};
    }
    // Returns where such an object is; null if it is none.
    const FileName* added_object(const FileName& name) const;

    // Looks for names below the directory `virtual_one` below the directory `real` instead. Call it before anything is
    // opened.
    void rename(std::string virtual_one, std::string real) { renamed_ = {std::move(virtual_one), std::move(real)}; }

    const FileSystem& beneath() const { return *beneath_; }
    // Returns the name to show for one that was opened.
    std::string shown(const std::string& name) const override;
    // Returns where a name leads: to itself, or to another root.
    FileName resolved(const FileName& name) const;

    // Returns the ELF files that were opened, sorted by name.
    std::vector<Opened> elf_files() const;
    // Returns where the text of that name was found; null if no such text was opened.
    std::optional<FileName> text_file(const std::string& shown) const;
    // Returns true if that file of source text was read, whatever name led to it.
    bool read_text(const FileName& name) const;
    // Returns what was read of the kernel's table of names; null if it was not read.
    std::shared_ptr<const std::string> kernel_table() const;
    // Returns the copy of the kernel's memory that was opened, and its path; null if none was.
    std::shared_ptr<const LoggedSource> core() const;
    std::string core_path() const;

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content = Content::any) const override;
    Result<std::shared_ptr<const Source>> open_given(const std::string& path, const Limits& limits,
                                                     Content content = Content::any) const override;
    Result<std::shared_ptr<const Source>> open_watched(const FileName& name, const Limits& limits, Content content,
                                                       const Watch& watch) const override;
    Result<std::shared_ptr<const Source>> open_given_watched(const std::string& path, const Limits& limits,
                                                             Content content, const Watch& watch) const override;
    bool has(const FileName& name) const override { return beneath_->has(resolved(name)); }
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override;
    Result<std::string> read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                 const Watch& watch) const override;
    Result<std::string> read_kernel_file_start(const std::string& path, std::uint64_t most) const override {
        return beneath_->read_kernel_file_start(path, most);
    }
    Result<std::shared_ptr<const Source>> vdso() const override { return beneath_->vdso(); }
    std::optional<FileTime> modified(const FileName& name) const override { return beneath_->modified(resolved(name)); }
    std::optional<FileIdentity> identity(const FileName& name) const override {
        return beneath_->identity(resolved(name));
    }

  private:
    using Opening = Result<std::shared_ptr<const Source>>;

    Opening noted(Opening opened, const FileName& name, const FileName& actual, Content content, bool given) const;
    Result<std::string> noted(Result<std::string> text, const std::string& path) const;

    Shared<const FileSystem> beneath_;
    std::vector<std::string> roots_;
    std::set<std::string> cores_;
    std::map<std::string, FileName> objects_;     // by build id, hexadecimal
    std::map<std::string, FileName> redirected_;  // by path
    std::pair<std::string, std::string> renamed_;

    mutable std::mutex mutex_;
    mutable std::map<std::pair<std::string, std::string>, Opened> elf_files_;  // by root and path
    mutable std::set<FileIdentity> texts_;
    mutable std::map<std::string, FileName> text_files_;  // by the name that was asked for, as shown
    mutable std::shared_ptr<const std::string> kernel_table_;
    mutable std::shared_ptr<const LoggedSource> core_;
    mutable std::string core_path_;
};

}  // namespace perfdata
