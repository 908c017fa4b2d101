// SPDX-License-Identifier: MIT
// Records of an anonymized recording: their numbers are the old ones, and what may be secret is gone.
#include <algorithm>

#include "perfdata/recording/walk.hpp"

#include "bundle/anonymize/sample_rewriter.hpp"
#include "catch.hpp"
#include "support/build.hpp"
#include "support/crafted.hpp"
#include "support/reading.hpp"
#include "support/samples.hpp"
#include "support/sketch.hpp"
#include "support/twin.hpp"
#include "unit/annotate/anonymized.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Writes all fields but texts and those that are known to change.
class NumberText {
  public:
    NumberText(Lines& lines, RecordType type) : text_(lines), type_(type) {}

    template <class T>
    void operator()(std::string_view name, const T& value) {
        if constexpr (std::is_convertible_v<T, std::string_view>) {
            text_(name, std::string_view(value).empty() ? std::string_view() : std::string_view("text"));
        } else {
            for (const std::string_view changed : {"maj", "min", "ino", "ino_generation", "dev"}) {
                if (name == changed) return;
            }
            if (name == "ips") return;
            const bool flags = type_ == RecordType::ksymbol || type_ == RecordType::bpf_event;
            if (flags && name == "flags") return;
            text_(name, value);
        }
    }
    template <class At>
    void list(std::string_view name, std::size_t count, At&& at) {
        text_(name, std::uint64_t{count});
        for (std::size_t index = 0; index < count; ++index) at(index, NumberText(*this));
    }

  private:
    FieldText text_;
    RecordType type_;
};

bool is_left_out(RecordType type) {
    switch (type) {
        case RecordType::aux:
        case RecordType::aux_output_hw_id:
        case RecordType::auxtrace:
        case RecordType::auxtrace_info:
        case RecordType::auxtrace_error:
        case RecordType::bpf_metadata:
        case RecordType::header_event_type:
        case RecordType::header_attr:
        case RecordType::header_feature:
        case RecordType::header_tracing_data: return true;
        default: return false;
    }
}

struct NumberCollector {
    Lines lines;

    template <class R>
    requires requires { R::type; }
    void operator()(const RecordContext& context, const R& decoded) {
        if (is_left_out(R::type)) return;
        // Of kinds that nobody knows.
        if constexpr (std::is_same_v<R, EventUpdate>) {
            if (decoded.kind > 3 || (decoded.kind == 3 && decoded.cpus.kind > 2)) return;
        }
        if constexpr (std::is_same_v<R, CpuMap>) {
            if (decoded.cpus.kind > 2) return;
        }
        if constexpr (std::is_same_v<R, SchedstatCpu>) {
            if (!decoded.counters) return;
        }
        if constexpr (std::is_same_v<R, SchedstatDomain>) {
            if (!decoded.known()) return;
        }
        Lines fields;
        decoded.fields(NumberText(fields, R::type));
        std::string line(record_type_name(static_cast<std::uint32_t>(R::type)));
        line += " " + std::to_string(context.event) + " " + std::to_string(context.time.nanoseconds);
        const auto& trailer = context.trailer;
        if (trailer.pid) line += " " + std::to_string(trailer.pid->value) + "/" + std::to_string(trailer.tid->value);
        if (trailer.id) line += " id " + std::to_string(trailer.id->value);
        if (trailer.stream_id) line += " stream " + std::to_string(*trailer.stream_id);
        if (trailer.cpu) line += " cpu " + std::to_string(*trailer.cpu);
        for (const auto& field : fields) line += " " + field;
        lines.push_back(line);
    }
};

Lines numbers_of(const Recording& recording) {
    NumberCollector collector;
    Completeness seen;
    REQUIRE(walk(recording, seen, collector));
    return collector.lines;
}

Recording read_back(const Blob& file) {
    return Recording::from_memory(file).value();
}

// The records that are left of a sketch.
template <class R>
struct OneRecord {
    std::vector<std::string> texts;
    std::vector<R> all;

