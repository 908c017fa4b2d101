// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_dump.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "perfdata/timeline/jit_dump_walk.hpp"

namespace perfdata {
namespace {

// Holds the name of a CODE_LOAD wherever the record begins.
constexpr std::size_t block_bytes = 128 << 10;
static_assert(block_bytes >= JitCodeLoad::fixed_bytes + JitCodeLoad::longest_name);

std::string described(const JitRecordHeader& header) {
    const auto name = jit_record_type_name(header.type);
    return "a record of type " + (name.empty() ? std::to_string(header.type) : std::string(name)) + " and " +
           std::to_string(header.size) + " bytes";
}

}  // namespace

Result<JitDump> JitDump::open(const std::string& path, const Limits& limits) {
    auto source = open_source(path, limits);
    if (!source) return fail(std::move(source.error()));
    return open(std::move(*source), path, limits);
}

Result<JitDump> JitDump::open(std::shared_ptr<const Source> source, std::string name, const Limits& limits) {
    std::array<std::byte, JitDumpHeader::min_bytes> start{};
    const auto got = source->read_at(0, start);
    if (!got) return fail(got.error());
    auto header = JitDumpHeader::decode(Bytes(start).first(*got));
    if (!header) {
        header.error().where = name;
        return fail(std::move(header.error()));
    }
    if (header->size > source->size()) {
        return fail(
            ErrorCode::truncated, 8, std::move(name),
            "a header of " + std::to_string(header->size) + " bytes in a file of " + std::to_string(source->size()));
    }
    return JitDump(std::move(source), std::move(name), limits, *header);
}

Result<std::vector<std::byte>> JitDump::read(std::uint64_t offset, std::uint64_t size) const {
    const auto total = source_->size();
    if (offset > total || size > total - offset) {
        return fail(ErrorCode::truncated, offset, name_,
                    std::to_string(size) + " bytes go beyond the end of " + std::to_string(total) + " bytes");
    }
    if (size > limits_.section_bytes) {
        return fail(ErrorCode::limit, offset, name_,
                    std::to_string(size) + " bytes; at most " + std::to_string(limits_.section_bytes) + " are read");
    }
    std::vector<std::byte> content(static_cast<std::size_t>(size));
    const auto got = source_->read_at(offset, content);
    if (!got) return fail(got.error());
    if (*got != content.size()) return fail(ErrorCode::truncated, offset, name_, "the file has become shorter");
    return content;
}

JitRecordReader::JitRecordReader(const JitDump& dump, Completeness& completeness)
    : dump_(dump), completeness_(completeness), at_(dump.header().size), size_(dump.source().size()) {
    completeness_.bytes.total += size_;
    completeness_.bytes.outside_records += at_;
    if (const auto damage = dump.source().damage()) completeness_.diagnostics.add(*damage);
    if (dump.header().unknown_flags() != 0) {
        completeness_.diagnostics.add({ErrorCode::unsupported, 32, dump.name(),
                                       "flags " + std::to_string(dump.header().flags) + "; only 1 is known"});
    }
    if (dump.source().in_memory().empty()) block_.resize(block_bytes);
}

Bytes JitRecordReader::held(std::uint64_t offset, std::size_t size) {
    if (const auto all = dump_.source().in_memory(); !all.empty()) {
        return all.subspan(static_cast<std::size_t>(offset), size);
    }
    const bool inside = offset >= block_at_ && offset - block_at_ <= block_size_ &&
                        size <= block_size_ - static_cast<std::size_t>(offset - block_at_);
    if (!inside) {
        block_at_ = offset;
        block_size_ = 0;
        const auto got = dump_.source().read_at(offset, block_);
        if (!got) {
            completeness_.diagnostics.add(got.error());
            return {};
        }
        block_size_ = *got;
    }
    const auto at = static_cast<std::size_t>(offset - block_at_);
    return Bytes(block_).subspan(at, std::min(size, block_size_ - at));
}

void JitRecordReader::end(ErrorCode code, std::string detail) {
    completeness_.diagnostics.add({code, at_, dump_.name(), std::move(detail)});
    completeness_.bytes.unread += size_ - at_;
    at_ = size_;
}

std::optional<JitRecordView> JitRecordReader::next() {
    const auto left = size_ - at_;
    if (left == 0) return {};
    JitRecordView record{{}, {}, at_, dump_.header().order};
    if (left < JitRecordHeader::bytes) {
        end(ErrorCode::truncated, "a record is cut off: there are " + std::to_string(left) + " bytes of it");
        return {};
    }
    if (const auto start = held(at_, JitRecordHeader::bytes); start.size() == JitRecordHeader::bytes) {
        record.header = JitRecordHeader::load(start.data(), record.order);
    } else {
        end(ErrorCode::io, "the file has become shorter, or cannot be read");
        return {};
    }
    if (record.header.size < JitRecordHeader::bytes) {
        end(ErrorCode::malformed, described(record.header) + ": what is behind it cannot be found");
        return {};
    }
    if (record.header.size > left) {
        end(ErrorCode::truncated,
            described(record.header) + " is cut off: there are " + std::to_string(left) + " bytes of it");
        return {};
    }
    const auto needed = with_jit_record_type(
        record.header.type, [&]<class R>() { return R::held_bytes(record.header); },
        [] { return std::uint64_t{JitRecordHeader::bytes}; });
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(needed, record.header.size));
    record.bytes = held(at_, wanted);
    if (record.bytes.size() != wanted) {
        end(ErrorCode::io, "the file has become shorter, or cannot be read");
        return {};
    }
    at_ += record.header.size;
    completeness_.bytes.records += record.header.size;
    return record;
}

}  // namespace perfdata
