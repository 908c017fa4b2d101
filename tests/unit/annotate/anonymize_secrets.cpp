// SPDX-License-Identifier: MIT
// Plants a secret wherever a recording has room for one, and searches the anonymized recording for it.
#include <algorithm>

#include "catch.hpp"
#include "support/build.hpp"
#include "support/features.hpp"
#include "support/files.hpp"
#include "support/payload.hpp"
#include "support/program_info.hpp"
#include "support/reading.hpp"
#include "support/samples.hpp"
#include "unit/annotate/anonymized.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto planted_words = {"buildid-list", "--tail-synthesize"};
constexpr std::string_view planted = "s3cr3t!!";  // of eight bytes: it fits into any field

// A recording with the secret in all of its places, of events of all kinds of samples.
class Planted {
  public:
    explicit Planted(std::endian order) : order_(order), builder_(order) {
        attr_ = sampling_attr(sample_bit::ip | sample_bit::tid | sample_bit::time | sample_bit::id | sample_bit::cpu |
                              sample_bit::callchain | sample_bit::raw | sample_bit::regs_user | sample_bit::stack_user |
                              sample_bit::regs_intr | sample_bit::phys_addr | sample_bit::aux);
        attr_.size = 136;
        attr_.sample_regs_user = attr_.sample_regs_intr = 3;
        attr_.sample_stack_user = 16;
        attr_.sig_data = attr_.config3 = word();
        tracepoint_ = attr_;
        tracepoint_.type = attr_type::tracepoint;
        tracepoint_.config = 77;
        builder_.layout.attr_stride = 152;
        builder_.layout.ids_at = 136;
        builder_.event(attr_, {1}).event(tracepoint_, {2});
        records();
        sections();
    }

    Blob build() { return builder_.build(); }
    const Blob& plain() const { return records_; }

  private:
    Writer writer() const { return Writer(order_); }
    FeatureWriter feature() const { return FeatureWriter(order_); }
    std::string text() const { return "/x/" + std::string(planted) + "/y"; }
    std::uint64_t word() const { return AnyOrder(order_).load<std::uint64_t>(as_bytes(planted).data()); }

    Blob trailer_of(std::uint64_t id) const {
        // pid, tid . time . id . cpu and 4 bytes without meaning
        return writer().u32(5).u32(5).u64(9).u64(id).u32(0).text(planted.substr(0, 4)).take();
    }
    void kernel(RecordType type, const Blob& body, std::uint16_t misc = 2) {
        add(record(type, {.order = order_, .trailer = trailer_of(1), .misc = misc}, body));
    }
    void tool(RecordType type, const Blob& body, std::uint16_t misc = 0) {
        add(record(type, {.order = order_, .trailer = {}, .misc = misc}, body));
    }
    void add(const Blob& bytes) {
        records_.insert(records_.end(), bytes.begin(), bytes.end());
        builder_.add(bytes);
    }
    // A text, and the secret once more behind its NUL.
    Writer& with_text(Writer& out) const { return out.padded_text(text()).text(planted); }

