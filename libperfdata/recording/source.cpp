// SPDX-License-Identifier: MIT
#include "perfdata/recording/source.hpp"

#include <algorithm>
#include <array>
#include <boost/iostreams/device/file_descriptor.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "perfdata/core/cursor.hpp"

#include "content_check.hpp"
#include "file_source.hpp"
#include "zstd_device.hpp"

namespace perfdata {
namespace {

namespace io = boost::iostreams;

class MemorySource final : public Source {
  public:
    explicit MemorySource(Bytes bytes) : bytes_(bytes) {}

    std::uint64_t size() const override { return bytes_.size(); }
    Bytes in_memory() const override { return bytes_; }

    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset >= bytes_.size()) return std::size_t{0};
        const auto rest = bytes_.subspan(static_cast<std::size_t>(offset));
        const auto count = std::min(rest.size(), out.size());
        std::copy_n(rest.begin(), count, out.begin());
        return count;
    }

  private:
    Bytes bytes_;
};

enum class Packing { none, gzip, xz, zstd };

Packing packing_of(Bytes start) {
    const auto text = as_text(start);
    if (text.starts_with("\x1f\x8b")) return Packing::gzip;
    if (text.starts_with(std::string_view("\xfd"
                                          "7zXZ\0",
                                          6)))
        return Packing::xz;
    if (text.starts_with("\x28\xb5\x2f\xfd")) return Packing::zstd;
    return Packing::none;
}

// head is the part of the input already read to examine its first bytes.
class HeadFirst {
  public:
    using char_type = char;
    using category = io::source_tag;

    HeadFirst(int fd, std::string_view head) : fd_(fd), head_(head) {}

    std::streamsize read(char* out, std::streamsize count) {
        if (!head_.empty()) {
            const auto taken = std::min(head_.size(), static_cast<std::size_t>(count));
            std::copy_n(head_.begin(), taken, out);
            head_.remove_prefix(taken);
            return static_cast<std::streamsize>(taken);
        }
        for (;;) {
            const auto got = ::read(fd_, out, static_cast<std::size_t>(count));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw std::system_error(errno, std::generic_category(), "cannot read");
            return got == 0 ? -1 : static_cast<std::streamsize>(got);
        }
    }

  private:
    int fd_;
    std::string_view head_;
};

// SourceDevice reads a source from its beginning.
class SourceDevice {
  public:
    using char_type = char;
    using category = io::source_tag;

    explicit SourceDevice(const Source& source) : source_(&source) {}

    std::streamsize read(char* out, std::streamsize count) {
        const auto room = std::as_writable_bytes(std::span(out, static_cast<std::size_t>(count)));
        const auto got = source_->read_at(offset_, room);
        if (!got) throw std::runtime_error(got.error().message());
        offset_ += *got;
        return *got == 0 ? -1 : static_cast<std::streamsize>(*got);
    }

  private:
    const Source* source_;
    std::uint64_t offset_ = 0;
};

// spool(...) copies (and unpacks) everything readable from a device to a temporary file. A truncated compressed stream
// yields what could be unpacked before the break.
template <class Device>
Result<std::shared_ptr<const Source>> spool(const Device& device, Packing packing, const std::string& path,
                                            const Limits& limits, Content content) {
    auto file = Spool::create(path, limits.unpacked_bytes);
    if (!file) return fail(std::move(file.error()));
    std::optional<Error> damage;
    ContentCheck check(content, path);
    try {
        // A filter that fails loses the output buffered in the same call: keep the buffer small.
        constexpr std::streamsize small = 1024;
        io::filtering_streambuf<io::input> in;
        if (packing == Packing::gzip) in.push(io::gzip_decompressor(), small);
        if (packing == Packing::xz) in.push(io::lzma_decompressor(), small);
        if (packing == Packing::zstd) {
            in.push(ZstdDevice(device), std::streamsize{65536});
        } else {
            in.push(device, std::streamsize{65536});
        }
        std::array<char, 65536> buffer;
        while (in.sgetc() != std::char_traits<char>::eof()) {
            const auto ready = std::min<std::streamsize>(in.in_avail(), buffer.size());
            const auto got =
                std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(in.sgetn(buffer.data(), ready))));
            if (auto right = check.more(got); !right) return fail(std::move(right.error()));
            if (auto put = file->append(got); !put) return fail(put.error());
        }
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& problem) {
        const bool packed = packing != Packing::none;
        damage = Error{packed ? ErrorCode::malformed : ErrorCode::io, Error::no_offset, path,
                       packed ? std::string("cannot be unpacked any further: ") + problem.what() : problem.what()};
        if (file->size() == 0) return fail(std::move(*damage));
    }
    if (auto right = check.end(); !right) return fail(std::move(right.error()));
    return std::move(*file).finish(std::move(damage));
}

