// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_code.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "perfdata/core/utf8.hpp"
#include "perfdata/timeline/jit_clock.hpp"
#include "perfdata/timeline/jit_dump_walk.hpp"
#include "perfdata/timeline/versioned_map_builder.hpp"

#include "recording/look_out.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t elf_headers[] = {0x40, 0x80};  // without and with a program header

// Returns what a compiler that writes for perf's ELF files adds to all line addresses: then no function has a line
// before that offset. `least` is the least distance of a first line from its function.
std::uint64_t bias_of(std::uint64_t least) {
    if (least == elf_headers[1]) return elf_headers[1];
    return least >= elf_headers[0] && least != std::numeric_limits<std::uint64_t>::max() ? elf_headers[0] : 0;
}

// The same for the lines of one function, if some lie beyond its end: they must all fit after the subtraction.
std::uint64_t bias_of(const std::vector<JitLine>& lines, std::uint64_t size) {
    const auto [least, most] = std::ranges::minmax(lines, {}, &JitLine::offset);
    if (most.offset < size) return 0;
    for (const auto bias : elf_headers) {
        if (least.offset >= bias && most.offset - bias < size) return bias;
    }
    return 0;
}

}  // namespace

// Builder collects the records in file order and then applies them in time order.
class JitCode::Builder {
  public:
    Builder(JitCode& code, const JitClock& clock, const JitCodeOptions& options)
        : code_(code), clock_(clock), options_(options) {}

    void operator()(const JitRecordView& record, const JitDebugInfo& info) {
        if (debug_.size() < limit()) {
            debug_.insert_or_assign(info.code.value, Debug{record.offset, info.first});
        } else if (!std::exchange(lines_full_, true)) {
            code_.completeness_.diagnostics.add(
                {ErrorCode::limit, record.offset, code_.dump_.name(),
                 "source lines of more than " + std::to_string(limit()) + " pieces of code that do not follow"});
        }
    }

    void operator()(const JitRecordView& record, const JitCodeLoad& load) {
        auto debug = debug_.extract(load.range.begin.value);
        const auto unwinding = std::exchange(unwinding_, {});
        if (!wanted(load.namespace_pid) || load.range.size == 0 || !room(record, load.name.size())) return;
        JitFunction function;
        function.name = code_.names_->keep(load.name);
        function.range = load.range;
        function.from = clock_.time(record.header.timestamp);
        function.index = load.index;
        function.code_at = load.code_at;
        function.code_size = function.loaded_size = load.range.size;
        // .eh_frame_hdr follows .eh_frame, as V8 writes them and perf reads them.
        function.unwind_at = unwinding.data_at;
        function.unwind_size = unwinding.size - unwinding.header_size;
        if (!debug.empty()) {
            const auto& [at, first] = debug.mapped();
            function.debug_at = at;
            if (first && *first >= load.range.begin) least_line_ = std::min(least_line_, *first - load.range.begin);
        }
        changes_.push_back({function.from, Kind::load, static_cast<std::uint32_t>(loads_.size()), record.offset});
        loads_.push_back(std::move(function));
    }

    void operator()(const JitRecordView& record, const JitCodeMove& move) {
        if (!wanted(move.namespace_pid) || !room(record, 0)) return;
        changes_.push_back({clock_.time(record.header.timestamp), Kind::move, static_cast<std::uint32_t>(moves_.size()),
                            record.offset});
        moves_.push_back({move, record.offset});
    }

    void operator()(const JitRecordView& record, const JitCodeClose&) {
        const auto at = clock_.time(record.header.timestamp);
        code_.closed_at_ = at;
        if (options_.close == JitClose::ends_code && room(record, 0))
            changes_.push_back({at, Kind::close, 0, record.offset});
    }

    // Announces how to unwind the code of the next CODE_LOAD.
    void operator()(const JitRecordView&, const JitUnwindingInfo& info) { unwinding_ = info; }