    void records() {
        auto map = writer();
        kernel(RecordType::mmap, with_text(map.u32(5).u32(5).u64(1).u64(2).u64(3)).take());
        auto map2 = writer();
        map2.u32(5)
            .u32(5)
            .u64(1)
            .u64(2)
            .u64(3)
            .bytes(as_bytes(planted))
            .bytes(as_bytes(planted))
            .bytes(as_bytes(planted));
        kernel(RecordType::mmap2, with_text(map2.u32(5).u32(2)).take());
        auto by_id = writer();
        by_id.u32(5)
            .u32(5)
            .u64(1)
            .u64(2)
            .u64(3)
            .u8(4)
            .zeros(3)
            .u32(0x11223344)
            .bytes(as_bytes(planted))
            .bytes(as_bytes(planted));
        kernel(RecordType::mmap2, with_text(by_id.u32(5).u32(2)).take(), 2 | 1u << 14);
        auto comm = writer();
        kernel(RecordType::comm, with_text(comm.u32(5).u32(5)).take());
        auto group = writer();
        kernel(RecordType::cgroup, with_text(group.u64(5)).take());
        auto symbol = writer();
        kernel(RecordType::ksymbol, with_text(symbol.u64(5).u32(5).u16(1).u16(0)).take());
        for (const auto type : {RecordType::lost, RecordType::fork, RecordType::exit, RecordType::throttle,
                                RecordType::itrace_start, RecordType::lost_samples, RecordType::context_switch,
                                RecordType::switch_cpu_wide, RecordType::bpf_event}) {
            kernel(type, writer().zeros(24).text(planted).take());  // behind the fields
        }
        kernel(RecordType::namespaces, writer().u32(5).u32(5).u64(1).u64(word()).u64(word()).text(planted).take());
        kernel(RecordType::text_poke, writer().u64(5).u16(1).u16(1).u16(0).zeros(2).text(planted).take());
        kernel(RecordType::aux, writer().zeros(24).text(planted).take());
        kernel(static_cast<RecordType>(50), blob_of(planted));
        tool(RecordType::header_event_type, writer().u64(5).text(planted).zeros(56).take());
        tool(RecordType::header_build_id, writer().u32(5).zeros(24).padded_text(text()).text(planted).take());
        tool(RecordType::auxtrace_info, writer().u32(1).u32(0).text(planted).take());
        add(auxtrace(order_, 16, blob_of(std::string(planted) + std::string(planted))));
        tool(RecordType::auxtrace_error, writer().zeros(40).text(planted).zeros(64).take());
        tool(RecordType::thread_map, writer().u64(1).u64(5).text(planted).text(planted).text(planted).take());
        tool(RecordType::cpu_map, writer().u16(0).u16(1).u16(3).u16(0).text(planted).take());
        tool(RecordType::stat_config, writer().u64(1).u64(0).u64(0).text(planted).take());
        tool(RecordType::stat, writer().zeros(40).text(planted).take());
        for (const std::uint64_t kind : {0u, 2u, 9u}) {
            tool(RecordType::event_update, writer().u64(kind).u64(1).padded_text(text()).text(planted).take());
        }
        tool(RecordType::id_index, writer().u64(1).zeros(32).zeros(16).text(planted).take());
        tool(RecordType::time_conv, writer().zeros(42).text(planted.substr(0, 6)).take());
        auto metadata = writer();
        tool(RecordType::bpf_metadata, metadata.text(planted).zeros(504).u64(1).text(planted).zeros(312).take());
        tool(RecordType::schedstat_cpu, writer().u64(1).u32(0).u16(99).u16(0).text(planted).take());
        tool(static_cast<RecordType>(4711), blob_of(planted));
        for (std::uint64_t id = 1; id <= 2; ++id) samples(id);
    }

    void samples(std::uint64_t id) {
        const auto secret = blob_of(planted);
        SampleContent content;
        content.fixed.id = content.fixed.identifier = id;
        content.callchain = {~std::uint64_t{511}, 0x401000, word()};
        content.raw = blob_of(std::string(planted) + std::string(planted) + "!!!!");
        content.user_registers = content.interrupt_registers = {2, {word(), word()}};
        content.stack = blob_of(std::string(planted) + std::string(planted));
        content.stack_copied = 16;
        content.physical_address = word();
        content.aux = secret;
        auto whole = encode(order_, id == 1 ? attr_ : tracepoint_, content, 2);
        // The half behind the number of the CPU, and bytes behind all fields.
        constexpr std::size_t cpu_at = 8 + 8 + 8 + 8 + 8;
        std::ranges::copy(blob_of(planted.substr(0, 4)), whole.begin() + cpu_at + 4);
        whole.insert(whole.end(), secret.begin(), secret.end());
        auto grown = writer();
        grown.bytes(whole).patch(6, static_cast<std::uint16_t>(whole.size()));
        add(grown.take());
    }

