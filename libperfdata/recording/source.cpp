// SPDX-License-Identifier: MIT
#include "perfdata/recording/source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/named_file.hpp"

#include "content_check.hpp"
#include "file_source.hpp"
#include "owner_proof.hpp"
#include "pulse.hpp"
#include "spool.hpp"
#include "unpack.hpp"

namespace perfdata {
namespace {

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

class CallbackSource final : public Source {
  public:
    CallbackSource(std::uint64_t size, ReadAt read_at, std::string name)
        : size_(size), read_at_(std::move(read_at)), name_(std::move(name)) {}

    std::uint64_t size() const override { return size_; }

    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (!read_at_) return fail(ErrorCode::io, offset, name_, "nothing reads it");
        std::size_t done = 0;
        while (done < out.size() && offset + done < size_) {
            const auto wanted =
                static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, size_ - offset - done));
            auto got = read_at_(offset + done, out.subspan(done, wanted));
            if (!got) return got;
            if (*got > wanted) {
                return fail(ErrorCode::io, offset + done, name_,
                            "its reader claims " + std::to_string(*got) + " bytes where " + std::to_string(wanted) +
                                " were asked for");
            }
            if (*got == 0) break;  // it has shrunk
            done += *got;
        }
        return done;
    }

  private:
    std::uint64_t size_;
    ReadAt read_at_;
    std::string name_;
};

// Reads what comes next of a file, and asks meanwhile whether to stop: a pipe may have nothing for hours.
platform::Answer<std::size_t> read_next(int fd, std::span<std::byte> out, Pulse& pulse) {
    constexpr int milliseconds_a_look = 50;
    for (;;) {
        while (pulse.beats() && !platform::wait_for_input(fd, milliseconds_a_look)) {
            if (!pulse.look()) return std::unexpected(ECANCELED);
        }
        const auto got = platform::read(fd, out);
        // Whoever shares the file with us may have been faster.
        if (got || got.error() != EAGAIN || !pulse.beats()) return got;
    }
}

// Returns what reads the rest of a file after `head`, the part that was read to look at it.
ReadPacked read_from(int fd, Bytes head, Pulse& pulse) {
    return [fd, head, &pulse](std::span<std::byte> out) mutable -> std::expected<std::size_t, std::string> {
        if (!head.empty()) {
            const auto taken = std::min(head.size(), out.size());
            std::copy_n(head.begin(), taken, out.begin());
            head = head.subspan(taken);
            return taken;
        }
        const auto got = read_next(fd, out, pulse);
        if (!got) return std::unexpected("cannot read: " + std::generic_category().message(got.error()));
        return *got;
    };
}

// Returns what reads a source from its beginning.
ReadPacked read_from(const Source& source) {
    return [&source,
            offset = std::uint64_t{0}](std::span<std::byte> out) mutable -> std::expected<std::size_t, std::string> {
        const auto got = source.read_at(offset, out);
        if (!got) return std::unexpected(got.error().message());
        offset += *got;
        return *got;
    };
}

// spool(...) copies (and unpacks) everything that can be read to a temporary file. A truncated compressed stream yields
// what could be unpacked before the break.
Result<std::shared_ptr<const Source>> spool(const ReadPacked& read, Packing packing, const std::string& path,
                                            const Limits& limits, Content content, Pulse& pulse,
                                            std::optional<ReadFrom> from) {
    if (!pulse.look()) return fail(pulse.stopped(path));
    auto file = Spool::create(path, limits.unpacked_bytes);
    if (!file) return fail(std::move(file.error()));
    ContentCheck check(content, path);
    Result<void> taken;
    const auto watched = [&](std::span<std::byte> out) -> std::expected<std::size_t, std::string> {
        auto got = read(out);
        if (got && !pulse.go_on(*got)) return std::unexpected("asked to stop");
        return got;
    };
    const auto broken = unpack_stream(packing, watched, [&](Bytes got) {
        taken = check.more(got);
        if (taken) taken = file->append(got);
        return taken.has_value() && pulse.go_on_making(got.size());
    });
    if (pulse.is_stopped()) return fail(pulse.stopped(path));
    if (!taken) return fail(std::move(taken.error()));
    std::optional<Error> damage;
    if (broken) {
        const bool packed = packing != Packing::none;
        damage = Error{packed ? ErrorCode::malformed : ErrorCode::io, Error::no_offset, path,
                       packed ? "cannot be unpacked any further: " + *broken : *broken};
        if (file->size() == 0) return fail(std::move(*damage));
    }
    if (auto right = check.end(); !right) return fail(std::move(right.error()));
    return std::move(*file).finish(std::move(damage), std::move(from));
}

Result<std::size_t> read_head(int fd, std::span<std::byte> head, const std::string& path, Pulse& pulse) {
    std::size_t done = 0;
    while (done < head.size()) {
        const auto got = read_next(fd, head.subspan(done), pulse);
        if (!got && pulse.is_stopped()) return fail(pulse.stopped(path));
        if (!got) return io_failure(path, "cannot read", got.error());
        if (*got == 0) break;
        done += *got;
    }
    return done;
}

}  // namespace

