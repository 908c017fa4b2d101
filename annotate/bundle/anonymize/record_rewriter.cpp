// SPDX-License-Identifier: MIT
#include "bundle/anonymize/record_rewriter.hpp"

#include <algorithm>
#include <array>

#include "bundle/anonymize/words.hpp"

namespace perfdata {
namespace {

// The bits of misc that have a meaning in a record of that type, beside the CPU's mode.
constexpr std::uint16_t known_misc(RecordType type) {
    constexpr std::uint16_t mode = 7;
    constexpr auto bit = [](unsigned number) { return static_cast<std::uint16_t>(1u << number); };
    switch (type) {
        case RecordType::mmap: return mode | bit(12) | bit(13);
        case RecordType::mmap2: return mode | bit(12) | bit(13) | bit(14);
        case RecordType::comm:
        case RecordType::fork: return mode | bit(13);
        case RecordType::context_switch:
        case RecordType::switch_cpu_wide: return mode | bit(13) | bit(14);
        case RecordType::lost_samples:
        case RecordType::header_build_id: return mode | bit(15);
        default: return mode;
    }
}

}  // namespace

RecordRewriter::RecordRewriter(const Recording& recording, const Names& names, const CodeAddresses& places,
                               Tally& tally, ByteWriter& out)
    : recording_(recording),
      names_(names),
      places_(places),
      tally_(tally),
      out_(out),
      samples_(recording.events(), places, tally) {
    for (const auto& event : recording.events().events()) {
        furthest_id_ = std::max(furthest_id_, event.trailer.id_from_end());
    }
}

void RecordRewriter::take(const RecordView& record) {
    const auto type = record.type();
    if (type == RecordType::sample) {
        if (!samples_.rewrite(record, out_)) damaged();
        return;
    }
    if (!visit_record_type(type, [&]<class R>() { known<R>(record); })) tally_.add(Told::unknown_records);
}

template <class R>
void RecordRewriter::known(const RecordView& record) {
    constexpr bool kept = requires(RecordRewriter & self, const R& decoded) {
        self.body(record, decoded);
    };
    if constexpr (!kept) {
        leave_out(R::type);
    } else {
        constexpr bool by_kernel = R::type < RecordType::header_attr;
        const auto index = by_kernel ? recording_.events().of_other(record) : EventIndex();
        if (by_kernel && !index) return damaged();
        const auto* event = index ? &recording_.events().events()[*index] : nullptr;
        const auto trailer_size = event != nullptr ? event->trailer.size() : 0;
        if (record.bytes.size() < R::min_bytes + trailer_size) return damaged();
        const auto decoded =
            decode_record<R>(record, trailer_size, event != nullptr ? event->attr.read_format : std::uint64_t{0});
        if (!decoded) return damaged();
        out_.begin_record(R::type, record.header().misc & known_misc(R::type));
        if (!body(record, *decoded)) return out_.drop_record();
        out_.align(8, out_.record_begin());
        if (index ? !end(record, *index) : !out_.end_record()) damaged();
    }
}

//     header . body . (zeros) . trailer
//                       ^ where another event has its id
//
// Events may differ in where the records have their ids. A text is shorter or longer now, and what stood between body
// and trailer is gone, so there may be something else where another event has its id: then zeros go there, as if the
// kernel had padded a text. The first event has the records without an id, where a zero says so.
bool RecordRewriter::end(const RecordView& record, std::uint32_t event) {
    const auto& described = recording_.events().events()[event];
    const auto is_its = [&] {
        const RecordView written{.bytes = out_.written().subspan(out_.record_begin()), .order = out_.order()};
        return recording_.events().of_other(written) == event;
    };
    const auto body_end = out_.size();
    trailer(record, described);
    if (!is_its()) {
        out_.cut(body_end);
        out_.zeros(furthest_id_ - std::min(furthest_id_, described.trailer.size()));
        trailer(record, described);
        if (!is_its()) {  // an event has the id 0
            out_.drop_record();
            return false;
        }
    }
    return out_.end_record();
}

// All fields of a trailer are numbers. The half behind the number of the CPU has no meaning.
void RecordRewriter::trailer(const RecordView& record, const Event& event) {
    const auto size = event.trailer.size();
    out_.bytes(record.bytes.last(size));
    if (size == 0 || !event.attr.has(sample_bit::cpu)) return;
    const std::size_t from_end = event.attr.has(sample_bit::identifier) ? 16 : 8;
    out_.patch_u32(out_.size() - from_end + 4, 0);
}

void RecordRewriter::leave_out(RecordType type) {
    switch (type) {
        case RecordType::aux:
        case RecordType::aux_output_hw_id:
        case RecordType::auxtrace_info:
        case RecordType::auxtrace:
        case RecordType::auxtrace_error: return tally_.add(Told::aux_data);
        case RecordType::bpf_metadata: return tally_.add(Told::bpf_metadata);
        // What they say stands in the header of the new recording, or what is in them behind them.
        case RecordType::header_attr:
        case RecordType::header_feature:
        case RecordType::header_tracing_data:
        case RecordType::compressed:
        case RecordType::compressed2: return;
        default: return tally_.add(Told::unknown_records);
    }
}

bool RecordRewriter::numbers(const RecordView& record, std::size_t bytes) {
    out_.bytes(record.bytes.subspan(RecordHeader::bytes, bytes));
    return true;
}

std::string RecordRewriter::told(Told what, std::string_view before, std::string after) {
    if (after != before) tally_.add(what);
    return after;
}

std::string RecordRewriter::path(std::string_view text) {
    return told(Told::hashed_paths, text, names_.path(text));
}

bool RecordRewriter::body(const RecordView& record, const Mmap& map) {
    numbers(record, 32);
    out_.padded_text(path(map.filename), 8, out_.record_begin());
    return true;
}

bool RecordRewriter::body(const RecordView& record, const Mmap2& map) {
    numbers(record, 32);
    if (map.build_id) {
        out_.u8(map.build_id->size);
        out_.zeros(3);
        const auto bytes = map.build_id->bytes();
        out_.bytes(bytes);
        out_.zeros(map.build_id->value.size() - bytes.size());
    } else {
        out_.zeros(24);  // device and inode
    }
    out_.u32(map.protection);
    out_.u32(map.flags);
    out_.padded_text(path(map.filename), 8, out_.record_begin());
    return true;
}

bool RecordRewriter::body(const RecordView& record, const Comm& comm) {
    numbers(record, 8);
    out_.padded_text(told(Told::hashed_commands, comm.comm, names_.comm(comm.comm)), 8, out_.record_begin());
    return true;
}

bool RecordRewriter::body(const RecordView& record, const Read& read) {
    const auto format = read.read_format;
    const auto times = read_times_bytes(format);
    const bool group = (format & read_bit::group) != 0;
    const auto values = read.values.size() * read_value_bytes(format);
    return numbers(record, 8 + times + values + (group ? 8 : 0));
}

bool RecordRewriter::body(const RecordView& record, const Namespaces& namespaces) {
    numbers(record, 8);
    out_.u64(namespaces.size());
    for (std::size_t at = 0; at < namespaces.size(); ++at) {
        out_.u64(0);
        out_.u64(names_.inode(namespaces.link(at).inode));
        tally_.add(Told::hashed_namespaces);
    }
    return true;
}

bool RecordRewriter::body(const RecordView& record, const Ksymbol& symbol) {
    numbers(record, 12);
    out_.u16(symbol.kind);
    out_.u16(symbol.flags & 1);
    out_.padded_text(told(Told::hashed_symbols, symbol.name, names_.symbol(symbol.name)), 8, out_.record_begin());
    return true;
}

bool RecordRewriter::body(const RecordView&, const BpfEvent& event) {
    out_.u16(event.kind);
    out_.u16(0);
    out_.u32(event.id.value);
    out_.bytes(event.tag);
    return true;
}

bool RecordRewriter::body(const RecordView& record, const Cgroup& cgroup) {
    numbers(record, 8);
    out_.padded_text(told(Told::hashed_cgroups, cgroup.path, names_.cgroup(cgroup.path)), 8, out_.record_begin());
    return true;
}

bool RecordRewriter::body(const RecordView& record, const TextPoke& poke) {
    return numbers(record, 12 + poke.bytes.size());
}

bool RecordRewriter::body(const RecordView& record, const CallchainDeferred& chain) {
    numbers(record, 16);
    constexpr std::size_t ips_at = 24;
    const auto words = record.bytes.subspan(ips_at, 8 * chain.ips.size());
    tally_.add(Told::chain_words, write_chain(words, 0, ChainKind::rest, places_, out_));
    return true;
}

bool RecordRewriter::body(const RecordView& record, const HeaderBuildId& id) {
    numbers(record, 4);
    const auto bytes = id.build_id.bytes();
    out_.bytes(bytes);
    out_.zeros(id.build_id.value.size() - bytes.size());
    out_.u8((record.header().misc >> 15 & 1) != 0 ? id.build_id.size : 0);
    out_.zeros(3);
    out_.padded_text(path(id.filename), 8, out_.record_begin());
    return true;
}

bool RecordRewriter::body(const RecordView& record, const IdIndex& index) {
    return numbers(record, 8 + 32 * index.size() + (index.has_guests() ? 16 * index.size() : 0));
}

bool RecordRewriter::body(const RecordView&, const ThreadMap& threads) {
    constexpr std::size_t field = 16;
    out_.u64(threads.size());
    for (std::size_t at = 0; at < threads.size(); ++at) {
        const auto thread = threads.thread(at);
        const auto comm = told(Told::hashed_commands, thread.comm, names_.comm(thread.comm)).substr(0, field - 1);
        out_.u64(thread.pid);
        out_.text(comm);
        out_.zeros(field - comm.size());
    }
    return true;
}

bool RecordRewriter::cpus(const CpuMapData& cpus) {
    out_.u16(cpus.kind);
    switch (static_cast<CpuMapData::Kind>(cpus.kind)) {
        case CpuMapData::Kind::cpus:
            out_.u16(static_cast<std::uint16_t>(cpus.cpus.size()));
            for (std::size_t at = 0; at < cpus.cpus.size(); ++at) out_.u16(cpus.cpus[at]);
            return true;
        case CpuMapData::Kind::mask:
            out_.u16(static_cast<std::uint16_t>(cpus.mask32.size() + cpus.mask64.size()));
            out_.u16(cpus.long_size);
            for (std::size_t at = 0; at < cpus.mask32.size(); ++at) out_.u32(cpus.mask32[at]);
            if (cpus.long_size == 8) out_.u32(0);
            for (std::size_t at = 0; at < cpus.mask64.size(); ++at) out_.u64(cpus.mask64[at]);
            return true;
        case CpuMapData::Kind::range:
            out_.u8(cpus.range.any ? 1 : 0);
            out_.u8(0);
            out_.u16(cpus.range.first);
            out_.u16(cpus.range.last);
            return true;
    }
    tally_.add(Told::unknown_records);
    return false;
}

bool RecordRewriter::body(const RecordView&, const CpuMap& map) {
    return cpus(map.cpus);
}

bool RecordRewriter::body(const RecordView& record, const StatConfig& config) {
    return numbers(record, 8 + 16 * config.size());
}

bool RecordRewriter::body(const RecordView& record, const EventUpdate& update) {
    numbers(record, 16);
    switch (static_cast<EventUpdate::Kind>(update.kind)) {
        case EventUpdate::Kind::unit: {
            const bool known = is_unit(update.unit);
            if (!known) tally_.add(Told::hashed_words);
            out_.padded_text(known ? std::string(update.unit) : names_.group(update.unit), 8, out_.record_begin());
            return true;
        }
        case EventUpdate::Kind::scale: out_.bytes(record.bytes.subspan(24, 8)); return true;
        case EventUpdate::Kind::name: {
            const auto index = recording_.events().find(update.id.value);
            const auto attr = index ? recording_.events().events()[*index].attr : Attr{};
            const auto name = told(Told::hashed_events, update.name, names_.event(update.name, attr));
            out_.padded_text(name, 8, out_.record_begin());
            return true;
        }
        case EventUpdate::Kind::cpus: return cpus(update.cpus);
    }
    tally_.add(Told::unknown_records);
    return false;
}

bool RecordRewriter::body(const RecordView& record, const TimeConv& conversion) {
    numbers(record, 24);
    if (!conversion.short_counter) return true;
    out_.bytes(record.bytes.subspan(32, 16));
    out_.u8(conversion.short_counter->user_time_zero ? 1 : 0);
    out_.u8(conversion.short_counter->user_time_short ? 1 : 0);
    out_.zeros(6);
    return true;
}

bool RecordRewriter::body(const RecordView& record, const SchedstatCpu& stat) {
    if (stat.counters) return numbers(record, 64);
    tally_.add(Told::unknown_records);
    return false;
}

bool RecordRewriter::body(const RecordView& record, const SchedstatDomain& stat) {
    if (!stat.known()) {
        tally_.add(Told::unknown_records);
        return false;
    }
    // The writer leaves room for the counters of the newest version.
    constexpr std::size_t room = 208 - RecordHeader::bytes;
    const auto used = 16 + 4 * stat.counters.size();
    numbers(record, used);
    if (used < room) out_.zeros(room - used);
    return true;
}

// The files of a directory follow each other in the new recording: the marks of one mean nothing to the others.
bool RecordRewriter::body(const RecordView&, const FinishedRound&) {
    return recording_.data_files() == 0;
}

}  // namespace perfdata
