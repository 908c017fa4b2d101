// SPDX-License-Identifier: MIT
// ArchivedFiles of a library that was built without libarchive: there are none.
#include "perfdata/symbols/archived_files.hpp"

namespace perfdata {

bool ArchivedFiles::available() {
    return false;
}

Result<std::shared_ptr<const ArchivedFiles>> ArchivedFiles::open(const std::string& path,
                                                                 std::shared_ptr<const FileSystem>, const Limits&,
                                                                 const Progress&) {
    return fail(ErrorCode::unsupported, Error::no_offset, path,
                "is a file, and this perfdata was built without libarchive: unpack it and give the directory, or "
                "install libarchive-dev and build it with -DPERFDATA_ARCHIVES=ON");
}

Result<std::shared_ptr<const Source>> ArchivedFiles::open(const std::string& path, const Limits& limits) const {
    return beneath_->open(path, limits);
}

Result<std::string> ArchivedFiles::read_kernel_file(const std::string& path, std::uint64_t most) const {
    return beneath_->read_kernel_file(path, most);
}

Result<std::string> ArchivedFiles::read_kernel_file_start(const std::string& path, std::uint64_t most) const {
    return beneath_->read_kernel_file_start(path, most);
}

std::optional<FileTime> ArchivedFiles::modified(const std::string& path) const {
    return beneath_->modified(path);
}

}  // namespace perfdata