    void sections() {
        const auto one = [&] { return feature_string(order_, text()); };
        for (const auto number : {Feature::hostname, Feature::osrelease, Feature::version, Feature::arch,
                                  Feature::cpudesc, Feature::cpuid}) {
            builder_.feature(number, one());
        }
        // Words of perf are secrets, too, as arguments of the program.
        std::vector<std::string> words = {"perf", "record", "-g", "-o", text(), text(), std::string(planted)};
        words.insert(words.end(), planted_words.begin(), planted_words.end());
        builder_.feature(Feature::cmdline, feature_strings(order_, words));
        builder_.feature(
            Feature::event_desc,
            event_desc(order_,
                       {{attr_, text(), {1}}, {tracepoint_, std::string(planted) + ":" + std::string(planted), {2}}},
                       136));
        builder_.feature(Feature::build_id, build_id_record(order_, {.name = text()}));
        builder_.feature(Feature::nrcpus, writer().u32(1).u32(1).text(planted).take());
        builder_.feature(Feature::cpu_topology, feature().strings({text()}).strings({text()}).take());
        builder_.feature(Feature::numa_topology, feature().u32(1).u32(0).u64(word()).u64(word()).string(text()).take());
        builder_.feature(Feature::pmu_mappings, feature().u32(1).u32(4).string(text()).take());
        builder_.feature(Feature::group_desc, feature().u32(1).string(text()).u32(0).u32(2).take());
        auto cache = feature();
        cache.u32(1).u32(1).u32(1).u32(1).u32(1).u32(1).string(text()).string(text()).string(text());
        builder_.feature(Feature::cache, cache.take());
        builder_.feature(Feature::cpu_pmu_caps, feature().u32(1).string(text()).string("1").take());
        builder_.feature(Feature::hybrid_topology, feature().u32(1).string(text()).string(text()).take());
        builder_.feature(Feature::pmu_caps,
                         feature().u32(1).u32(1).string(text()).string(text()).string(text()).take());
        auto domains = feature();
        domains.u32(17).u32(1).u32(0).u32(1).u32(0).string(text()).string(text()).string(text());
        builder_.feature(Feature::cpu_domain_info, domains.take());
        ProgramInfo info(order_, 3);
        info.bytes(info_field::name, blob_of(planted)).bytes(info_field::tag, blob_of("tagtagta"));
        info.array(BpfArray::xlated_insns, 8, blob_of(planted))
            .array(BpfArray::line_info, 1, blob_of(text() + "....."));
        builder_.feature(Feature::bpf_prog_info, prog_info_feature(order_, {info.encode(240)}));
        builder_.feature(Feature::bpf_btf, bpf_btf(order_, {{1, blob_of(planted)}}));
        TracingBlob tracing;
        const std::string name(planted);
        tracing.ftrace = {"name: " + name + "\nID: 1\nformat:\n"};
        tracing.systems = {{name, {"name: " + name + "\nID: 77\nformat:\n\tfield:int " + name + ";\n"}}};
        tracing.kallsyms = tracing.printk_formats = tracing.command_lines = name;
        builder_.feature(Feature::tracing_data, tracing_data(order_, tracing));
        builder_.feature(35, blob_of(planted));
        builder_.feature(200, blob_of(planted));
        builder_.feature(Feature::cln_size, writer().u32(64).text(planted).take());
    }

    std::endian order_;
    RecordingBuilder builder_;
    Attr attr_, tracepoint_;
    Blob records_;
};

