// SPDX-License-Identifier: MIT
// make_seeds DIRECTORY FIXTURES: writes small crafted files to start fuzzing from, a folder per target. It uses BPF
// programs of the fixtures, and recordings with related files. Run it again when a format or a target's input changes,
// and keep the results in corpus.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "perfdata/annotate/elf/elf_writer.hpp"
#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/bundle/bundle_packer.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "support/compressor.hpp"
#include "support/crafted.hpp"
#include "support/elf.hpp"
#include "support/jitdump.hpp"
#include "support/samples.hpp"
#include "support/stored_model.hpp"
#include "support/tar.hpp"
#include "unwind_seeds.hpp"

namespace {

using namespace perfdata;
using namespace perfdata::test;

void write(const std::filesystem::path& path, const Blob& content) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path.string());
}

// A few records of each kind suffice.
Crafted small(std::uint64_t seed, std::endian order, std::uint32_t attr_bytes) {
    auto crafted = craft(seed, order, attr_bytes);
    crafted.records.resize(20);
    crafted.plain.resize(crafted.plain.size() / 3);
    return crafted;
}

void write_seeds(const std::filesystem::path& directory, const std::string& name_of_order, std::endian order) {
    const auto path = [&](const std::string& name) { return directory / ("seed-" + name_of_order + "-" + name); };
    const auto crafted = small(1, order, 128);
    write(path("file"), builder_of(crafted, all_records(crafted)).build());
    write(path("pipe"), as_pipe(crafted, all_records(crafted)));
    for (const auto type : {RecordType::compressed, RecordType::compressed2}) {
        Random random(1);
        const auto data = joined(
            {Crafted::bytes_of(crafted.synthesized), packed(order, type, Crafted::bytes_of(crafted.records), random)});
        const std::string name = type == RecordType::compressed ? "compressed" : "compressed2";
        write(path(name), builder_of(crafted, data, false).build());
    }
    const auto old = small(2, order, 64);
    auto legacy = builder_of(old, all_records(old), false);
    legacy.layout.legacy = true;
    legacy.layout.header_size = 72;
    write(path("legacy"), legacy.build());
}

// One record of each type, and one of an unknown type.
void write_jitdump_seed(const std::filesystem::path& path, std::endian order, std::uint64_t flags) {
    JitHeaderValues header;
    header.flags = flags;
    JitDumpWriter dump(order, header);
    dump.debug_info(1, 0x1000, {{0x1040, 1, 0, "file"}, {0x1044, 2, 1, "\xff"}}, 3);
    dump.unwinding(2, 16, 8, 0);
    dump.load({3, 0x1000, "function", "\x31\xc0\x90\x90\x90\xc3", 1});
    dump.load({4, 0x1004, "other", "\x31\xc0\x90\x90\x90\xc3", 2});
    dump.move(5, 0x1004, 0x2000, 6, 2);
    dump.other(9, 24);
    dump.close(6);
    write(path, dump.blob());
}

constexpr std::array<std::endian, 2> orders = {std::endian::little, std::endian::big};

std::string order_name(std::endian order) {
    return order == std::endian::little ? "little" : "big";
}
std::uint8_t order_choice(std::endian order) {
    return order == std::endian::big ? 1 : 0;
}

void write_feature_seeds(const std::filesystem::path& directory, std::endian order) {
    for (const auto& [number, payload] : craft(3, order).features) {
        const auto blob = Writer(std::endian::little)
                              .u8(static_cast<std::uint8_t>(number))
                              .u8(order_choice(order))
                              .bytes(payload)
                              .take();
        write(directory / ("seed-" + order_name(order) + "-feature-" + std::to_string(number)), blob);
    }
}

// Writes the attr as fuzz_records.cpp reads it.
Writer records_input(std::endian order, const Attr& attr) {
    Writer out(std::endian::little);
    out.u8(order_choice(order)).u32(static_cast<std::uint32_t>(attr.sample_type));
    out.u8(static_cast<std::uint8_t>(attr.read_format)).u32(static_cast<std::uint32_t>(attr.branch_sample_type));
    out.u64(attr.sample_regs_user).u64(attr.sample_regs_intr).u8(attr.sample_id_all() ? 1 : 0);
    return out;
}

