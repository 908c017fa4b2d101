// SPDX-License-Identifier: MIT
// Sections of an anonymized recording.
#include "perfdata/wire/feature/bpf_prog_reader.hpp"
#include "perfdata/wire/feature/build_id.hpp"
#include "perfdata/wire/feature/tracing_data.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/payload.hpp"
#include "support/program_info.hpp"
#include "support/reading.hpp"
#include "support/records.hpp"
#include "unit/annotate/anonymized.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// An anonymized recording with one section, and the recording that it was made of.
struct SectionCase {
    Blob file, made;
    Recording recording;

    SectionCase(std::endian order, Feature feature, Blob payload, Attr attr = sampling_attr(sample_bit::ip))
        : file(build(order, feature, std::move(payload), attr)),
          made(anonymized(file)),
          recording(Recording::from_memory(made).value()) {}

    static Blob build(std::endian order, Feature feature, Blob payload, const Attr& attr) {
        RecordingBuilder builder(order);
        builder.event(attr, {11, 12}).add(sample(attr.sample_type, {}, {.order = order, .trailer = {}}));
        builder.feature(feature, std::move(payload));
        return builder.build();
    }

    // The lines of the section, without its name.
    Lines lines(std::string_view name) const {
        Lines found;
        for (const auto& line : feature_lines(recording)) {
            if (line.starts_with(name)) found.push_back(line.substr(name.size() + 1));
        }
        return found;
    }
};

constexpr auto both_orders = {std::endian::little, std::endian::big};

}  // namespace

TEST_CASE("Sections that are left out", "[annotate][anonymize]") {
    for (const auto order : both_orders) {
        for (const auto& example : payload_examples(order)) {
            INFO(feature_name(static_cast<unsigned>(example.feature)));
            const SectionCase made(order, example.feature, example.payload);
            const bool there = made.recording.feature(example.feature) != nullptr;
            switch (example.feature) {
                case Feature::tracing_data:  // there is no tracepoint
                case Feature::cpudesc:
                case Feature::total_mem:
                case Feature::auxtrace:
                case Feature::cache:
                case Feature::mem_topology:
                case Feature::dir_format:
                case Feature::bpf_btf:
                case Feature::compressed:
                case Feature::clock_data: CHECK(!there); break;
                case Feature::arch:
                case Feature::cpuid:
                case Feature::osrelease:
                case Feature::version: break;  // if the text is of the usual form
                default: CHECK(there);
            }
        }
    }
}

TEST_CASE("Texts of the machine are hashed or cut", "[annotate][anonymize]") {
    const auto text = [](Feature feature, std::string_view content) {
        return SectionCase(std::endian::little, feature, feature_string(std::endian::little, content));
    };
    CHECK(text(Feature::hostname, "s3cr3t").recording.hostname().starts_with("h_"));
    CHECK(text(Feature::osrelease, "6.1.0-s3cr3t").recording.os_release() == "6.1.0");
    CHECK(text(Feature::version, "6.1.s3cr3t").recording.perf_version() == "6.1");
    CHECK(text(Feature::arch, "aarch64").recording.arch() == "aarch64");
    CHECK(text(Feature::arch, "s3cr3t").recording.arch() == "");
    CHECK(text(Feature::cpudesc, "s3cr3t").recording.cpu_description() == "");
    CHECK(!has_text_in(text(Feature::cpuid, "GenuineIntel,s3cr3t").made, "s3cr3t"));

    const SectionCase line(std::endian::little, Feature::cmdline,
                           feature_strings(std::endian::little, {"/usr/bin/perf", "record", "-g", "--", "s3cr3t"}));
    const auto& words = line.recording.command_line();
    REQUIRE(words.size() == 5);
    CHECK(words[0].starts_with("a_"));
    CHECK(words[1] == "record");
    CHECK(words[2] == "-g");
    CHECK(words[3] == "--");
    CHECK(words[4].starts_with("a_"));
}