    void build(LookOut& look) {
        find_moved_numbers(look);
        // By time; records of equal time by their place.
        std::ranges::sort(changes_, {},
                          look.by([](const Change& change) { return std::pair(change.at, change.place); }));
        for (const auto& change : changes_) {
            look();
            switch (change.kind) {
                case Kind::load: add(change.at, std::move(loads_[change.index])); break;
                case Kind::move: move(change.at, moves_[change.index]); break;
                case Kind::close: close(change.at); break;
            }
        }
        code_.map_ = std::move(map_).build(look);
        for (const auto& entry : code_.map_.entries()) code_.functions_[entry.value].until = entry.until;
        code_.namespace_pids_.assign(pids_.begin(), pids_.end());
        code_.line_bias_ = bias_of(least_line_);
    }

  private:
    enum class Kind : std::uint8_t { load, move, close };
    struct Change {
        Time at;
        Kind kind;
        std::uint32_t index;  // in loads_ or moves_
        std::uint64_t place;  // of the record in the file
    };
    struct Move {
        JitCodeMove record;
        std::uint64_t offset;
    };
    struct Debug {
        std::uint64_t at;
        std::optional<Address> first;
    };

    struct Latest {
        std::uint64_t number = 0;
        std::uint32_t function = none;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::size_t limit() const { return code_.dump_.limits().code_versions; }

    bool wanted(std::uint32_t pid) {
        pids_.insert(pid);
        return !options_.namespace_pid || *options_.namespace_pid == pid;
    }

    bool room(const JitRecordView& record, std::size_t name_size) {
        const auto name_bytes = code_name_bytes(limit());
        if (!full_ && changes_.size() < limit() && name_size <= name_bytes - code_.names_->bytes()) return true;
        if (!std::exchange(full_, true)) {
            code_.completeness_.diagnostics.add({ErrorCode::limit, record.offset, code_.dump_.name(),
                                                 "more than " + std::to_string(limit()) + " pieces of code, or than " +
                                                     std::to_string(name_bytes) + " bytes of their names"});
        }
        return false;
    }

    // Few compilers move code: only moved code is indexed by its number.
    void find_moved_numbers(LookOut& look) {
        latest_.reserve(moves_.size());
        for (const auto& move : moves_) latest_.push_back({move.record.index, none});
        std::ranges::sort(latest_, {}, look.by(&Latest::number));
        const auto repeated = std::ranges::unique(latest_, {}, &Latest::number);
        latest_.erase(repeated.begin(), repeated.end());
    }

    // latest(number) returns the slot for the last place of a compilation, null if it never moves.
    Latest* latest(std::uint64_t number) {
        const auto found = std::ranges::lower_bound(latest_, number, {}, &Latest::number);
        return found == latest_.end() || found->number != number ? nullptr : &*found;
    }

    void add(Time at, JitFunction function) {
        const auto index = static_cast<std::uint32_t>(code_.functions_.size());
        function.from = at;
        if (auto* known = latest(function.index)) known->function = index;
        map_.add(at, function.range, index);
        code_.functions_.push_back(std::move(function));
    }

    // Returns the function that a move moves, found by its number, or by its place if the compiler does not number
    // usefully.
    const std::uint32_t* moved(const JitCodeMove& move) {
        const auto* known = latest(move.index);
        if (known != nullptr && known->function != none && code_.functions_[known->function].range.begin == move.from) {
            return &known->function;
        }
        const auto* live = map_.live(move.from);
        return live == nullptr ? nullptr : &live->value;
    }

    void move(Time at, const Move& move) {
        const auto* found = moved(move.record);
        if (found == nullptr) {
            code_.completeness_.diagnostics.add(
                {ErrorCode::missing, move.offset, std::string(JitCodeMove::record_name),
                 "moves code that was not there, number " + std::to_string(move.record.index)});
            return;
        }
        const auto index = *found;
        auto function = code_.functions_[index];
        // The old place may have been reused before this record.
        if (const auto* live = map_.live(move.record.from); live != nullptr && live->value == index) {
            map_.remove(at, move.record.from);
        }
        if (move.record.to.size == 0) return;
        function.range = move.record.to;
        function.index = move.record.index;
        function.code_size = std::min(function.code_size, function.range.size);
        function.moved = true;
        add(at, std::move(function));
    }

    void close(Time at) {
        for (; first_live_ < code_.functions_.size(); ++first_live_) {
            const auto begin = code_.functions_[first_live_].range.begin;
            if (const auto* live = map_.live(begin); live != nullptr && live->value == first_live_) {
                map_.remove(at, begin);
            }
        }
    }