Result<std::size_t> read_head(int fd, std::span<std::byte> head, const std::string& path) {
    std::size_t done = 0;
    while (done < head.size()) {
        const auto got = ::read(fd, head.data() + done, head.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_failure(path, "cannot read");
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

}  // namespace

Result<std::shared_ptr<const Source>> source_of(Descriptor file, const struct stat& status, const std::string& path,
                                                const Limits& limits, Content content, bool copied) {
    std::array<std::byte, 8> head{};
    const auto got = read_head(file.get(), head, path);
    if (!got) return fail(got.error());
    const auto start = Bytes(head).first(*got);
    const auto packing = packing_of(start);
    // Files of /proc do not report their length.
    const bool has_size = status.st_size != 0 || start.empty();
    if (packing == Packing::none && !copied && S_ISREG(status.st_mode) && has_size) {
        return std::make_shared<FileSource>(std::move(file), static_cast<std::uint64_t>(status.st_size), path);
    }
    return spool(HeadFirst(file.get(), as_text(start)), packing, path, limits, content);
}

Result<std::shared_ptr<const Source>> open_source(const std::string& path, const Limits& limits) {
    return open_source(path, limits, Content::any);
}

Result<std::shared_ptr<const Source>> open_source(const std::string& path, const Limits& limits, Content content) {
    const bool standard_input = path == "-";
    Descriptor file(standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                   : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    const std::string shown = standard_input ? "standard input" : path;
    if (file.get() < 0) return io_failure(shown, "cannot open");
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return io_failure(shown, "cannot look at");
    if (S_ISDIR(status.st_mode)) {
        return fail(ErrorCode::unsupported, Error::no_offset, shown, "is a directory, not a file");
    }

    // Standard input is spooled even if it is a file: its position may be anywhere, and it may be shared.
    return source_of(std::move(file), status, shown, limits, content, standard_input);
}

Result<std::shared_ptr<const Source>> unpacked(std::shared_ptr<const Source> source, const std::string& path,
                                               const Limits& limits) {
    return unpacked(std::move(source), path, limits, Content::any);
}

Result<std::shared_ptr<const Source>> unpacked(std::shared_ptr<const Source> source, const std::string& path,
                                               const Limits& limits, Content content) {
    std::array<std::byte, 8> head{};
    const auto got = source->read_at(0, head);
    if (!got) return fail(got.error());
    const auto packing = packing_of(Bytes(head).first(*got));
    if (packing == Packing::none) return source;
    return spool(SourceDevice(*source), packing, path, limits, content);
}

std::shared_ptr<const Source> memory_source(Bytes bytes) {
    return std::make_shared<MemorySource>(bytes);
}

Result<std::string> read_whole(const Source& source, std::uint64_t limit) {
    if (source.size() > limit) {
        return fail(ErrorCode::limit, Error::no_offset, "",
                    std::to_string(source.size()) + " bytes; at most " + std::to_string(limit) + " are read");
    }
    std::string text(static_cast<std::size_t>(source.size()), '\0');
    const auto got = source.read_at(0, std::as_writable_bytes(std::span(text)));
    if (!got) return fail(got.error());
    text.resize(*got);
    return text;
}

}  // namespace perfdata