TEST_CASE("No argument of the recorded program stays", "[annotate][anonymize]") {
    using Words = std::vector<std::string>;
    // What has a "#" in front is hashed.
    const auto check = [](const Words& words) {
        Words given;
        for (const auto& word : words) given.push_back(word.starts_with('#') ? word.substr(1) : word);
        const SectionCase line(std::endian::little, Feature::cmdline, feature_strings(std::endian::little, given));
        const auto& made = line.recording.command_line();
        REQUIRE(made.size() == words.size());
        for (std::size_t at = 0; at < words.size(); ++at) {
            INFO(given[at] << ", word " << at << " of: " << given[1] << ' ' << given.back());
            const bool hashed = made[at].starts_with("a_") && made[at].size() == 15 && !made[at].contains(given[at]);
            CHECK((words[at].starts_with('#') ? hashed : made[at] == given[at]));
        }
    };
    // Words of perf, as arguments of the program.
    check({"perf", "record", "-g", "-e", "#cycles", "-o", "#x.data", "--", "#ls", "#script", "#record", "#-g", "#--"});
    check({"perf", "record", "-g", "#ls", "#script", "#record", "#-g", "#--data", "#--", "#dwarf", "#sleep"});
    check({"perf", "record", "-a", "#sleep", "#record"});
    check({"perf", "record", "-F", "#99", "-g", "#./record", "#-F", "#max", "#report"});
    check({"perf", "record", "-F", "max", "-k", "mono", "--call-graph", "dwarf", "-a", "--", "#top"});
    check({"perf", "record", "--call-graph", "#dwarf,4096", "-a", "#top", "#-a"});
    // The value of an option is no option, whatever it looks like.
    check({"perf", "record", "-o", "#--", "-a", "#record"});
    check({"perf", "record", "-e", "#-g", "-p", "#record"});
    // Options whose value may be missing have none behind a space, and old perf had no kinds of call graphs.
    check({"perf", "record", "-I", "#top", "#-g"});
    check({"perf", "record", "--user-regs", "#lock", "#--data"});
    check({"perf", "record", "--switch-output", "#trace", "#-a"});
    check({"perf", "record", "-g", "#dwarf", "#-a"});
    check({"perf", "record", "--call-graph", "#stat", "#--data"});
    check({"perf", "record", "--call-graph", "-g", "#stat", "#--data"});
    // What is not known is hashed, and the word behind it may be the program.
    check({"perf", "record", "#--secret", "-g", "#--secret=x", "#mem", "#--data"});
    check({"perf", "record", "#-ag", "-F", "#99", "#-", "#-g"});
    // Options of other commands may be others: `perf stat -c` has no value, nor has `perf mem record -p`.
    check({"perf", "stat", "record", "-c", "#report", "#-g"});
    check({"perf", "mem", "record", "-p", "#inject", "#-a"});
    check({"perf", "c2c", "record", "-u", "#inject", "#-a", "#--", "#-g"});
    check({"perf", "sched", "record", "-o", "#record", "-a", "#top", "#-a"});
    check({"perf", "kvm", "stat", "record", "-a", "#kvm", "#record"});
    check({"perf", "kvm", "#stat_", "#record"});
    check({"perf", "stat", "#-e", "#record", "#record", "#-g"});
    check({"perf", "mem", "#mem", "#record"});
    check({"perf", "#trace-cmd", "#record", "#-g"});
    check({"perf", "#-v", "#record", "#-g"});
    check({"#/opt/s3cr3t/perf", "record", "#perf"});
    check({"#record", "#perf", "#record", "#-g"});
}

TEST_CASE("Names of events, groups and PMUs", "[annotate][anonymize]") {
    for (const auto order : both_orders) {
        const auto attr = sampling_attr(sample_bit::ip);
        const SectionCase named(order, Feature::event_desc, event_desc(order, {{attr, "s3cr3t-event", {11, 12}}}));
        const auto& event = named.recording.events().events().at(0);
        CHECK(event.perf_name.starts_with("e_"));
        CHECK(event.ids == std::vector<EventId>{{11}, {12}});

        FeatureWriter groups(order);
        groups.u32(2).string("s3cr3t").u32(0).u32(2);
        groups.string("{anon_group}").u32(2).u32(2);
        const SectionCase grouped(order, Feature::group_desc, groups.take());
        CHECK(!has_text_in(grouped.made, "s3cr3t"));
        CHECK(has_text_in(grouped.made, "{anon_group}"));

        FeatureWriter pmus(order);
        pmus.u32(3).u32(4).string("cpu");
        pmus.u32(9).string("s3cr3t_pmu");
        pmus.u32(10).string("uncore_imc_0");
        const SectionCase mapped(order, Feature::pmu_mappings, pmus.take());
        CHECK(!has_text_in(mapped.made, "s3cr3t"));
        CHECK(has_text_in(mapped.made, "uncore_imc_0"));

        FeatureWriter caps(order);
        caps.u32(3).string("branches").string("32").string("pmu_name").string("s3cr3t").string("s3cr3t").string("1");
        const SectionCase able(order, Feature::cpu_pmu_caps, caps.take());
        CHECK(!has_text_in(able.made, "s3cr3t"));
        CHECK(able.recording.read_feature(Feature::cpu_pmu_caps).value().size() == 4 + 4 + 12 + 4 + 4);
    }
}

TEST_CASE("The build ids of files stay, their names do not", "[annotate][anonymize]") {
    for (const auto order : both_orders) {
        auto payload = build_id_record(order, {.misc = 2u | 1u << 15, .name = "/usr/s3cr3t"});
        const auto kernel = build_id_record(order, {.misc = 1, .name = "[kernel.kallsyms]"});
        payload.insert(payload.end(), kernel.begin(), kernel.end());
        const SectionCase made(order, Feature::build_id, payload);
        const auto content = made.recording.read_feature(Feature::build_id).value();
        BuildIdReader reader({content, AnyOrder(order), {.where = "test"}});
        const auto first = reader.next().value().value(), second = reader.next().value().value();
        CHECK(first.name == an_anonymizer().path("/usr/s3cr3t"));
        CHECK(first.build_id.size() == 20);
        CHECK(first.build_id[1] == std::byte{2});
        CHECK(first.mode() == CpuMode::user);
        CHECK(first.size_known);
        CHECK(second.name == "[kernel.kallsyms]");
        CHECK(!second.size_known);
        CHECK(second.pid == BuildIdEntry::host);
        CHECK(!reader.next().value());
    }
}

