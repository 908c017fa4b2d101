// SPDX-License-Identifier: MIT
// Fuzz target: one recording read in several ways. Reading block by block gives the same as reading it whole; order of
// time is a stable sort; as a pipe, with -z and in the other byte order it has the same content; and many threads give
// the same as one.
#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/recording/ordered_stream.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "memory_file.hpp"
#include "promise.hpp"
#include "recording/first_pass.hpp"
#include "support/compressor.hpp"
#include "support/reading.hpp"
#include "support/repacked.hpp"
#include "support/twin.hpp"

namespace {

using namespace perfdata;
using fuzz::require;
using test::Blob;

constexpr std::size_t block_bytes = std::size_t{256} << 10;  // RecordStream's block size

struct Seen {
    Blob bytes;
    std::uint64_t offset = 0;
    bool unpacked = false;
    Time time{};

    bool operator==(const Seen&) const = default;
};

Seen seen(const RecordView& record, Time time = {}) {
    return {Blob(record.bytes.begin(), record.bytes.end()), record.offset, record.unpacked, time};
}

// Behind is a source with `before` bytes of complete records before its content, not in memory.
class Behind final : public Source {
  public:
    Behind(Blob before, Bytes content) : before_(std::move(before)), content_(content) {}

    std::uint64_t size() const override { return before_.size() + content_.size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        std::size_t done = 0;
        for (const Bytes part : {Bytes(before_), content_}) {
            if (offset < part.size()) {
                const auto from = part.subspan(static_cast<std::size_t>(offset));
                const auto count = std::min(from.size(), out.size() - done);
                std::copy_n(from.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(done));
                done += count;
                offset += count;
            }
            offset -= std::min<std::uint64_t>(offset, part.size());
            if (done == out.size()) break;
        }
        return done;
    }

  private:
    Blob before_;
    Bytes content_;
};

// filler(order, size) returns meaningless records of `size` bytes (a multiple of 8), each as short as can be: a stream
// looks more closely at a record that is longer than all before it.
constexpr std::size_t filler_bytes = 8;
Blob filler(std::endian order, std::size_t size) {
    const auto record = test::bare_record(order, static_cast<std::uint32_t>(RecordType::context_switch), 0,
                                          static_cast<std::uint16_t>(filler_bytes));
    Blob blob;
    blob.reserve(size);
    while (blob.size() < size) blob.insert(blob.end(), record.begin(), record.end());
    return blob;
}

struct Whole {
    std::vector<Seen> records;
    std::uint64_t unread = 0, unpacked = 0, payload = 0, problems = 0;