void write_record_seeds(const std::filesystem::path& directory, std::endian order) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Random random(seed);
        auto attr = random_attr(random, seed == 0 ? 0x1ffffff & ~sample_bit::weight : random_sample_type(random));
        attr.flags = seed % 2 == 0 ? attr_flag::sample_id_all : 0;
        auto out = records_input(order, attr);
        for (int count = 0; count < 4; ++count) {
            auto content = random_content(random, attr);
            if (content.stack.size() > 256) content.stack.resize(256);
            if (const auto sample = encode(order, attr, content); sample.size() < 4096) out.bytes(sample);
        }
        write(directory / ("seed-" + order_name(order) + "-samples-" + std::to_string(seed)), out.take());
    }
    const auto attr = sampling_attr(sample_bit::tid | sample_bit::time | sample_bit::identifier);
    const auto end = trailer(order, attr.sample_type, {});
    Random random(7);
    auto out = records_input(order, attr);
    for (std::uint32_t type = 1; type < 87; ++type) {
        const auto known = static_cast<RecordType>(type);
        if (record_type_name(type).empty() || known == RecordType::sample || known == RecordType::compressed ||
            known == RecordType::compressed2 || known == RecordType::header_attr ||
            known == RecordType::header_feature || known == RecordType::header_tracing_data) {
            continue;
        }
        out.bytes(random_record(known, random, order, type < 64 ? end : Blob{}));
    }
    write(directory / ("seed-" + order_name(order) + "-others"), out.take());
}

// Writes pieces as fuzz_zstd.cpp reads them.
void write_zstd_seeds(const std::filesystem::path& directory, std::endian order) {
    const auto records = Crafted::bytes_of(small(4, order, 128).records);
    for (const bool with_size : {false, true}) {
        for (const bool ends : {false, true}) {
            Compressor compressor;
            Writer out(std::endian::little);
            out.u8(static_cast<std::uint8_t>(order_choice(order) | (with_size ? 2 : 0)));
            for (auto rest = Bytes(records); !rest.empty();) {
                const auto part = rest.first(std::min<std::size_t>(rest.size(), 700));
                rest = rest.subspan(part.size());
                auto piece = compressor.piece(part);
                if (ends) piece = joined({piece, compressor.end()});
                out.u16(static_cast<std::uint16_t>(piece.size())).bytes(piece);
            }
            write(directory / ("seed-" + order_name(order) + (with_size ? "-sized" : "") + (ends ? "-frames" : "")),
                  out.take());
        }
    }
}

// Writes the parts as fuzz_bpf.cpp reads them.
Blob bpf_input(std::endian order, const Blob& records, const Blob& programs, const Blob& btf) {
    Writer out(std::endian::little);
    out.u8(order_choice(order)).u16(static_cast<std::uint16_t>(records.size())).bytes(records);
    return out.u32(static_cast<std::uint32_t>(programs.size())).bytes(programs).bytes(btf).take();
}

// Returns records about BPF programs, with the trailer of the target's events.
Blob bpf_records(const Recording& recording) {
    constexpr std::size_t most = 60000;
    const auto order = recording.order().endian();
    Blob all;
    const auto visit = [&]<class R>(const RecordContext& context, const R& one) {
        if constexpr (std::is_same_v<R, Ksymbol> || std::is_same_v<R, BpfEvent>) {
            SampleValues values;
            values.time = context.time.nanoseconds;
            const test::RecordFrame frame{order, trailer(order, sample_bit::tid | sample_bit::time, values), 0};
            const auto blob = encode(one, frame);
            if (all.size() + blob.size() <= most) all.insert(all.end(), blob.begin(), blob.end());
        }
    };
    Completeness completeness;
    (void)walk(recording, completeness, visit);
    return all;
}

void write_bpf_seed(const std::filesystem::path& directory, const std::filesystem::path& path) {
    const auto recording = Recording::open(path.string());
    if (!recording) throw std::runtime_error(recording.error().message());
    const auto feature = [&](Feature which) {
        const auto content = recording->read_feature(which);
        return content ? Blob(content->begin(), content->end()) : Writer(recording->order().endian()).u32(0).take();
    };
    const auto blob = bpf_input(recording->order().endian(), bpf_records(*recording), feature(Feature::bpf_prog_info),
                                feature(Feature::bpf_btf));
    write(directory / ("seed-" + path.stem().string()), blob);
}

