// SPDX-License-Identifier: MIT
// ArchivedFiles for a library built without libarchive: opens none.
#include <utility>

#include "perfdata/symbols/elf/find/archived_files.hpp"

namespace perfdata {

bool ArchivedFiles::available() {
    return false;
}

Result<std::shared_ptr<const ArchivedFiles>> ArchivedFiles::open(const std::string& path, Shared<const FileSystem>,
                                                                 const Limits&, const Progress&) {
    return fail(ErrorCode::unsupported, Error::no_offset, path,
                "is a file, and this perfdata was built without libarchive: unpack it and give the directory, or "
                "install libarchive-dev and build it with -DPERFDATA_ARCHIVES=ON");
}

Result<std::shared_ptr<const ArchivedFiles>> ArchivedFiles::open(const std::string& path,
                                                                 Shared<const FileSystem> beneath, const Limits& limits,
                                                                 const Watch& watch) {
    return open(path, std::move(beneath), limits, watch.progress);
}

Result<std::shared_ptr<const Source>> ArchivedFiles::open(const FileName& name, const Limits& limits,
                                                          Content content) const {
    return beneath_->open(name, limits, content);
}

Result<std::shared_ptr<const Source>> ArchivedFiles::open_given(const std::string& path, const Limits& limits,
                                                                Content content) const {
    return beneath_->open_given(path, limits, content);
}

Result<std::shared_ptr<const Source>> ArchivedFiles::open_watched(const FileName& name, const Limits& limits,
                                                                  Content content, const Watch& watch) const {
    return beneath_->open_watched(name, limits, content, watch);
}

Result<std::shared_ptr<const Source>> ArchivedFiles::open_given_watched(const std::string& path, const Limits& limits,
                                                                        Content content, const Watch& watch) const {
    return beneath_->open_given_watched(path, limits, content, watch);
}

bool ArchivedFiles::has(const FileName& name) const {
    return beneath_->has(name);
}

Result<std::string> ArchivedFiles::read_kernel_file(const std::string& path, std::uint64_t most) const {
    return beneath_->read_kernel_file(path, most);
}

Result<std::string> ArchivedFiles::read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                            const Watch& watch) const {
    return beneath_->read_kernel_file_watched(path, most, watch);
}

Result<std::string> ArchivedFiles::read_kernel_file_start(const std::string& path, std::uint64_t most) const {
    return beneath_->read_kernel_file_start(path, most);
}

Result<std::shared_ptr<const Source>> ArchivedFiles::vdso() const {
    return beneath_->vdso();
}

std::optional<FileTime> ArchivedFiles::modified(const FileName& name) const {
    return beneath_->modified(name);
}

std::string ArchivedFiles::shown(const std::string& path) const {
    return beneath_->shown(path);
}

std::optional<FileIdentity> ArchivedFiles::identity(const FileName& name) const {
    return beneath_->identity(name);
}

}  // namespace perfdata