    bool operator==(const Whole&) const = default;
};

Whole read(RecordStream stream, std::uint64_t shift) {
    Whole whole;
    RecordView record;
    while (stream.next(record)) {
        whole.records.push_back(seen(record));
        whole.records.back().offset -= shift;
    }
    whole.unread = stream.unread_bytes();
    whole.unpacked = stream.unpacked_bytes();
    whole.payload = stream.payload_bytes();
    whole.problems = stream.problems().count();
    return whole;
}

// Reads a source that begins with `before` bytes of other records.
Whole read_behind(const std::shared_ptr<const Source>& source, std::size_t before, const RecordStreamOptions& options) {
    return read(RecordStream({{source, 0, source->size()}}, options), before);
}

// Moves the end of a block into the records, at a place that the input's size determines.
void check_blocks(const Recording& recording, Bytes file) {
    const auto data = recording.data();
    const auto begin = static_cast<std::size_t>(data.offset);
    const auto records = file.subspan(begin, static_cast<std::size_t>(data.size));
    if (records.empty()) return;
    const RecordStreamOptions options{.order = recording.order(),
                                      .pipe = recording.header().pipe,
                                      .unpacked_record_bytes = std::uint64_t{1} << 20,
                                      .unpacked_bytes = recording.limits().unpacked_bytes};
    const auto inside = std::min(file.size() * 8 % block_bytes, records.size() / 8 * 8);
    const auto before = filler(recording.order().endian(), block_bytes - inside);
    // In memory all is one block. Fewer records before are enough there, but some must be the same: where the input
    // begins with damage, the last of them is doubtful, too.
    constexpr std::size_t some = 1024;
    auto joined = filler(recording.order().endian(), std::min(some, before.size()));
    const auto few = joined.size();
    joined.insert(joined.end(), records.begin(), records.end());
    const auto whole = read_behind(memory_source(joined), few, options);
    auto behind = read_behind(std::make_shared<Behind>(before, records), before.size(), options);
    const auto skipped = (before.size() - few) / filler_bytes;
    require(behind.records.size() >= skipped);
    behind.records.erase(behind.records.begin(), behind.records.begin() + static_cast<std::ptrdiff_t>(skipped));
    require(whole == behind);
}

void check_order(const Recording& recording) {
    std::vector<Seen> sorted, ordered;
    RecordView record;
    Time latest;
    for (auto stream = recording.records(); stream.next(record);) {
        const auto time = recording.events().time_of(record, record.order, latest);
        latest = std::max(latest, time);
        sorted.push_back(seen(record, time));
    }
    std::ranges::stable_sort(sorted, {}, &Seen::time);
    OrderedStream stream(recording);
    for (Time time; stream.next(record, time);) ordered.push_back(seen(record, time));
    require(sorted == ordered);
}

std::vector<Seen> all_records(const Recording& recording) {
    std::vector<Seen> all;
    RecordView record;
    for (auto stream = recording.records(); stream.next(record);) all.push_back(seen(record));
    return all;
}

// Reading from a file gives the same as from memory.
void check_file(const Recording& recording, Bytes file) {
    const fuzz::MemoryFile copy(file);
    const auto opened = Recording::open(copy.path(), {recording.limits()});
    require(opened.has_value());
    require(opened->bytes() == recording.bytes());
    require(test::event_lines(*opened) == test::event_lines(recording));
    require(all_records(*opened) == all_records(recording));
}

// Types that belong to the container, or have data behind them, must stay.
bool may_move(RecordType type) {
    switch (type) {
        case RecordType::header_attr:
        case RecordType::header_tracing_data:
        case RecordType::auxtrace:
        case RecordType::event_update:
        case RecordType::header_feature:
        case RecordType::finished_init: return false;
        default: return true;
    }
}
bool is_packed(RecordType type) {
    return type == RecordType::compressed || type == RecordType::compressed2;
}

// content(recording) returns its unpacked records; empty if another container cannot hold them.
std::vector<Blob> content(const Recording& recording) {
    std::vector<Blob> all;
    auto stream = recording.records();
    for (RecordView record; stream.next(record);) {
        if (!may_move(record.type()) || record.bytes.size() % 8 != 0) return {};
        if (!is_packed(record.type())) all.emplace_back(record.bytes.begin(), record.bytes.end());
    }
    if (!stream.problems().empty() || stream.unread_bytes() != 0) return {};
    return all;
}
std::vector<Blob> moved_content(const Recording& recording) {
    std::vector<Blob> all;
    auto stream = recording.records();
    for (RecordView record; stream.next(record);) {
        if (may_move(record.type()) && !is_packed(record.type())) {
            all.emplace_back(record.bytes.begin(), record.bytes.end());
        }
    }
    require(stream.problems().empty() && stream.unread_bytes() == 0);
    return all;
}

// A well-formed file has the same events, records and times in the other byte order.
void check_twin(const Blob& file, const Limits& limits) {
    const auto recording = Recording::from_memory(file, {limits});
    require(recording.has_value());
    const auto want = test::read_all(*recording);
    if (recording->order().endian() != std::endian::little || !test::incompleteness(want, *recording).empty()) return;
    Blob twin;
    try {
        twin = test::big_endian_twin(file);
    } catch (const std::exception&) {
        return;  // it cannot be converted
    }
    const auto swapped = Recording::from_memory(twin, {limits});
    require(swapped && swapped->order().endian() == std::endian::big);
    require(test::event_lines(*swapped) == test::event_lines(*recording));
    const auto got = test::read_all(*swapped);
    // Do not compare fields of damaged records: like the decoder, the twin cannot know which bytes are words. The unit
    // tests compare them for real recordings.
    const auto frame = [](const std::string& line) { return std::string_view(line).substr(0, line.find(": ")); };
    require(std::ranges::equal(got.records, want.records, {}, frame, frame) && got.times == want.times);
}

// A recording has the same records as a pipe, compressed, and in the other byte order.
void check_containers(const Recording& recording, std::size_t seed) {
    constexpr std::size_t most = 60000;  // bytes that fit into a record
    const auto attr_bytes = recording.header().attr_size;
    if (attr_bytes < 80 || attr_bytes > 160 || !recording.diagnostics().empty()) return;
    const auto records = content(recording);
    const auto plain = test::Crafted::bytes_of(records);
    if (records.empty() || plain.size() > block_bytes / 2) return;
    for (const auto& section : recording.features()) {
        if (!section.inside_file || section.section.size > most) return;
    }
    // In a pipe an attr's own size determines where its ids begin, so a file whose attrs have wrong sizes has no
    // equivalent.
    for (const auto& event : recording.events().events()) {
        if (event.attr.size != attr_bytes - 16) return;
    }
    auto parts = test::content_of(recording);
    for (const auto& event : parts.events) {
        if (event.ids.empty() || event.ids.size() > most / 8 || event.name.size() > most) return;
    }
    constexpr auto tracing = static_cast<unsigned>(Feature::tracing_data);
    parts.features.try_emplace(tracing, Blob(24, std::byte{0x17}));
    const auto pipe = test::as_pipe(parts, plain);
    const auto piped = Recording::from_memory(pipe, {recording.limits()});
    require(piped && piped->events().events().size() == recording.events().events().size());
    require(moved_content(*piped) == records);
    parts.features = {{static_cast<unsigned>(Feature::compressed), test::compression_feature(parts.order)}};
    for (const auto type : {RecordType::compressed, RecordType::compressed2}) {
        test::Random random(seed);
        const auto smaller = test::builder_of(parts, test::packed(parts.order, type, plain, random)).build();
        const auto unpacked = Recording::from_memory(smaller, {recording.limits()});
        require(unpacked.has_value() && moved_content(*unpacked) == records);
    }
    parts.features.clear();
    check_twin(test::builder_of(parts, plain).build(), recording.limits());
}

bool same(const Listing& one, const Listing& other) {
    const auto instruction = [](const ListingInstruction& left, const ListingInstruction& right) {
        return left.cells == right.cells && left.line == right.line &&
               left.instruction.mnemonic == right.instruction.mnemonic &&
               left.instruction.operands == right.instruction.operands;
    };
    const auto line = [](const ListingLine& left, const ListingLine& right) {
        return left.cells == right.cells && left.source.file == right.source.file &&
               left.source.line == right.source.line && left.source.text == right.source.text;
    };
    return one.version == other.version && one.name.name == other.name.name && one.object == other.object &&
           one.total == other.total && one.problems == other.problems &&
           std::ranges::equal(one.instructions, other.instructions, instruction) &&
           std::ranges::equal(one.lines, other.lines, line);
}

// PassSeen is what a first pass sees, counts and notes.
struct PassSeen {
    std::vector<Seen> side_band, ordered;
    std::vector<std::string> problems;
    std::uint64_t records = 0, decoded = 0, damaged = 0;