    JitCode& code_;
    const JitClock& clock_;
    const JitCodeOptions& options_;
    std::vector<Change> changes_;
    std::vector<JitFunction> loads_;
    std::vector<Move> moves_;
    std::map<std::uint64_t, Debug> debug_;  // by address, waiting for the code
    JitUnwindingInfo unwinding_;            // likewise; of size 0 if there is none
    std::set<std::uint32_t> pids_;
    std::uint64_t least_line_ = std::numeric_limits<std::uint64_t>::max();
    bool full_ = false, lines_full_ = false;

    VersionedMap<std::uint32_t>::Builder map_{Overlap::ends};
    std::vector<Latest> latest_;  // the last place of each compilation that moves, by its number
    std::size_t first_live_ = 0;  // CODE_CLOSE ended everything before it
};

JitCode JitCode::build(const JitDump& dump, const JitClock& clock, const JitCodeOptions& options) {
    LookOut nobody;
    return read(dump, clock, options, nobody);
}

Result<JitCode> JitCode::build(const JitDump& dump, const JitClock& clock, const JitCodeOptions& options,
                               const Watch& watch) {
    try {
        LookOut look(watch, dump.source().size());
        return read(dump, clock, options, look);
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, dump.name(), "asked to stop");
    }
}

JitCode JitCode::read(const JitDump& dump, const JitClock& clock, const JitCodeOptions& options, LookOut& look) {
    JitCode code(dump);
    code.completeness_.diagnostics = DiagnosticLog(dump.limits().diagnostics);
    code.timed_ = clock.comparable();
    Builder builder(code, clock, options);
    dump.walk(code.completeness_, builder, look);
    builder.build(look);
    return code;
}

const JitFunction* JitCode::find(Address address, Time time) const {
    const auto* entry = map_.find(address, timed_ ? time : Time::forever());
    return entry == nullptr ? nullptr : &functions_[entry->value];
}

Result<std::vector<std::byte>> JitCode::image(const JitFunction& function) const {
    return dump_.read(function.code_at, function.code_size);
}

Result<std::string> JitCode::unwind_information(const JitFunction& function) const {
    if (function.unwind_size == 0) return std::string();
    const auto bytes = dump_.read(function.unwind_at, function.unwind_size);
    if (!bytes) return fail(bytes.error());
    return std::string(as_text(*bytes));
}

Result<JitLines> JitCode::lines(const JitFunction& function) const {
    if (function.debug_at == 0) return JitLines();
    const auto order = dump_.header().order;
    const auto start = dump_.read(function.debug_at, JitRecordHeader::bytes);
    if (!start) return fail(start.error());
    const auto header = JitRecordHeader::load(start->data(), order);
    auto read = dump_.read(function.debug_at, header.size);
    if (!read) return fail(read.error());
    const auto content = std::make_shared<const std::vector<std::byte>>(std::move(*read));
    const JitRecordView record{header, *content, function.debug_at, order};
    const auto info = JitDebugInfo::decode(record);
    if (!info) return fail(info.error());

    std::vector<JitLine> lines;
    // Entries that repeat a file have views of the same bytes: a long name is checked once, not for each entry.
    std::string_view known;
    bool damaged = false;
    for (JitDebugEntries entries(record);;) {
        const auto entry = entries.next();
        if (!entry) return fail(entry.error());
        if (!*entry) break;
        const auto& [address, line, discriminator, file] = **entry;
        if (address < info->code) continue;
        if (file.data() != known.data() || file.size() != known.size()) {
            known = file;
            damaged = !is_name(file);
        }
        lines.push_back({address - info->code, line, discriminator, damaged ? std::string_view() : file, damaged});
    }
    if (lines.empty()) return JitLines();
    const auto bias = line_bias_ != 0 ? line_bias_ : bias_of(lines, function.range.size);
    std::erase_if(lines,
                  [&](const JitLine& line) { return line.offset < bias || line.offset - bias >= function.range.size; });
    for (auto& line : lines) line.offset -= bias;
    // The later of several entries for one address counts: keep their order.
    std::ranges::stable_sort(lines, {}, &JitLine::offset);
    return JitLines(content, std::move(lines));
}

}  // namespace perfdata
