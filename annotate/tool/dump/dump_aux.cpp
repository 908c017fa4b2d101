// SPDX-License-Identifier: MIT
#include "dump_aux.hpp"

#include <algorithm>
#include <compare>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "perfdata/recording/record_stream.hpp"
#include "perfdata/wire/record/auxtrace.hpp"

namespace perfdata::tool {
namespace {

// AuxFiles are the files being written; they appear with commit().
class AuxFiles {
  public:
    struct Buffer {
        std::string path;
        std::optional<OutputFile> file;
        std::uint64_t size = 0;
    };

    AuxFiles(std::string prefix, const Common& common)
        : prefix_(std::move(prefix)), taken_(common.taken), quiet_(common.quiet) {}

    // buffer(record) returns the buffer of the record's payload. Errors: io, limit.
    Result<Buffer*> buffer(const Auxtrace& record) {
        constexpr std::size_t most = 4096;  // a recording has one per CPU or thread
        const auto [found, added] = buffers_.try_emplace({record.cpu, record.tid.value, record.index});
        auto& buffer = found->second;
        if (!added) return &buffer;
        if (buffers_.size() > most) {
            return fail(ErrorCode::limit, Error::no_offset, "--aux", fmt::format("more than {} buffers", most));
        }
        constexpr auto none = ~std::uint32_t{0};
        buffer.path = record.cpu != none ? fmt::format("{}.cpu{}.idx{}", prefix_, record.cpu, record.index)
                                         : fmt::format("{}.tid{}.idx{}", prefix_, record.tid.value, record.index);
        auto place = OutputPlace::find(buffer.path);
        if (!place) return fail(place.error());
        if (const auto role = taken_.claim(*place, "another file of --aux")) refuse_taken("--aux", buffer.path, *role);
        auto file = OutputFile::open(std::move(*place));
        if (!file) return fail(file.error());
        buffer.file.emplace(std::move(*file));
        return &buffer;
    }
    // rest() is called between payloads: there may be more buffers than the limit of open files.
    void rest(Buffer& buffer) const {
        constexpr std::size_t few = 64;
        if (buffers_.size() > few) buffer.file->rest();
    }

    Result<void> commit() {
        for (auto& [key, buffer] : buffers_) {
            if (auto done = buffer.file->commit(); !done) return done;
            const auto& why = buffer.file->in_place();
            if (!why.empty() && !quiet_) {
                complain(fmt::format("note: {} was written in place, and not replaced: {}", buffer.path, why));
            }
        }
        return {};
    }

  private:
    struct Key {
        std::uint32_t cpu, tid, index;
        auto operator<=>(const Key&) const = default;
    };

    std::string prefix_;
    TakenFiles taken_;
    bool quiet_;
    std::map<Key, Buffer> buffers_;
};

// append(payload, buffer) copies the payload in blocks. Input errors go to `damage`; output errors are reported at the
// end.
void append(const RecordStream::Payload& payload, AuxFiles::Buffer& buffer, DiagnosticLog& damage) {
    constexpr std::uint64_t block_bytes = std::uint64_t{1} << 20;
    std::vector<std::byte> block(static_cast<std::size_t>(std::min(payload.size, block_bytes)));
    for (std::uint64_t done = 0; done < payload.size && !buffer.file->failed();) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(payload.size - done, block.size()));
        const auto got = payload.source.read_at(payload.offset + done, std::span(block).first(wanted));
        if (!got) {
            damage.add(got.error());
            return;
        }
        buffer.file->write(as_text(std::span<const std::byte>(block).first(*got)));
        if (buffer.file->failed()) return;
        done += *got;
        buffer.size += *got;
        if (*got < wanted) {
            damage.add({ErrorCode::truncated, payload.offset + done, "AUX data", "the file has become shorter"});
            return;
        }
    }
}

}  // namespace

Result<void> extract_aux(const Recording& recording, const std::string& prefix, const Common& common, DumpLines& lines,
                         Completeness& completeness) {
    AuxFiles files(prefix, common);
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
            append(*payload, **buffer, completeness.diagnostics);
            if ((*buffer)->file->failed()) {
                if (auto ended = (*buffer)->file->commit(); !ended) return ended;
            }
            files.rest(**buffer);
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