    void operator()(const RecordContext&, const R& decoded) {
        all.push_back(decoded);
        Lines lines;
        decoded.fields(FieldText(lines));
        texts.insert(texts.end(), lines.begin(), lines.end());
    }
};

template <class R>
Lines fields_left(const Blob& file) {
    const auto made = anonymized(file);
    const auto recording = read_back(made);
    OneRecord<R> collector;
    Completeness seen;
    REQUIRE(walk(recording, seen, collector));
    return collector.texts;
}

}  // namespace

TEST_CASE("Records keep their numbers", "[annotate][anonymize]") {
    for (const auto order : {std::endian::little, std::endian::big}) {
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            INFO("seed " << seed << (order == std::endian::big ? ", big" : ""));
            const auto crafted = craft(seed, order);
            const auto file = builder_of(crafted, all_records(crafted)).build();
            const auto before = read_back(file);
            const auto made = anonymized(file);
            const auto after = read_back(made);
            CHECK(first_difference(numbers_of(after), numbers_of(before)) == "");
            CHECK(after.order().endian() == order);
            REQUIRE(after.events().events().size() == before.events().events().size());
            for (std::size_t at = 0; at < after.events().events().size(); ++at) {
                CHECK(after.events().events()[at].ids == before.events().events()[at].ids);
            }
            Completeness seen;
            NumberCollector none;
            REQUIRE(walk(after, seen, none));
            for (const auto& [type, counts] : seen.records) {
                INFO("type " << type);
                CHECK(counts.damaged + counts.skipped == 0);
            }
        }
    }
}

TEST_CASE("Records of events without ids stay apart from those with ids", "[annotate][anonymize]") {
    // Records of perf itself have the trailer of the first event, and zeros where others have their ids.
    const auto order = std::endian::little;
    Attr first, second;
    first.sample_type = GENERATE(sample_bit::ip | sample_bit::tid, sample_bit::branch_stack + 0,
                                 sample_bit::ip | sample_bit::identifier);
    second.sample_type = sample_bit::ip | sample_bit::tid | sample_bit::time | sample_bit::id | sample_bit::cpu;
    first.flags = second.flags = std::uint64_t{1} << 18;  // sample_id_all
    const auto record = [&](RecordType type, const Writer& body) {
        Writer made(order);
        made.u32(static_cast<std::uint32_t>(type)).u16(0).u16(static_cast<std::uint16_t>(8 + body.size() + 40));
        return made.bytes(body.blob()).zeros(40).take();
    };
    const auto comm = [&](std::string_view name) {
        return record(RecordType::comm, Writer(order).u32(1).u32(1).padded_text(name));
    };
    // Whose bytes are not zero up to their ends.
    const auto numbers = [&](RecordType type, std::size_t words) {
        Writer body(order);
        while (words-- != 0) body.u64(0x0101010101010101);
        return record(type, body);
    };
    RecordingBuilder builder(order);
    builder.event(first, {1}).event(second, {2}).add(comm("a")).add(comm("command")).add(comm("b"));
    builder.add(numbers(RecordType::fork, 3)).add(numbers(RecordType::exit, 3)).add(numbers(RecordType::bpf_event, 2));
    builder.add(numbers(RecordType::context_switch, 0)).add(numbers(RecordType::throttle, 3));
    const auto before = builder.build();
    const auto file = anonymized(before);
    const auto recording = read_back(file);
    CHECK(first_difference(numbers_of(recording), numbers_of(read_back(before))) == "");
    Completeness seen;
    OneRecord<Comm> commands;
    REQUIRE(walk(recording, seen, commands));
    CHECK(commands.all.size() == 3);
    CHECK(recording.diagnostics().count() == 0);
    CHECK(seen.records.size() == 6);
    for (const auto& [type, counts] : seen.records) CHECK(counts.damaged == 0);
}