TEST_CASE("Formats of tracepoints have names only", "[annotate][anonymize]") {
    for (const auto order : both_orders) {
        auto attr = sampling_attr(sample_bit::ip | sample_bit::tid | sample_bit::raw);
        attr.type = attr_type::tracepoint;
        attr.config = 314;
        TracingBlob blob;
        blob.systems = {{"probe", {"name: s3cr3t_probe\nID: 314\nformat:\n\tfield:int s3cr3t;\n"}}};
        blob.kallsyms = blob.printk_formats = blob.command_lines = "s3cr3t";
        const SectionCase made(order, Feature::tracing_data, tracing_data(order, blob), attr);
        CHECK(!has_text_in(made.made, "s3cr3t"));
        const auto content = made.recording.read_feature(Feature::tracing_data).value();
        auto data = TracingData::decode({content, AnyOrder(order), {.where = "test"}}).value();
        CHECK(data.order().endian() == order);
        const auto format = data.next().value().value();
        CHECK(format.system == "probe");
        CHECK(format.id() == 314u);
        CHECK(format.name().starts_with("e_"));
        CHECK(!data.next().value());
        CHECK(data.tail().value().kallsyms.empty());
        CHECK(made.recording.events().events().at(0).perf_name == "probe:" + std::string(format.name()));
    }
}

TEST_CASE("BPF programs keep code, addresses and tags", "[annotate][anonymize]") {
    for (const auto order : both_orders) {
        ProgramInfo info(order, 28);
        info.u32(info_field::type, 5).bytes(info_field::tag, blob_of("12345678"));
        info.bytes(info_field::name, blob_of("s3cr3t"))
            .u32(info_field::created_by_uid, 0x5ec1)
            .u32(info_field::btf_id, 0x5ec2);
        info.u64(info_field::load_time, 99).u64(info_field::run_cnt, 7).u32(info_field::attach_btf_id, 0x5ec3);
        info.array(BpfArray::jited_insns, 8, blob_of("codecode"));
        info.array(BpfArray::xlated_insns, 8, blob_of("s3cr3t-8"));
        info.array(BpfArray::map_ids, 1, array_u32(order, {0x5ec4}));
        info.array(BpfArray::jited_ksyms, 1, array_u64(order, {0xffffffffc0001000}));
        info.array(BpfArray::jited_func_lens, 1, array_u32(order, {8}));
        info.array(BpfArray::line_info, 1, blob_of("s3cr3t-8s3cr3t-8"));
        info.array(BpfArray::prog_tags, 1, blob_of("87654321"));
        const SectionCase made(order, Feature::bpf_prog_info, prog_info_feature(order, {info.encode()}));
        CHECK(!has_text_in(made.made, "s3cr3t"));
        const auto content = made.recording.read_feature(Feature::bpf_prog_info).value();
        BpfProgramReader reader({content, AnyOrder(order), {.where = "test"}});
        const auto program = reader.next().value().value();
        CHECK(program.id == ProgramId{28});
        CHECK(program.type == 5);
        CHECK(as_text(program.tag) == "12345678");
        CHECK(program.name == an_anonymizer().name("s3cr3t"));
        CHECK(as_text(program.jited_insns()) == "codecode");
        REQUIRE(program.jited_ksyms().size() == 1);
        CHECK(program.jited_ksyms()[0] == 0xffffffffc0001000);
        CHECK(program.jited_func_lens()[0] == 8);
        CHECK(program.load_time == 99);
        CHECK(program.run_count == 7);
        CHECK(program.created_by_uid + program.btf_id + program.attach_btf_id + program.map_count == 0);
        for (const auto gone : {BpfArray::xlated_insns, BpfArray::map_ids, BpfArray::line_info, BpfArray::func_info}) {
            CHECK(program.array(gone).state == BpfArrayState::absent);
        }
        CHECK(!reader.next().value());
    }
}

TEST_CASE("A recording without a finished header gets one", "[annotate][anonymize]") {
    RecordingBuilder builder;
    const auto attr = sampling_attr(sample_bit::ip);
    builder.event(attr).add(sample(attr.sample_type, {}));
    const auto file = patched(builder.build(), std::endian::little, header_field::data_size, std::uint64_t{0});
    REQUIRE(Recording::from_memory(file).value().interrupted());
    const auto made = anonymized(file);
    const auto recording = Recording::from_memory(made).value();
    CHECK(!recording.interrupted());
    CHECK(read_all(recording).records.size() == 1);

    RecordingBuilder empty;
    empty.event(attr);
    const auto nothing = anonymized(empty.build());
    CHECK(!Recording::from_memory(nothing).value().interrupted());
}