// Writes payloads of a recording with the BTF of its program, as fuzz_payload.cpp reads them.
void write_payload_seeds(const std::filesystem::path& directory, const std::filesystem::path& path) {
    constexpr std::size_t most = 4;  // that program writes so many structs in turn
    const auto recording = Recording::open(path.string());
    if (!recording) throw std::runtime_error(recording.error().message());
    const auto features = BpfFeatures::read(*recording);
    if (features.btf().empty()) throw std::runtime_error("no BTF in " + path.string());
    const auto types = features.btf().front().data;
    std::size_t written = 0;
    Completeness seen;
    const auto done = walk(*recording, seen, [&]<class Order>(const RecordContext&, const BasicSample<Order>& sample) {
        const auto raw = sample.details().raw();
        if (!raw || written == most) return;
        const Blob payload(raw->begin(), raw->end()), blob(types.begin(), types.end());
        write(directory / ("seed-" + std::to_string(written++)), Writer(std::endian::little)
                                                                     .u8(0)
                                                                     .u16(static_cast<std::uint16_t>(payload.size()))
                                                                     .bytes(payload)
                                                                     .bytes(blob)
                                                                     .take());
    });
    if (!done) throw std::runtime_error(done.error().message());
}

// Writes a file with all kinds of symbols, and one with memory segments.
void write_elf_seeds(const std::filesystem::path& directory, std::endian order, bool wide) {
    const auto name = "seed-" + order_name(order) + (wide ? "-64" : "-32");
    Elf elf(order, wide);
    elf.build_id(Blob(20, std::byte{7}));
    elf.debug_link("x.debug");
    const auto dynsym =
        elf.symbols({{"puts", 0, 0, Elf::function, Elf::global, 0, 0}, {"exported", 0x1000, 4}}, ".dynsym");
    elf.add({.name = ".plt", .flags = 6, .address = 0x2000, .content = Blob(64)});
    Writer relocations(order);
    if (wide) {
        relocations.u64(0x4000).u64(std::uint64_t{1} << 32 | 7).u64(0);
    } else {
        relocations.u32(0x4000).u32(1 << 8 | 7).u32(0);
    }
    elf.add({.name = ".rela.plt", .type = 4, .content = relocations.take(), .link = dynsym});
    elf.add({.name = ".opd", .address = 0x8000, .content = Blob(32)});
    elf.symbols({{"a", 0x1000, 4}, {"_ZN1AC1Ev", 0x1000, 4}, {"_ZN1BC1Ev", 0x1100, 16}, {"b", 0x1104, 4}});
    elf.segments = {{0, 0x1000, 0x200}};
    write(directory / name, elf.blob());
    elf.type = static_cast<std::uint16_t>(ElfFile::Type::core);
    elf.machine = wide ? 22 : 20;
    write(directory / (name + "-core"), elf.blob());
}

// Writes a file with lines: DWARF 4 from our own writer.
void write_written_elf(const std::filesystem::path& directory, const std::string& arch) {
    const Blob one(37, std::byte{0x90}), other(5, std::byte{1});
    ElfCode code;
    code.target = ElfTarget::of(arch).value();
    code.functions = {{"second", {0x1003}, other, {{0, 0, {"c.c", 9, 0, {}}}}},
                      {"first", {0x2008}, one, {{0, 0, {"a.c", 3, 1, {}}}, {4, 0, {"b.c", 5, 0, {}}}}}};
    code.name = "seed";
    const auto written = write_elf(code).value();
    write(directory / ("seed-written-" + arch), blob_of(written));
}