TEST_CASE("A record that would become one of another event is left out and counted", "[annotate][anonymize]") {
    const auto order = std::endian::little;
    const bool is_lost = GENERATE(true, false);
    Attr first, second;
    first.sample_type = sample_bit::ip | sample_bit::id | sample_bit::cpu;
    second.sample_type = sample_bit::identifier;
    first.flags = second.flags = std::uint64_t{1} << 18;  // sample_id_all
    // LOST_SAMPLES, bytes that nobody knows, and the id. Without these bytes the first event has its id 5 there, and
    // if it has the id 0 as well, zeros do not help.
    Writer record(order);
    record.u32(static_cast<std::uint32_t>(RecordType::lost_samples)).u16(0).u16(32).u64(5).u64(7).u64(1);
    RecordingBuilder builder(order);
    builder.event(first, is_lost ? std::vector<std::uint64_t>{5, 0} : std::vector<std::uint64_t>{5});
    builder.event(second, {1}).add(record.take());
    const auto file = builder.build();
    const auto before = read_back(file);
    REQUIRE(numbers_of(before).size() == 1);
    auto anonymizer = an_anonymizer();
    const auto made = anonymized_recording(before, anonymizer);
    CHECK(std::ranges::count(numbers_of(read_back(made)), numbers_of(before).at(0)) == (is_lost ? 0 : 1));
    CHECK(sum_of_kind(anonymizer, "dropped_damaged_records") == (is_lost ? 1 : 0));
}

TEST_CASE("Samples keep the fields that are kept", "[annotate][anonymize]") {
    Random random(5);
    for (const auto order : {std::endian::little, std::endian::big}) {
        for (int round = 0; round < 200; ++round) {
            auto attr = random_attr(random, random_sample_type(random));
            attr.type = attr_type::software;
            auto want_attr = anonymous_attr(attr);
            want_attr.size = attr.size;
            auto content = random_content(random, attr);
            for (auto& word : content.callchain) word |= std::uint64_t{0xff} << 56;
            RecordingBuilder before(order), after(order);
            before.event(attr).add(encode(order, attr, content, 2));
            after.event(want_attr).add(encode(order, want_attr, content, 2));
            const auto file = before.build(), want = after.build();
            const auto got = anonymized(file);
            INFO("sample_type " << attr.sample_type << ", round " << round);
            CHECK(first_difference(read_all(read_back(got)).records, read_all(read_back(want)).records) == "");
            CHECK((read_back(got).events().events().at(0).attr.sample_type & ~kept_sample_bits) == 0);
        }
    }
}

TEST_CASE("Attrs lose what points into the recorder", "[annotate][anonymize]") {
    Attr attr;
    attr.type = 8;  // a PMU of probes
    attr.size = 136;
    attr.config = 1;
    attr.config1 = 0x7f00deadbeef;
    attr.config2 = 0x7f00deadbeee;
    attr.config3 = 3;
    attr.sig_data = 0x5ec3e7;
    attr.sample_type = sample_bit::ip | sample_bit::regs_user | sample_bit::stack_user | std::uint64_t{1} << 40;
    attr.sample_regs_user = 0xff;
    attr.sample_stack_user = 8192;
    attr.flags = ~std::uint64_t{0};
    const auto kept = anonymous_attr(attr);
    CHECK(kept.config == 1);
    CHECK(kept.config1 + kept.config2 + kept.config3 + kept.config4 + kept.sig_data == 0);
    CHECK(kept.sample_type == sample_bit::ip);
    CHECK(kept.sample_regs_user + kept.sample_stack_user == 0);
    CHECK(kept.flags >> 40 == 0);
    attr.type = attr_type::breakpoint;
    CHECK(anonymous_attr(attr).config1 == attr.config1);
    CHECK(anonymous_attr(attr).config2 == attr.config2);
}