    template <class Record>
    requires requires { Record::min_bytes; }
    void operator()(const RecordContext& context, const Record&) {
        side_band.push_back(seen(context.view, context.time));
    }
    bool operator==(const PassSeen&) const = default;
};

PassSeen pass_on(unsigned jobs, const Recording& recording) {
    constexpr std::uint64_t part_bytes = 512;
    PassSeen all;
    Completeness completeness;
    auto times = first_pass(recording, completeness, all, {{}, {{}, jobs, {}, part_bytes}});
    require(times.has_value());
    all.records = completeness.bytes.records;
    for (const auto& [type, counts] : completeness.records) {
        all.decoded += counts.decoded;
        all.damaged += counts.damaged;
    }
    for (const auto& problem : completeness.diagnostics.kept()) all.problems.push_back(problem.message());
    OrderedStream stream(recording, Shared<const TimeOrder>::make(std::move(*times)));
    RecordView record;
    for (Time time; stream.next(record, time);) all.ordered.push_back(seen(record, time));
    return all;
}

void check_parts(const Recording& recording) {
    if (recording.is_profile() || recording.data().size < 2048) return;
    require(pass_on(1, recording) == pass_on(2, recording));
}

void check_threads(const Recording& recording) {
    constexpr std::size_t most = 6;
    const auto timeline = Timeline::build(recording);
    require(timeline.has_value());
    SymbolizerOptions options;
    options.finder.offline = true;
    options.finder.limits = recording.limits();
    options.jit.as_recorded = false;
    const auto symbolizer = Symbolizer::open(recording, *timeline, options);
    const auto other_book = Symbolizer::open(recording, *timeline, options);
    const auto profile = Profile::count(recording, symbolizer.versions());
    require(profile.has_value());
    std::span functions(profile->functions());
    functions = functions.first(std::min(functions.size(), most));
    if (functions.size() < 2) return;
    const auto one = annotate_all(functions, symbolizer, recording.arch(), Syntax::att, 1);
    const auto many = annotate_all(functions, other_book, recording.arch(), Syntax::att, 3);
    require(std::ranges::equal(one, many, same));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto file = std::as_bytes(std::span(data, size));
    const auto recording = Recording::from_memory(file, {fuzz::small_limits()});
    if (!recording) return 0;
    check_blocks(*recording, file);
    check_order(*recording);
    check_file(*recording, file);
    check_containers(*recording, size);
    check_parts(*recording);
    check_threads(*recording);
    return 0;
}
