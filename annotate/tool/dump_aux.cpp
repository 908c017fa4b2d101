// SPDX-License-Identifier: MIT
#include "dump_aux.hpp"

#include <algorithm>
#include <cerrno>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "perfdata/wire/record/auxtrace.hpp"

namespace perfdata::tool {
namespace {

std::unexpected<Error> cannot_write(const std::string& path) {
    return fail(ErrorCode::io, Error::no_offset, path, fmt::format("cannot write: {}", std::strerror(errno)));
}

// AuxFiles are the files being written, under temporary names beside their places until commit().
class AuxFiles {
  public:
    struct Buffer {
        std::string path, temporary;
        std::uint64_t size = 0;
    };

    explicit AuxFiles(std::string prefix) : prefix_(std::move(prefix)) {}
    AuxFiles(const AuxFiles&) = delete;
    AuxFiles& operator=(const AuxFiles&) = delete;
    ~AuxFiles() {
        for (const auto& [key, buffer] : buffers_) {
            if (!buffer.temporary.empty()) ::unlink(buffer.temporary.c_str());
        }
    }

    // buffer(record) is the one that the record's payload belongs to. Errors: io, limit.
    Result<Buffer*> buffer(const Auxtrace& record) {
        constexpr std::size_t most = 4096;  // a recording has one for each CPU or thread
        const auto [found, added] = buffers_.try_emplace({record.cpu, record.tid.value, record.index});
        auto& buffer = found->second;
        if (!added) return &buffer;
        if (buffers_.size() > most) {
            buffers_.erase(found);
            return fail(ErrorCode::limit, Error::no_offset, "--aux", fmt::format("more than {} buffers", most));
        }
        constexpr auto none = ~std::uint32_t{0};
        buffer.path = record.cpu != none ? fmt::format("{}.cpu{}.idx{}", prefix_, record.cpu, record.index)
                                         : fmt::format("{}.tid{}.idx{}", prefix_, record.tid.value, record.index);
        auto temporary = buffer.path + ".XXXXXX";
        const int fd = ::mkstemp(temporary.data());
        if (fd < 0) return cannot_write(buffer.path);
        ::fchmod(fd, 0644);
        ::close(fd);
        buffer.temporary = std::move(temporary);
        return &buffer;
    }

    Result<void> commit() {
        for (auto& [key, buffer] : buffers_) {
            if (std::rename(buffer.temporary.c_str(), buffer.path.c_str()) != 0) return cannot_write(buffer.path);
            buffer.temporary.clear();
        }
        return {};
    }

  private:
    struct Key {
        std::uint32_t cpu, tid, index;
        auto operator<=>(const Key&) const = default;
    };

    std::string prefix_;
    std::map<Key, Buffer> buffers_;
};

// append(payload, buffer) copies it in blocks. Errors of the output only; those of the input are told by `damage`.
Result<void> append(const RecordStream::Payload& payload, AuxFiles::Buffer& buffer, DiagnosticLog& damage) {
    constexpr std::uint64_t block_bytes = std::uint64_t{1} << 20;
    // Opened for each payload: there may be more buffers than a process may have open files.
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(buffer.temporary.c_str(), "ab"), std::fclose);
    if (!file) return cannot_write(buffer.path);
    std::setvbuf(file.get(), nullptr, _IONBF, 0);
    std::vector<std::byte> block(static_cast<std::size_t>(std::min(payload.size, block_bytes)));
    for (std::uint64_t done = 0; done < payload.size;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(payload.size - done, block.size()));
        const auto got = payload.source.read_at(payload.offset + done, std::span(block).first(wanted));
        if (!got) {
            damage.add(got.error());
            return {};
        }
        if (std::fwrite(block.data(), 1, *got, file.get()) != *got) return cannot_write(buffer.path);
        done += *got;
        buffer.size += *got;
        if (*got < wanted) {
            damage.add({ErrorCode::truncated, payload.offset + done, "AUX data", "the file has become shorter"});
            return {};
        }
    }
    return {};
}

}  // namespace

Result<void> extract_aux(const Recording& recording, const std::string& prefix, DumpLines& lines,
                         Completeness& completeness) {
    AuxFiles files(prefix);
    auto stream = recording.records();
    RecordView record;
    std::uint64_t records = 0;
    while (stream.next(record)) {
        if (record.type() != RecordType::auxtrace) continue;
        ++records;
        auto& counts = completeness.records[static_cast<std::uint32_t>(RecordType::auxtrace)];
        const auto trace = Auxtrace::decode(record, 0);
        const auto payload = stream.payload();
        if (!trace || !payload) {
            ++counts.damaged;
            if (!trace) completeness.diagnostics.add(trace.error());
            continue;
        }
        ++counts.decoded;
        const std::string* path = nullptr;
        std::uint64_t at = 0;
        std::uint64_t written = 0;
        if (payload->size != 0) {
            const auto buffer = files.buffer(*trace);
            if (!buffer) return fail(buffer.error());
            path = &(*buffer)->path;
            at = (*buffer)->size;
            if (auto done = append(*payload, **buffer, completeness.diagnostics); !done) return done;
            written = (*buffer)->size - at;
        }
        lines.line(record, {}, nullptr, [&](auto&& visit) {
            trace->fields(visit);
            if (path != nullptr) {
                visit("file", std::string_view(*path));
                visit("file_offset", at);
            }
            visit("written", written);
        });
    }
    completeness.diagnostics.append(stream.problems());
    completeness.bytes.unread = stream.unread_bytes();
    if (records == 0) {
        return fail(ErrorCode::missing, Error::no_offset, "--aux", "there is no AUX data in this recording");
    }
    return files.commit();
}

}  // namespace perfdata::tool
