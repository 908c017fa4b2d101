// SPDX-License-Identifier: MIT
// The files of an anonymized bundle: their names and kinds, and what the index says of those that are missing.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "perfdata/symbols/symbol_miss.hpp"

#include "bundle/owned_source.hpp"
#include "bundle/traced_files.hpp"
#include "catch.hpp"
#include "support/elf.hpp"
#include "support/files.hpp"
#include "support/jitdump.hpp"
#include "tool/collect/collect_names.hpp"
#include "unit/annotate/anonymized.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

NeededFile needed_member(std::string name, std::string kind, std::string_view content) {
    NeededFile file;
    file.member = {std::move(name), std::move(kind), "/home/s3cr3t/path", "s3cr3t-id"};
    file.from = "/here/" + file.member.name;
    file.content = std::make_shared<const perfdata::OwnedSource>(std::string(content));
    file.by.samples = 7;
    return file;
}

std::vector<BundleContent> members_made(Needed& needed) {
    auto anonymizer = an_anonymizer();
    auto made = tool::anonymized_members(anonymizer, needed, {}, {});
    REQUIRE(made);
    return std::move(*made);
}

std::uint64_t number_left_out(const Needed& needed, std::string_view what) {
    const auto at = std::ranges::find(needed.left_out, what, &NeededLeftOut::what);
    return at == needed.left_out.end() ? 0 : at->number;
}

class FailingSource final : public Source {
  public:
    explicit FailingSource(ErrorCode code) : code_(code) {}
    std::uint64_t size() const override { return 64; }
    Result<std::size_t> read_at(std::uint64_t, std::span<std::byte>) const override {
        return fail(code_, Error::no_offset, "/here/x", "told to");
    }

  private:
    ErrorCode code_;
};

}  // namespace

TEST_CASE("Names of members of an anonymized bundle are hashes", "[annotate][anonymize]") {
    const auto anonymizer = an_anonymizer();
    constexpr std::string_view map = "1000 10 s3cr3t\n";
    Needed needed;
    for (const auto* name : {"root/tmp/perf-12.map", "root/home/s3cr3t/x.map", "root/home/s3cr3t/perf-12.map"})
        REQUIRE(needed.add(needed_member(name, "perf_map", map)));
    auto files = members_made(needed);
    REQUIRE(files.size() == 3);
    std::vector<std::string> names;
    for (const auto& [member, content] : files) {
        names.push_back(member.name);
        CHECK(member.path == anonymizer.path("/home/s3cr3t/path"));
        CHECK(member.build_id.empty());
        CHECK(!has_text_in(bytes_of_source(*content), "s3cr3t"));
    }
    std::ranges::sort(names);
    std::vector<std::string> want{"root" + anonymizer.path("/home/s3cr3t/x.map"),
                                  "root" + anonymizer.path("/home/s3cr3t/perf-12.map"), "root/tmp/perf-12.map"};
    std::ranges::sort(want);
    CHECK(names == want);
}

TEST_CASE("The process that has a dump alone stays in its name", "[annotate][anonymize]") {
    const auto anonymizer = an_anonymizer();
    const auto hashed = anonymizer.path("/tmp/jit-1.dump");
    const JitDumpWriter dump(std::endian::little, {});
    const auto& content = dump.blob();
    Needed needed;
    for (const auto* name : {"root/proc/12/root/tmp/jit-1.dump", "root/proc/s3cr3t/root/tmp/jit-1.dump",
                             "root/proc/41111111111/root/tmp/jit-1.dump"}) {
        auto file = needed_member(name, "jitdump", as_text(content));
        file.recorded = std::string(name).substr(4);
        REQUIRE(needed.add(file));
    }
    const auto files = members_made(needed);
    REQUIRE(files.size() == 3);
    CHECK(std::ranges::count_if(files,
                                [&](const auto& one) { return one.member.name == "root/proc/12/root" + hashed; }) == 1);
    for (const auto& [member, made] : files) {
        CHECK(member.name.find("s3cr3t") == std::string::npos);
        CHECK(member.name.find("4111") == std::string::npos);
    }
}

