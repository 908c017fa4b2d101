// SPDX-License-Identifier: MIT
#include "perfdata/recording/spool.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include "file_source.hpp"

namespace perfdata {
namespace {

Result<void> write_all(int fd, Bytes bytes) {
    while (!bytes.empty()) {
        const auto put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return io_failure("temporary file", "cannot write");
        bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return {};
}

}  // namespace

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

Result<Spool> Spool::create(std::string path, std::uint64_t most) {
    const char* configured = std::getenv("TMPDIR");
    std::string name = (configured != nullptr && *configured != '\0' ? std::string(configured) : "/tmp");
    name += "/perfdata-XXXXXX";
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) return io_failure(name, "cannot make a temporary file (set TMPDIR to a directory with room)");
    ::unlink(name.c_str());
    return Spool(Descriptor(fd), std::move(path), most);
}

Result<void> Spool::append(Bytes bytes) {
    if (bytes.size() > most_ - size_) {
        return fail(ErrorCode::limit, Error::no_offset, path_,
                    "unpacks to more than " + std::to_string(most_) + " bytes");
    }
    if (auto written = write_all(file_.get(), bytes); !written) return written;
    size_ += bytes.size();
    return {};
}

std::shared_ptr<const Source> Spool::finish(std::optional<Error> damage) && {
    return std::make_shared<FileSource>(std::move(file_), size_, std::move(path_), std::move(damage));
}

}  // namespace perfdata
