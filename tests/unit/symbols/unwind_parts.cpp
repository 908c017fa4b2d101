// SPDX-License-Identifier: MIT
// Stacks are unwound alike, whoever unwinds them, and in whatever order.
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/parted_recording.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::map<std::string, std::string> programs{{"x86_plain.data", "x86"},   {"x86_turns.data", "x86"},
                                                  {"x86_signals.data", "x86"}, {"x86_short.data", "x86"},
                                                  {"a64_plain.data", "a64"},   {"s390_plain.data", "s390"}};

// Counts with a symbolizer of its own, which knows nothing yet: in parts, or as a whole if that is 1.
SampleCounts count(const PartedRecording& opened, const std::string& root, std::size_t parts) {
    SymbolizerOptions names;
    names.finder.symfs = root;
    names.files = std::make_shared<const LocalFiles>(Reach::given);
    const auto symbolizer = Symbolizer::open(opened.recording, opened.timeline, names);
    SampleCountOptions options;
    options.chains = true;
    options.functions = &symbolizer.functions();
    if (parts == 1) return opened.whole(options);
    REQUIRE(is_countable_in_parts(opened.recording, options));
    auto counts = opened.in_parts(parts, options);
    REQUIRE(counts);
    return std::move(*counts);
}

void check_parts(const PartedRecording& opened, const std::string& root) {
    const auto whole = count(opened, root, 1);
    CHECK(whole.chain_losses().stacks.stacks() != 0);
    for (const std::size_t parts : {2u, 3u, 7u}) {
        INFO(parts << " parts");
        check_same_counts(count(opened, root, parts), whole);
    }
}

// Makes entries of the table of .eh_frame_hdr wrong, so that it stays sorted: they lead beside their FDE.
Blob with_wrong_table(Blob program, std::size_t every) {
    const auto file = ElfFile::open(memory_source(program), {}).value();
    const auto* header = file.section(".eh_frame_hdr");
    REQUIRE(header != nullptr);
    const bool big = file.order().endian() == std::endian::big;
    for (auto at = header->offset + 12; at + 8 <= header->offset + header->size; at += 8 * every) {
        auto& lowest = program.at(static_cast<std::size_t>(at + (big ? 7 : 4)));
        lowest ^= std::byte{2};
    }
    return program;
}

}  // namespace

TEST_CASE("Stacks are unwound in parts as in a row", "[symbols][unwind][parts]") {
    for (const auto& [name, program] : programs) {
        INFO(name);
        const PartedRecording opened(content_of_file(PERFDATA_FIXTURES "/stacks/" + name));
        REQUIRE(opened.marks.size() >= 10);
        check_parts(opened, PERFDATA_FIXTURES "/stacks/" + program);
    }
}

TEST_CASE("Wrong tables of unwind information lead all parts alike", "[symbols][unwind][parts]") {
    for (const auto& [name, program] : programs) {
        for (const std::size_t every : {1u, 2u, 3u}) {
            INFO(name << " every " << every);
            const auto content = content_of_file(PERFDATA_FIXTURES "/stacks/" + program + "/mnt/prog/stacks");
            const TempDir root;
            std::filesystem::copy(PERFDATA_FIXTURES "/stacks/" + program, root.path(),
                                  std::filesystem::copy_options::recursive);
            root.write("mnt/prog/stacks", with_wrong_table(content, every));
            const PartedRecording opened(content_of_file(PERFDATA_FIXTURES "/stacks/" + name));
            check_parts(opened, root.path().string());
            // All entries are looked at: none of the functions is lost.
            const auto intact = count(opened, PERFDATA_FIXTURES "/stacks/" + program, 1);
            check_same_counts(count(opened, root.path().string(), 3), intact);
        }
    }
}
