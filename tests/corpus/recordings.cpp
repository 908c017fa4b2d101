// SPDX-License-Identifier: MIT
// More recordings of our own. They are intact, so everything must be readable.
#include <cstdlib>
#include <filesystem>
#include <map>

#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/bpf/btf.hpp"

#include "catch.hpp"
#include "folder.hpp"

namespace corpus {
namespace {

TEST_CASE("every byte of every recording is read and every record decoded", "[recordings]") {
    for (const auto& path : recordings(PERFDATA_RECORDINGS)) {
        INFO(path);
        const auto recording = perfdata::Recording::open(path.string());
        REQUIRE(recording);
        perfdata::Completeness completeness;
        completeness.diagnostics.append(recording->diagnostics());
        REQUIRE(perfdata::walk(*recording, completeness, [](const perfdata::RecordContext&, const auto&) {}));
        for (const auto& diagnostic : completeness.diagnostics.kept()) FAIL_CHECK(diagnostic.message());
        CHECK(completeness.lossless());
        CHECK(completeness.bytes.unread == 0);
        for (const auto& [type, counts] : completeness.records) {
            INFO("record type " << type);
            CHECK(counts.skipped == 0);
            CHECK(counts.damaged == 0);
            CHECK(counts.decoded != 0);
        }
    }
}

// perf record --kcore writes a directory with the recording and a copy of the kernel's memory.
TEST_CASE("a --kcore directory is read like its data file", "[recordings]") {
    const std::filesystem::path source = PERFDATA_RECORDINGS "/g61";
    std::string name = (std::filesystem::temp_directory_path() / "perfdata-kcore-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    const std::filesystem::path directory = name;
    create_directory(directory / "kcore_dir");
    copy_file(source / "textpoke_all.data", directory / "data");
    copy_file(source / "textpoke_all.kcore", directory / "kcore_dir" / "kcore");
    const auto count = [](const std::filesystem::path& path) {
        const auto recording = perfdata::Recording::open(path.string());
        REQUIRE(recording);
        perfdata::Completeness completeness;
        REQUIRE(perfdata::walk(*recording, completeness, [](const perfdata::RecordContext&, const auto&) {}));
        CHECK(completeness.lossless());
        std::map<std::uint32_t, std::uint64_t> counts;
        for (const auto& [type, records] : completeness.records) counts[type] = records.decoded;
        return counts;
    };
    const auto counts = count(source / "textpoke_all.data");
    CHECK(count(directory) == counts);
    CHECK(counts.at(static_cast<std::uint32_t>(perfdata::RecordType::text_poke)) == 289);  // counted by perf 6.1
    remove_all(directory);
}

TEST_CASE("program infos and BTF of every byte order decode", "[recordings]") {
    std::size_t foreign_infos = 0, foreign_btf = 0;
    for (const auto& path : recordings(PERFDATA_RECORDINGS)) {
        INFO(path);
        const auto recording = perfdata::Recording::open(path.string());
        REQUIRE(recording);
        const auto bpf = perfdata::BpfFeatures::read(*recording);
        CHECK(bpf.diagnostics().empty());
        const bool foreign = recording->order().endian() != std::endian::native;
        for (const auto& blob : bpf.btf()) {
            const auto btf = perfdata::Btf::parse(blob, recording->order());
            REQUIRE(btf);
            CHECK(!btf->problem());
        }
        foreign_infos += foreign ? bpf.programs().size() : 0;
        foreign_btf += foreign ? bpf.btf().size() : 0;
    }
    CHECK(foreign_infos != 0);
    CHECK(foreign_btf != 0);
}

}  // namespace
}  // namespace corpus