void check_clean(const Blob& made) {
    // Also its halves: fields of four bytes.
    for (const std::string_view part : {planted, planted.substr(0, 4), planted.substr(4), std::string_view("3cr3t")}) {
        CHECK(!has_text_in(made, part));
    }
    CHECK(!has_text_in(made, "!!t3rc3s"));
    for (const std::string_view word : planted_words) CHECK(!has_text_in(made, word));
    const auto recording = Recording::from_memory(made).value();
    CHECK(recording.diagnostics().empty());
    const auto reading = read_all(recording);
    CHECK(incompleteness(reading, recording) == "");
}

}  // namespace

TEST_CASE("No planted secret is left", "[annotate][anonymize]") {
    for (const auto order : {std::endian::little, std::endian::big}) {
        INFO((order == std::endian::big ? "big" : "little"));
        Planted planted_ones(order);
        const auto file = planted_ones.build();
        REQUIRE(has_text_in(file, planted));
        auto anonymizer = an_anonymizer();
        const auto made = anonymized_recording(Recording::from_memory(file).value(), anonymizer);
        check_clean(made);
        for (const auto* kind : {"hashed_commands",         "hashed_paths",           "hashed_symbols",
                                 "hashed_cgroups",          "hashed_namespaces",      "hashed_hosts",
                                 "hashed_arguments",        "hashed_events",          "hashed_words",
                                 "dropped_user_stacks",     "dropped_user_registers", "dropped_interrupt_registers",
                                 "dropped_raw_payloads",    "dropped_chain_words",    "dropped_physical_addresses",
                                 "dropped_aux_samples",     "dropped_sample_fields",  "dropped_aux_records",
                                 "dropped_bpf_metadata",    "dropped_type_blobs",     "dropped_unknown_records",
                                 "dropped_section_CPUDESC", "dropped_section_35"}) {
            INFO(kind);
            CHECK(sum_of_kind(anonymizer, kind) != 0);
        }
        CHECK(anonymized(file) == made);  // the same key makes the same file
        auto other = an_anonymizer(8);
        CHECK(anonymized_recording(Recording::from_memory(file).value(), other) != made);
    }
}

TEST_CASE("No planted secret is left of a recording that was cut anywhere", "[annotate][anonymize]") {
    Planted planted_ones(std::endian::little);
    const auto file = planted_ones.build();
    for (std::size_t size = 104; size < file.size(); size += 61) {
        const auto recording = Recording::from_memory(Bytes(file).first(size));
        if (!recording) continue;
        auto anonymizer = an_anonymizer();
        const auto made = anonymized_recording(*recording, anonymizer);
        INFO("size " << size);
        CHECK(!has_text_in(made, planted));
        CHECK(Recording::from_memory(made));
    }
}

TEST_CASE("Damaged recordings leave no secret either", "[annotate][anonymize]") {
    Planted planted_ones(std::endian::little);
    const auto file = planted_ones.build();
    Random random(9);
    for (int round = 0; round < 300; ++round) {
        auto damaged = file;
        // Sizes and types of records and strings; the secret itself stays whole.
        for (int change = 0; change < 3; ++change) {
            const auto at = 104 + random.size(damaged.size() - 104);
            if (std::to_integer<unsigned>(damaged[at]) < 0x20) damaged[at] = static_cast<std::byte>(random.below(0x20));
        }
        const auto recording = Recording::from_memory(damaged);
        if (!recording) continue;
        auto anonymizer = an_anonymizer();
        const auto made = anonymized_recording(*recording, anonymizer);
        INFO("round " << round);
        CHECK(!has_text_in(made, "s3cr3t!!/y"));
        CHECK(Recording::from_memory(made));
    }
}

TEST_CASE("Anonymizing can be stopped", "[annotate][anonymize]") {
    const auto file = content_of_file(fixture("bpf/bpf_turns.data"));
    const auto recording = Recording::from_memory(file).value();
    auto anonymizer = an_anonymizer();
    const auto made = anonymizer.recording(recording, {StopToken([] { return true; }), {}});
    REQUIRE(!made);
    CHECK(made.error().code == ErrorCode::cancelled);
}