TEST_CASE("Nothing behind fields that newer kernels add is kept", "[annotate][anonymize]") {
    Attr attr = sampling_attr(sample_bit::ip | sample_bit::cgroup | std::uint64_t{1} << 30);
    Writer secret(std::endian::little);
    secret.text("s3cr3t-8s3cr3t-8");
    SampleValues values;
    RecordingBuilder builder;
    builder.event(attr).add(sample(sample_bit::ip, values, {}, secret.blob()));
    auto anonymizer = an_anonymizer();
    const auto file = builder.build();
    const auto made = anonymized_recording(read_back(file), anonymizer);
    CHECK(!has_text_in(made, "s3cr3t-8"));
    CHECK(sum_of_kind(anonymizer, "dropped_sample_fields") == 16);
    CHECK(read_all(read_back(made)).records.size() == 1);
}

TEST_CASE("Unknown bytes behind a branch are no counters that nobody asked for", "[annotate][anonymize]") {
    const bool counters = GENERATE(true, false);
    Attr attr = sampling_attr(sample_bit::ip | sample_bit::branch_stack | sample_bit::cgroup);
    SampleContent content;
    content.branches.resize(1);
    content.cgroup = 80;
    auto record = encode(std::endian::little, attr, content);
    const auto secret = blob_of("s3cr3t-8");
    record.insert(record.end(), secret.begin(), secret.end());
    const auto size = static_cast<std::uint16_t>(record.size());
    record[6] = static_cast<std::byte>(size & 0xff);
    record[7] = static_cast<std::byte>(size >> 8);
    auto other = attr;
    if (counters) other.branch_sample_type |= branch_bit::counters;
    RecordingBuilder builder;
    builder.event(attr, {1}).event(other, {2}).add(record);
    const auto file = builder.build();
    auto anonymizer = an_anonymizer();
    const auto made = anonymized_recording(read_back(file), anonymizer);
    CHECK(has_text_in(made, "s3cr3t-8") == counters);  // then it may be one
    CHECK(sum_of_kind(anonymizer, "dropped_sample_fields") == (counters ? 0 : 8));
}

TEST_CASE("What a reader could not read of a recording is counted", "[annotate][anonymize]") {
    Sketch sketch;
    sketch.comm(1, 5, "good");
    sketch.sample(0x1000, 1, 7);
    auto file = sketch.build();
    file.resize(file.size() + 4);  // behind the data nothing is expected
    {
        auto anonymizer = an_anonymizer();
        (void)anonymized_recording(read_back(file), anonymizer);
        CHECK(sum_of_kind(anonymizer, "dropped_unread_places") == 0);
    }
    // The recorder was killed: the header does not say how long the data are.
    constexpr std::size_t data_size = 48;
    const auto killed = patched(sketch.build(), std::endian::little, data_size, std::uint64_t{0});
    auto anonymizer = an_anonymizer();
    const auto before = read_back(killed);
    REQUIRE(before.diagnostics().count() != 0);
    (void)anonymized_recording(before, anonymizer);
    CHECK(sum_of_kind(anonymizer, "dropped_unread_places") >= before.diagnostics().count());
}

