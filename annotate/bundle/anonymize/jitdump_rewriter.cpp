// SPDX-License-Identifier: MIT
// Jitdumps without names, lines and unwind information.
#include <algorithm>

#include "perfdata/timeline/jit_dump_walk.hpp"

#include "bundle/anonymize/byte_writer.hpp"
#include "bundle/anonymize/file_rewriters.hpp"
#include "recording/look_out.hpp"
#include "recording/spool.hpp"

namespace perfdata {
namespace {

constexpr std::string_view dump_copy = "anonymized jitdump";

class DumpWriter {
  public:
    DumpWriter(const JitDump& dump, const Names& names, Tally& tally, Spool& spool, LookOut& look)
        : dump_(dump), names_(names), tally_(tally), spool_(spool), look_(look), out_(dump.header().order) {}

    void header() {
        const auto& header = dump_.header();
        out_.u32(JitDumpHeader::magic);
        out_.u32(header.version);
        out_.u32(JitDumpHeader::min_bytes);
        out_.u32(header.elf_machine);
        out_.u32(0);
        out_.u32(header.namespace_pid);
        out_.u64(header.timestamp);
        out_.u64(header.flags & JitDumpHeader::arch_timestamp_flag);
        flush();
    }

    void operator()(const JitRecordView& record, const JitCodeLoad& load) {
        const auto name = names_.symbol(load.name);
        if (name != load.name) tally_.add(Told::hashed_symbols);
        const auto size = JitCodeLoad::fixed_bytes + name.size() + 1 + load.range.size;
        if (size > UINT32_MAX) return tally_.add(Told::damaged_records);
        begin(record, size);
        out_.u32(load.namespace_pid);
        out_.u32(load.namespace_tid);
        out_.u64(load.vma.value);
        out_.u64(load.range.begin.value);
        out_.u64(load.range.size);
        out_.u64(load.index);
        out_.text(name);
        out_.u8(0);
        flush();
        copy(load.code_at, load.range.size);
    }
    void operator()(const JitRecordView& record, const JitCodeMove& move) {
        begin(record, 64);
        out_.u32(move.namespace_pid);
        out_.u32(move.namespace_tid);
        out_.u64(move.vma.value);
        out_.u64(move.from.value);
        out_.u64(move.to.begin.value);
        out_.u64(move.to.size);
        out_.u64(move.index);
        flush();
    }
    void operator()(const JitRecordView& record, const JitCodeClose&) {
        begin(record, JitRecordHeader::bytes);
        flush();
    }
    void operator()(const JitRecordView&, const JitDebugInfo& info) { tally_.add(Told::source_lines, info.count); }
    void operator()(const JitRecordView&, const JitUnwindingInfo&) { tally_.add(Told::unwind_information); }

    const std::optional<Error>& error() const { return error_; }

  private:
    void begin(const JitRecordView& record, std::uint64_t size) {
        out_.u32(record.header.type);
        out_.u32(static_cast<std::uint32_t>(size));
        out_.u64(record.header.timestamp);
    }
    void flush() {
        append(out_.written());
        out_.clear();
    }
    void append(Bytes bytes) {
        if (error_) return;
        if (auto written = spool_.append(bytes); !written) error_ = std::move(written.error());
    }
    // What cannot be read of the code is zero: its size is in front of it already.
    void copy(std::uint64_t offset, std::uint64_t size) {
        constexpr std::uint64_t block = std::uint64_t{256} << 10;
        std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(size, block)));
        for (std::uint64_t done = 0; done < size && !error_;) {
            look_.ask();
            const auto part = std::span(buffer).first(static_cast<std::size_t>(std::min(size - done, block)));
            const auto got = dump_.source().read_at(offset + done, part);
            if (!got) {
                error_ = got.error();
                return;
            }
            std::fill(part.begin() + static_cast<std::ptrdiff_t>(*got), part.end(), std::byte{0});
            append(part);
            done += part.size();
        }
    }

    const JitDump& dump_;
    const Names& names_;
    Tally& tally_;
    Spool& spool_;
    LookOut& look_;
    ByteWriter out_;
    std::optional<Error> error_;
};

}  // namespace

Result<std::shared_ptr<const Source>> anonymous_jitdump(const Source& file, const Names& names, Tally& tally,
                                                        const Watch& watch) {
    const std::shared_ptr<const Source> borrowed(std::shared_ptr<const Source>(), &file);
    const auto dump = JitDump::open(borrowed, std::string(dump_copy));
    if (!dump) return fail(dump.error());
    auto spool = Spool::create(std::string(dump_copy), ~std::uint64_t{0});
    if (!spool) return fail(std::move(spool.error()));
    LookOut look(watch, file.size());
    DumpWriter writer(*dump, names, tally, *spool, look);
    Completeness seen;
    try {
        writer.header();
        dump->walk(seen, writer, [&] { look(); });
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, std::string(dump_copy), "asked to stop");
    }
    if (writer.error()) return fail(*writer.error());
    for (const auto& [type, counts] : seen.records) {
        tally.add(Told::damaged_records, counts.damaged);
        tally.add(Told::unknown_records, counts.skipped);
    }
    return std::move(*spool).finish();
}

}  // namespace perfdata