TEST_CASE("Files of unknown kinds and places are not in an anonymized bundle", "[annotate][anonymize]") {
    Needed needed;
    constexpr std::string_view symbols = "ffffffff81000000 T s3cr3t\n";
    for (const auto* name :
         {"s3cr3t/kallsyms", ".build-id/ab/s3cr3t/kallsyms", ".build-id/ab/cd/s3cr3t", "kernel/s3cr3t"})
        REQUIRE(needed.add(needed_member(name, "kallsyms", symbols)));
    for (const auto* kind : {"s3cr3t", "", "recording"})
        REQUIRE(needed.add(needed_member("kernel/" + std::string(kind) + "x", kind, "s3cr3t")));
    REQUIRE(needed.add(needed_member(".build-id/ab/cdef/kallsyms", "kallsyms", symbols)));
    REQUIRE(needed.add(needed_member("kernel/kallsyms", "kallsyms", symbols)));
    REQUIRE(needed.add(needed_member("kernel/kcore", "kcore", "code")));
    auto files = members_made(needed);
    std::vector<std::string> names;
    for (const auto& [member, content] : files) {
        names.push_back(member.name);
        CHECK(!has_text_in(bytes_of_source(*content), "s3cr3t"));
    }
    CHECK(names == std::vector<std::string>{".build-id/ab/cdef/kallsyms", "kernel/kallsyms", "kernel/kcore"});
    CHECK(number_left_out(needed, "files of unknown kinds") == 7);
}

TEST_CASE("A file that cannot be read is left out of an anonymized bundle", "[annotate][anonymize]") {
    Elf elf;
    elf.section(Elf::text).flags = 6;
    const auto whole = elf.blob();
    for (const auto code : {ErrorCode::truncated, ErrorCode::limit, ErrorCode::malformed, ErrorCode::missing}) {
        Needed needed;
        auto bad = needed_member(".build-id/ab/cd/elf", "object", "");
        bad.content = std::make_shared<const FailingSource>(code);
        REQUIRE(needed.add(bad));
        REQUIRE(needed.add(needed_member(".build-id/ab/ef/elf", "object", as_text(whole))));
        const auto files = members_made(needed);
        REQUIRE(files.size() == 1);
        CHECK(files[0].member.name == ".build-id/ab/ef/elf");
        CHECK(number_left_out(needed, "files in which names cannot be told from the rest") == 1);
        REQUIRE(needed.missing.size() == 1);
        CHECK(needed.missing[0].path == "/here/.build-id/ab/cd/elf");
        CHECK(needed.missing[0].by.samples == 7);
    }
    for (const auto code : {ErrorCode::io, ErrorCode::cancelled, ErrorCode::out_of_memory}) {
        Needed needed;
        auto bad = needed_member(".build-id/ab/cd/elf", "object", "");
        bad.content = std::make_shared<const FailingSource>(code);
        REQUIRE(needed.add(bad));
        auto anonymizer = an_anonymizer();
        const auto made = tool::anonymized_members(anonymizer, needed, {}, {});
        REQUIRE(!made);
        CHECK(made.error().code == code);
    }
}

TEST_CASE("Of what is missing an anonymized index has known words", "[annotate][anonymize]") {
    const auto anonymizer = an_anonymizer();
    std::vector<MissingMember> missing{{"/home/s3cr3t/a", "abcd", "build_id_differs", 3, "object", "s3cr3t"},
                                       {"/home/s3cr3t/b", "s3cr3t", "s3cr3t", 2},
                                       {"[kernel.kallsyms]", "", "truncated", 1},
                                       {"/proc/kcore", "", "missing", 1},
                                       {"/tmp/perf-1.map", "", "private", 1, "perf_map", "/home/s3cr3t"}};
    tool::anonymize_missing(anonymizer, missing);
    CHECK(missing[0].path == anonymizer.path("/home/s3cr3t/a"));
    CHECK(missing[0].build_id == "abcd");
    CHECK(missing[0].why == "build_id_differs");
    CHECK(missing[1].build_id.empty());
    CHECK(missing[1].why == "missing");
    CHECK(missing[1].samples == 2);
    CHECK(missing[2].path == "[kernel.kallsyms]");
    CHECK(missing[2].why == "truncated");
    CHECK(missing[3].path == "/proc/kcore");
    CHECK(missing[4].why == "private");
    for (const auto& one : missing) CHECK(one.reason.empty());
}

TEST_CASE("Reads of a copy of the kernel's memory in a recording's directory are noted", "[annotate][anonymize]") {
    const TempDir folder;
    std::filesystem::create_directories(folder.path() / "perf.data/kcore_dir");
    folder.write("perf.data/kcore_dir/kcore", Elf().blob());
    folder.write("kcore", Elf().blob());
    const auto recording = folder.path().string() + "/perf.data", core = recording + "/kcore_dir/kcore";
    const auto beneath = Shared<const FileSystem>(std::make_shared<const LocalFiles>());
    for (const bool wanted : {true, false}) {
        TracedFiles files(beneath, {}, wanted ? std::set<std::string>{core} : std::set<std::string>{});
        REQUIRE(files.open({"", folder.path().string() + "/kcore"}, {}, Content::elf));
        CHECK(files.core() == nullptr);
        REQUIRE(files.open({recording, "/kcore_dir/kcore"}, {}, Content::elf));
        CHECK((files.core() != nullptr) == wanted);
        CHECK(files.core_path() == (wanted ? core : ""));
    }
}
