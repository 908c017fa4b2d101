// SPDX-License-Identifier: MIT
// Records of an anonymized recording: their numbers are the old ones, and what may be secret is gone.
#include <algorithm>

#include "perfdata/recording/walk.hpp"

#include "bundle/anonymize/code_places.hpp"
#include "bundle/anonymize/sample_rewriter.hpp"
#include "catch.hpp"
#include "support/build.hpp"
#include "support/crafted.hpp"
#include "support/features.hpp"
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

namespace {

using ChainWords = std::vector<std::uint64_t>;

// The words of the chains that are left of a recording of samples with chains alone.
ChainWords chain_words_left(const Blob& made) {
    ChainWords left;
    const auto recording = read_back(made);
    auto stream = recording.records();
    for (const RecordView& record : stream) {
        if (record.type() != RecordType::sample) continue;
        constexpr std::size_t chain_at = 8 + 3 * 8;
        for (auto at = chain_at + 8; at < record.bytes.size(); at += 8) {
            left.push_back(record.order.load<std::uint64_t>(record.bytes.data() + at));
        }
    }
    return left;
}

constexpr std::uint64_t kernel_mark = ~std::uint64_t{127}, user_mark = ~std::uint64_t{511},
                        deferred_mark = ~std::uint64_t{639}, guest_mark = ~std::uint64_t{2047};

}  // namespace

TEST_CASE("What is no address is left out of call chains", "[annotate][anonymize]") {
    constexpr std::uint64_t cookie = 0x6162636465666768, ip = 0x401000, mapped = 0x7f3d48544000;
    const std::uint64_t secrets[] = {
        0x3d485441505f5952, 0x006e69622f3d4854,  // text
        0x0070616d73736170, 0x9f3a5bd2c4e6f708,  // short text, and a key
        0xdeadbeefcafef00d, 0x0000007000000061,  // a key, and UTF-32
        mapped - 1,         mapped + 0x2001,     // where nothing is
        0xffffffff81000000,                      // nor the kernel's in the chain of a program
    };
    const std::uint64_t code[] = {mapped, mapped + 0x1234, mapped + 0x2000, ip, 0xffffffffff600400};
    for (const bool late : {true, false}) {
        for (const auto secret : secrets) {
            ChainWords frames{user_mark, secret};
            frames.insert(frames.end(), std::begin(code), std::end(code));
            frames.insert(frames.end(), {kernel_mark, 0xffffffff81000000, 0xffff888812345678});
            frames.insert(frames.end(), {deferred_mark, cookie});
            Sketch sketch(Sketch::plain | sample_bit::callchain);
            sketch.feature(Feature::arch, feature_string(std::endian::little, "x86_64"));
            // The mapping of another process counts as well, and one that is recorded later.
            if (!late) sketch.mmap(2, mapped, 0x2000, "/usr/lib/x.so", 4);
            sketch.chain(ip, 1, 5, frames);
            if (late) sketch.mmap(2, mapped, 0x2000, "/usr/lib/x.so", 6);
            auto anonymizer = an_anonymizer();
            const auto file = sketch.build();
            const auto made = anonymized_recording(read_back(file), anonymizer);
            INFO("word " << std::hex << secret << (late ? ", mapped later" : ""));
            CHECK(sum_of_kind(anonymizer, "dropped_chain_words") == 1);
            auto want = frames;
            want[1] = 0;
            CHECK(chain_words_left(made) == want);
        }
    }
}

TEST_CASE("Words of call chains are judged by the machine and the context", "[annotate][anonymize]") {
    struct Judged {
        std::string_view arch;
        std::uint64_t mark, word;
        bool stays;
    };
    constexpr std::uint64_t none = 0x1000;  // no mark: the sample's own address
    const Judged all[] = {
        {"x86_64", kernel_mark, 0xffffffffc0123456, true},   {"x86_64", kernel_mark, 0xfeffffffc0123456, false},
        {"x86_64", kernel_mark, 0x0000555555554000, false},  {"x86_64", none, 0xffffffffc0123456, true},
        {"x86_64", none, 0x9f3a5bd2c4e6f708, false},         {"x86_64", guest_mark, 0xffffffffc0123456, true},
        {"x86_64", guest_mark, 0x0000555555554000, false},   {"aarch64", kernel_mark, 0xffff800008123456, true},
        {"aarch64", kernel_mark, 0xdead800008123456, false}, {"aarch64", user_mark, 0xffffffffff600400, false},
        {"s390x", kernel_mark, 0x0000000000123456, true},    {"s390x", user_mark, 0x0000000000123456, false},
        {"s390x", kernel_mark, 0x3d485441505f5952, false},   {"", kernel_mark, 0xffffffffc0123456, true},
        {"", user_mark, 0xffffffffc0123456, false},
    };
    for (const auto& one : all) {
        INFO(one.arch << ' ' << std::hex << one.mark << ' ' << one.word);
        const std::uint64_t frames[] = {one.mark, one.word};
        Sketch sketch(Sketch::plain | sample_bit::callchain);
        if (!one.arch.empty()) sketch.feature(Feature::arch, feature_string(std::endian::little, one.arch));
        // Mappings of the kernel and of more than a machine has say nothing.
        Writer body(std::endian::little);
        body.u32(~std::uint32_t{0}).u32(0).u64(0).u64(~std::uint64_t{0}).u64(0);
        sketch.kernel_record(RecordType::mmap, body.padded_text("[kernel.kallsyms]_text").take(), 3, 1, Sketch::kernel);
        sketch.kernel_record(RecordType::mmap, body.padded_text("//anon").take(), 4, 1, Sketch::user);
        sketch.chain(0x1000, 1, 5, frames);
        auto anonymizer = an_anonymizer();
        const auto file = sketch.build();
        CHECK(chain_words_left(anonymized_recording(read_back(file), anonymizer)) ==
              ChainWords{one.mark, one.stays ? one.word : 0});
    }
}

TEST_CASE("A set of addresses is bounded", "[annotate][anonymize]") {
    RangeSet all;
    for (std::uint64_t at = 20000; at != 0; --at) all.add(at * 100, at * 100 + 50);
    all.add(1010, 1120);
    all.finish();
    for (const std::uint64_t inside : {100, 150, 1000, 1060, 1120, 1150, 2000050}) CHECK(all.contains(inside));
    for (const std::uint64_t outside : {0, 99, 151, 1151, 2000051}) CHECK(!all.contains(outside));
    RangeSet few(3);
    for (std::uint64_t at = 1; at < 10000; ++at) few.add(at * 100, at * 100 + 50);
    few.finish();
    CHECK(few.contains(100));
    CHECK(few.contains(350));
    CHECK(!few.contains(450));
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