void write_text_seeds(const std::filesystem::path& directory) {
    write(directory / "seed-kallsyms", blob_of("ffffffff81000000 T _text\nffffffff81000000 T startup_64\n"
                                               "ffffffff81000040 t local\nffffffff81000040 W weak\n"
                                               "ffffffff82000000 D data\nffffffffc0000000 t init\t[nf_nat]\n"
                                               "ffffffffc0001000 t bpf_prog_6deef7357e7b4530_x\t[bpf]\n"));
    write(directory / "seed-hidden", blob_of("0000000000000000 T _text\n0000000000000000 t x\n"));
    write(directory / "seed-map", blob_of("1000 10 one\n0x1008 0x20 two three\nffffffffffffff00 200 last\n"
                                          "1000 0 nothing\nnone\n"));
    write(directory / "seed-names", blob_of("_ZN1AC1Ev\n_ZNSt6vectorIiSaIiEE9push_backERKi.isra.0\n"
                                            "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE\n"
                                            "_ZZN1a1bEvENKUlvE_clEv\n_RNvC1a1b\n"));
    // Names that grow when demangled: repeated substitutions, possible conversions, many lifetimes, encoded
    // identifiers.
    write(directory / "seed-names-cxx",
          blob_of("_Z1fI1pIiiES0_IS2_S2_ES0_IS3_S3_ES0_IS4_S4_ES0_IS5_S5_ES0_IS6_S6_ES0_IS7_"
                  "S7_ES0_IS8_S8_ES0_IS9_S9_ES0_ISA_SA_ES0_ISB_SB_EEvv\n"
                  "_ZN1acvT_IT_IT_IiEEEEv\n_Z1fIJiiEEvDpDp1aIT_E\n"
                  "_ZZ4mainENKUlTyvE_clIiEEDav\n_Z1fIRT_RT_1pIiEEvv\n"));
    write(directory / "seed-names-rust",
          blob_of("_RINvC1a1fTuuETB7_B7_ETBb_Bb_ETBj_Bj_ETBr_Br_ETBz_Bz_ETBH_BH_ETBP_BP_EE\n"
                  "_RINvC1a1fFGf_RL0_hEuE\n_RNvC1au15gre_ber_1va0sjc\n"
                  "_RINvC1a1fDINtC1b1TKj7_Ep4ItemeEL_E\n_RNvMINvC1a1fB2_EuNCNvC1a1b0\n"));
}

void write_archive_seeds(const std::filesystem::path& directory) {
    Tar tar;
    tar.symlink(".build-id/01/0203", "../../usr/bin/prog/010203");
    tar.directory("usr/bin/prog/010203/");
    tar.file("usr/bin/prog/010203/elf", blob_of("\177ELF"));
    tar.hardlink("usr/bin/same/elf", "usr/bin/prog/010203/elf");
    tar.symlink("self", "self");
    tar.symlink("up", "../../etc/passwd");
    tar.device("null");
    write(directory / "seed-cache", tar.blob());
    Tar outer;
    outer.file("perf.data", blob_of("PERFILE2"));
    outer.file("perf.symbols.tar.bz2", tar.blob());
    write(directory / "seed-all", outer.blob());
    Tar broken;
    broken.file("./a/../b", blob_of("text"));
    broken.claim("large", std::uint64_t{1} << 40);
    write(directory / "seed-broken", broken.blob());
}

void write_profile_seeds(const std::filesystem::path& directory) {
    // The first byte chooses the dimensions that are kept.
    for (std::uint32_t seed = 0; seed < 2; ++seed) {
        write(directory / ("seed-" + std::to_string(seed)),
              blob_of(std::string(1, '\x55') + written(random_model(seed))));
    }
    const auto nothing = StoredModel("nothing").finish();
    write(directory / "seed-empty", blob_of(std::string(1, '\xff') + written(nothing)));
}