TEST_CASE("Texts of records are hashed", "[annotate][anonymize]") {
    const auto anonymizer = an_anonymizer();
    const auto comm = [&](std::string_view text) { return "comm='" + anonymizer.command(text) + "'"; };
    {
        Sketch sketch;
        sketch.comm(7, 5, "s3cr3t", true);
        CHECK(fields_left<Comm>(sketch.build()) == Lines{"pid=7", "tid=7", comm("s3cr3t"), "comm_exec=true"});
    }
    {
        Sketch sketch;
        sketch.symbol(0xffff0000, 64, "bpf_prog_0123456789abcdef_s3cr3t", 5, 0xfff1);
        const auto name = "name='bpf_prog_0123456789abcdef_" + anonymizer.name("s3cr3t") + "'";
        CHECK(fields_left<Ksymbol>(sketch.build()).at(3) == "flags=1");
        CHECK(fields_left<Ksymbol>(sketch.build()).at(4) == name);
    }
    {
        Sketch sketch;
        sketch.kernel_record(RecordType::cgroup, Writer(std::endian::little).u64(77).padded_text("/s3cr3t").take(), 5);
        const auto left = fields_left<Cgroup>(sketch.build());
        REQUIRE(left.size() == 2);
        CHECK(left[0] == "id=77");
        CHECK(left[1].starts_with("path='/g_"));
    }
    {
        Sketch sketch;
        Writer body(std::endian::little);
        body.u32(1).u32(2).u64(0x1000).u64(0x2000).u64(3).u32(0x5ec1).u32(0x5ec2).u64(0x5ec3).u64(0x5ec4).u32(5).u32(2);
        sketch.kernel_record(RecordType::mmap2, body.padded_text("/usr/s3cr3t").take(), 5, 1, Sketch::user);
        CHECK(fields_left<Mmap2>(sketch.build()) ==
              Lines{"pid=1", "tid=2", "addr=0x1000", "len=8192", "pgoff=3", "maj=0", "min=0", "ino=0",
                    "ino_generation=0", "prot=5", "flags=2", "filename='" + anonymizer.path("/usr/s3cr3t") + "'"});
    }
    {
        Sketch sketch;
        Writer body(std::endian::little);
        body.u32(1).u32(2).u64(2).u64(4).u64(4026531836).u64(4).u64(4026531836);
        sketch.kernel_record(RecordType::namespaces, body.take(), 5);
        const auto left = fields_left<Namespaces>(sketch.build());
        REQUIRE(left.size() == 7);
        CHECK(left[3] == "link_info[0].dev=0");
        CHECK(left[4] != "link_info[0].ino=4026531836");
        CHECK(left[4].substr(12) == left[6].substr(12));  // the same namespace twice
    }
    {
        Sketch sketch;
        Writer body(std::endian::little);
        body.u64(1).u64(9).text("s3cr3t-comm-16ch");
        sketch.record(RecordType::thread_map, body.take());
        CHECK(fields_left<ThreadMap>(sketch.build()) ==
              Lines{"nr=1", "entries[0].pid=9", "entries[0]." + comm("s3cr3t-comm-16ch")});
    }
    {
        Sketch sketch;
        sketch.poke(0xffff1000, "\x0f\x1f", "\xeb\xfe", 5);
        CHECK(fields_left<TextPoke>(sketch.build()) ==
              Lines{"addr=0xffff1000", "old_len=2", "new_len=2", "bytes=<0f1febfe>"});
    }
}

TEST_CASE("Damaged records are left out and counted", "[annotate][anonymize]") {
    Sketch sketch;
    sketch.comm(1, 5, "good");
    sketch.kernel_record(RecordType::comm, Writer(std::endian::little).u32(1).u32(1).text("noendher").take(), 6);
    sketch.record(static_cast<RecordType>(90), blob_of("s3cr3t-8"));
    sketch.sample(0x1000, 1, 7);
    auto anonymizer = an_anonymizer();
    const auto file = sketch.build();
    const auto made = anonymized_recording(read_back(file), anonymizer);
    CHECK(read_all(read_back(made)).records.size() == 2);
    CHECK(sum_of_kind(anonymizer, "dropped_damaged_records") == 1);
    CHECK(sum_of_kind(anonymizer, "dropped_unknown_records") == 1);
    CHECK(sum_of_kind(anonymizer, "hashed_commands") == 1);
    CHECK(!has_text_in(made, "s3cr3t"));
    CHECK(!has_text_in(made, "noend"));
}

TEST_CASE("Twins are anonymized alike", "[annotate][anonymize][twins]") {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const auto little = craft(seed, std::endian::little);
        const auto file = builder_of(little, all_records(little)).build();
        // Formats of tracepoints state their own byte order.
        const auto has_tracepoints = std::ranges::any_of(
            little.events, [](const auto& event) { return event.attr.type == attr_type::tracepoint; });
        if (has_tracepoints) continue;
        INFO("seed " << seed);
        const auto big = craft(seed, std::endian::big);
        const auto other = builder_of(big, all_records(big)).build();
        CHECK(big_endian_twin(anonymized(file)) == anonymized(other));
        ++compared;
    }
    CHECK(compared != 0);
}
