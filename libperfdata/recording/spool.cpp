// SPDX-License-Identifier: MIT
#include "spool.hpp"

#include <cstdlib>

#include "perfdata/core/cursor.hpp"

#include "file_source.hpp"

namespace perfdata {

Result<Spool> Spool::create(std::string path, std::uint64_t most) {
    const char* configured = std::getenv("TMPDIR");
    const std::string name = (configured != nullptr && *configured != '\0' ? std::string(configured) : "/tmp");
    auto file = platform::unnamed_file(name);
    if (!file) {
        return io_failure(name + "/perfdata-XXXXXX",
                          "cannot make a temporary file (set TMPDIR to a directory with room)", file.error());
    }
    return Spool(std::move(*file), std::move(path), most);
}

Result<void> Spool::append(Bytes bytes) {
    if (bytes.size() > most_ - size_) {
        return fail(ErrorCode::limit, Error::no_offset, path_,
                    "unpacks to more than " + std::to_string(most_) + " bytes");
    }
    if (const int problem = platform::write_all(file_.get(), as_text(bytes)); problem != 0) {
        return io_failure("temporary file", "cannot write", problem);
    }
    size_ += bytes.size();
    return {};
}

std::shared_ptr<const Source> Spool::finish(std::optional<Error> damage, std::optional<ReadFrom> from) && {
    return std::make_shared<FileSource>(std::move(file_), size_, std::move(path_), std::move(damage), std::move(from));
}

}  // namespace perfdata