void write_bundle_seeds(const std::filesystem::path& directory) {
    const std::string index =
        R"({"perfdata_bundle": 1, "recording": "perf.data", "members": [{"name": ".build-id/01/0203/elf", "size": 4, )"
        R"("sha256": "00", "kind": "object", "path": "/usr/bin/prog", "build_id": "010203"}], "missing": [{"path": )"
        R"("/usr/bin/gone", "why": "not found", "samples": 1}], "left_out": {"aux": 1}, "debug": "lines", "sources": true})";
    Tar tar;
    tar.file("perf.data", blob_of("PERFILE2"));
    tar.file("bundle.json", blob_of(index));
    tar.file(".build-id/01/0203/elf", blob_of("\177ELF"));
    tar.file("root/usr/src/a.c", blob_of("text"));
    tar.symlink("kernel/kallsyms", "../../etc/passwd");
    // Before it: how it is packed.
    const auto with = [](std::string_view choice, const Blob& content) {
        Writer out(std::endian::little);
        out.text(choice).bytes(content);
        return out.take();
    };
    write(directory / "seed-plain", with(std::string_view("\0", 1), tar.blob()));
    write(directory / "seed-frames", with("\x10", tar.blob()));
    const auto packed = [](std::string_view name, std::string_view content) {
        return PackedMember{std::string(name), memory_source(as_bytes(content))};
    };
    const std::vector<PackedMember> members{packed("perf.data", "PERFILE2"), packed("bundle.json", index),
                                            packed(".build-id/01/0203/elf", "\177ELF")};
    Writer bundle(std::endian::little);
    if (const auto made = pack_members(members, [&](Bytes bytes) { bundle.bytes(bytes); }); !made) {
        throw std::runtime_error(made.error().message());
    }
    write(directory / "seed-packed", with(std::string_view("\0", 1), bundle.take()));
    Tar split;
    split.file("./perf.data/data", blob_of("PERFILE2"));
    split.file("bundle.json", blob_of(R"({"perfdata_bundle": 2})"));
    split.file("perf.data/data.1", blob_of("record"));
    split.claim("large", std::uint64_t{1} << 40);
    write(directory / "seed-directory", with("\x20", split.blob()));
}

// content_of(path) reads a whole file. with_file(recording, name, file) appends a file to a recording, as
// fuzz_annotate.cpp reads it.
Blob content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(file), {});
    if (!file || content.empty()) throw std::runtime_error("cannot read " + path.string());
    return blob_of(content);
}
Blob with_file(const Blob& recording, std::string_view name, const Blob& file) {
    Writer out(std::endian::little);
    out.bytes(recording).bytes(file).u32(static_cast<std::uint32_t>(file.size())).text(name);
    return out.take();
}

// Kernel addresses in a recording: samples and changes.
std::vector<std::uint64_t> kernel_places(const Recording& recording) {
    std::vector<std::uint64_t> all;
    const auto visit = [&]<class R>(const RecordContext&, const R& record) {
        if constexpr (requires { record.details(); }) {
            if (record.mode() == CpuMode::kernel && record.ip())
                all.push_back(record.ip()->value & ~std::uint64_t{0xff});
        } else if constexpr (std::is_same_v<R, TextPoke>) {
            all.push_back(record.address.value & ~std::uint64_t{0xff});
        }
    };
    Completeness completeness;
    (void)walk(recording, completeness, visit);
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
}

// Writes names and memory of the recorded kernel: each 256 bytes with a known place become a function.
void write_kernel_seeds(const std::filesystem::path& directory, const std::filesystem::path& path) {
    constexpr std::size_t most_places = 64;
    const auto recording = Recording::open(path.string());
    if (!recording) throw std::runtime_error(recording.error().message());
    const auto timeline = Timeline::build(*recording).value();
    auto places = kernel_places(*recording);
    if (!timeline.kernel() || places.empty()) throw std::runtime_error(path.string() + ": nothing of a kernel");
    if (places.size() > most_places) places.resize(most_places);
    Elf memory, kernel;
    memory.type = static_cast<std::uint16_t>(ElfFile::Type::core);
    std::vector<Elf::Symbol> symbols;
    const auto add = [&](std::uint64_t address, const std::string& name, std::string& text) {
        char digits[20];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(address));
        text += std::string(digits) + " t " + name + "\n";
        symbols.push_back({name, address, 256});
    };
    std::string kallsyms;
    add(timeline.kernel()->reference_address.value, timeline.kernel()->reference_symbol, kallsyms);
    for (const auto place : places) add(place, "at_" + std::to_string(place & 0xffffff), kallsyms);
    // All segments share the same bytes behind the headers.
    for (const auto place : places) memory.segments.push_back({64 + 56 * places.size(), place, 256});
    for (auto* elf : {&memory, &kernel}) elf->section(Elf::text).content = Blob(4096, std::byte{0x90});
    SymbolizerOptions offline;
    offline.finder.offline = true;
    const auto names = Symbolizer::open(*recording, timeline, offline);
    const auto& id = names.recorded_kernel().build_id;
    if (id.size != 0) kernel.build_id(id.bytes());
    kernel.segments = memory.segments;
    kernel.symbols(symbols);
    const auto file = content_of(path);
    const auto named = with_file(file, "ksym", blob_of(kallsyms));
    const auto stem = "seed-" + path.stem().string();
    write(directory / (stem + "-kcore"), with_file(named, "kcor", memory.blob()));
    write(directory / (stem + "-vmlinux"), with_file(file, "vmlx", kernel.blob()));
}