Source::~Source() = default;

Result<std::shared_ptr<const Source>> source_of(platform::Descriptor file, const platform::FileStatus& status,
                                                const std::string& path, const Limits& limits, Content content,
                                                const Watch& watch, bool copied) {
    std::array<std::byte, 8> head{};
    Pulse pulse(watch, status.is_regular() ? status.size : 0);
    const auto got = read_head(file.get(), head, path, pulse);
    if (!got) return fail(got.error());
    const auto start = Bytes(head).first(*got);
    const auto packing = packing_of(start);
    // Files of /proc do not report their length.
    const bool has_size = status.size != 0 || start.empty();
    if (packing == Packing::none && !copied && status.is_regular() && has_size) {
        return std::make_shared<FileSource>(std::move(file), status, path);
    }
    const bool theirs = others_may_write(status, file.get()) || (status.is_regular() && !owners_are_proven(file.get()));
    const auto held = std::make_shared<const platform::Descriptor>(std::move(file));
    return spool(read_from(held->get(), start, pulse), packing, path, limits, content, pulse,
                 ReadFrom{status, theirs, held});
}

Result<std::shared_ptr<const Source>> open_source(const std::string& path, const Limits& limits) {
    return open_source(path, limits, Content::any);
}

Result<std::shared_ptr<const Source>> open_source(const std::string& path, const Limits& limits, Content content,
                                                  const Watch& watch) {
    const bool standard_input = path == "-";
    const std::string shown = standard_input ? "standard input" : path;
    // Who may stop does not wait for the writer of a FIFO, either.
    const platform::OpenMode mode{.no_wait = watch.stop.stop_possible() || watch.progress};
    auto file = standard_input ? platform::duplicate(platform::standard_input) : platform::open(path, mode);
    if (!file) return io_failure(shown, "cannot open", file.error());
    const auto status = platform::status(file->get());
    if (!status) return io_failure(shown, "cannot look at", status.error());
    if (status->is_directory()) {
        return fail(ErrorCode::unsupported, Error::no_offset, shown, "is a directory, not a file");
    }

    // Standard input is spooled even if it is a file: its position may be anywhere, and it may be shared.
    return source_of(std::move(*file), *status, shown, limits, content, watch, standard_input);
}

Result<std::shared_ptr<const Source>> unpacked(std::shared_ptr<const Source> source, const std::string& path,
                                               const Limits& limits) {
    return unpacked(std::move(source), path, limits, Content::any);
}

Result<std::shared_ptr<const Source>> unpacked(std::shared_ptr<const Source> source, const std::string& path,
                                               const Limits& limits, Content content, const Watch& watch) {
    std::array<std::byte, 8> head{};
    const auto got = source->read_at(0, head);
    if (!got) return fail(got.error());
    const auto packing = packing_of(Bytes(head).first(*got));
    if (packing == Packing::none) return source;
    Pulse pulse(watch, source->size());
    const auto* file = dynamic_cast<const FileSource*>(source.get());
    auto from = file != nullptr && file->path() == path ? file->read_from() : std::nullopt;
    if (from && file->opened()) {
        from->written_by_others = others_may_have_written(*source);
        from->held = source;
    }
    return spool(read_from(*source), packing, path, limits, content, pulse, std::move(from));
}

std::shared_ptr<const Source> memory_source(Bytes bytes) {
    return std::make_shared<MemorySource>(bytes);
}

std::shared_ptr<const Source> callback_source(std::uint64_t size, ReadAt read_at, std::string name) {
    return std::make_shared<CallbackSource>(size, std::move(read_at), std::move(name));
}

Result<std::string> read_part(const Source& source, std::uint64_t offset, std::size_t size, const Watch& watch) {
    constexpr std::size_t bytes_a_look = std::size_t{8} << 20;
    Pulse pulse(watch, size);
    const auto step = pulse.beats() ? bytes_a_look : size;
    std::string text;
    text.reserve(size + 1);
    while (text.size() < size) {
        const auto begin = text.size();
        text.resize(begin + std::min(step, size - begin));
        const auto got = source.read_at(offset + begin, std::as_writable_bytes(std::span(text)).subspan(begin));
        if (!got) return fail(got.error());
        if (*got != text.size() - begin) {
            text.resize(begin + *got);
            break;
        }
        if (!pulse.go_on(*got)) return fail(pulse.stopped({}));
    }
    return text;
}

Result<std::string> read_whole(const Source& source, std::uint64_t limit, const Watch& watch) {
    if (source.size() > limit) {
        return fail(ErrorCode::limit, Error::no_offset, "",
                    std::to_string(source.size()) + " bytes; at most " + std::to_string(limit) + " are read");
    }
    return read_part(source, 0, static_cast<std::size_t>(source.size()), watch);
}

}  // namespace perfdata