// folder(directory, target) creates it if necessary.
std::filesystem::path folder(const std::filesystem::path& directory, const std::string& target) {
    std::filesystem::create_directories(directory / target);
    return directory / target;
}

void write_all(const std::filesystem::path& directory) {
    for (const auto order : orders) {
        write_seeds(folder(directory, "decode"), order_name(order), order);
        write_feature_seeds(folder(directory, "header"), order);
        write_record_seeds(folder(directory, "records"), order);
        write_zstd_seeds(folder(directory, "zstd"), order);
        const auto features = craft(3, order).features;
        write(folder(directory, "bpf") / ("seed-" + order_name(order)),
              bpf_input(order, {}, features.at(static_cast<unsigned>(Feature::bpf_prog_info)),
                        features.at(static_cast<unsigned>(Feature::bpf_btf))));
        for (const bool wide : {false, true}) write_elf_seeds(folder(directory, "elf"), order, wide);
    }
    for (const std::string arch : {"x86_64", "s390x", "i686"}) write_written_elf(folder(directory, "elf"), arch);
    write_text_seeds(folder(directory, "text"));
    write_archive_seeds(folder(directory, "archive"));
    write_bundle_seeds(folder(directory, "bundle"));
    write_profile_seeds(folder(directory, "profile_file"));
    const auto jitdumps = folder(directory, "jitdump");
    write_jitdump_seed(jitdumps / "seed-little", std::endian::little, 0);
    write_jitdump_seed(jitdumps / "seed-big", std::endian::big, 0);
    write_jitdump_seed(jitdumps / "seed-ticks", std::endian::little, 1);
    for (const auto& [name, input] : unwind_seeds()) write(folder(directory, "unwind") / name, input);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) {
        std::fprintf(stderr, "usage: make_seeds DIRECTORY FIXTURES\n");
        return 2;
    }
    const std::filesystem::path directory = argv[1], fixtures = argv[2];
    write_all(directory);
    for (const auto* name :
         {"bpf/bpf_twins.data", "bpf/bpf_types.data", "bpf/bpf_nobtf.data", "records/s390_bpf_pre.data"}) {
        write_bpf_seed(folder(directory, "bpf"), fixtures / name);
    }
    write_payload_seeds(folder(directory, "payload"), fixtures / "typed/bpf_output.data");
    // Counters: as text of each CPU, as JSON of each thread, and as CSV.
    const auto counters = folder(directory, "tool_stat");
    const auto with_choices = [&](const char* fixture, std::uint8_t format, std::uint8_t mode) {
        const auto recording = content_of(fixtures / fixture);
        return Writer(std::endian::little)
            .bytes(recording)
            .u8(0)
            .u8(0)
            .u8(format)
            .u8(mode)
            .zeros(12)
            .text("opts")
            .take();
    };
    write(counters / "seed-rounds", with_choices("records/stat.data", 0, 0));
    write(counters / "seed-threads", with_choices("records/stat_threads.data", 1, 6));
    write(counters / "seed-csv", with_choices("records/stat.data", 2, 1));
    const auto annotate = folder(directory, "annotate");
    write_kernel_seeds(annotate, fixtures / "pokes/text_pokes.data");
    write(annotate / "seed-tinyjit-dump",
          with_file(content_of(fixtures / "jit/tinyjit.data"), "jitd", content_of(fixtures / "jit/jit-32346.dump")));
    return 0;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
}
