// SPDX-License-Identifier: MIT
// Compares the code of this program's own functions with what objdump reads.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <sstream>

#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/code_versions.hpp"

#include "catch.hpp"
#include "support/build.hpp"

namespace oracle {
namespace {

using namespace perfdata;

const std::string program = PERFDATA_PROGRAM;

std::string output_of(const std::string& command) {
    struct Close {
        void operator()(std::FILE* pipe) const { ::pclose(pipe); }
    };
    const std::unique_ptr<std::FILE, Close> pipe(::popen(command.c_str(), "r"));
    REQUIRE(pipe);
    std::string text;
    std::array<char, 4096> block;
    while (const auto got = std::fread(block.data(), 1, block.size(), pipe.get())) text.append(block.data(), got);
    return text;
}

// objdump(begin, size) parses the bytes of "  ADDRESS:\tBYTES \tINSTRUCTION".
std::vector<std::byte> objdump(std::uint64_t begin, std::uint64_t size) {
    std::istringstream lines(output_of("objdump -d --start-address=" + std::to_string(begin) +
                                       " --stop-address=" + std::to_string(begin + size) + " '" + program + "'"));
    std::vector<std::byte> bytes;
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find(":\t");
        if (first == std::string::npos) continue;
        const auto last = std::min(line.find('\t', first + 2), line.size());
        std::istringstream words(line.substr(first + 2, last - first - 2));
        for (std::string word; words >> word;) bytes.push_back(static_cast<std::byte>(std::stoul(word, nullptr, 16)));
    }
    return bytes;
}

}  // namespace

TEST_CASE("code of functions is what objdump shows", "[oracle][images]") {
    const auto elf = ElfFile::open(open_source(program, {}).value()).value();
    const auto symbols = ElfSymbols::load(elf).value();
    const auto code = std::ranges::find_if(elf.segments(), &ElfFile::Segment::executable);
    REQUIRE(code != elf.segments().end());

    // A process that mapped the file from its beginning.
    constexpr std::uint64_t base = 0x7f0000000000;
    test::RecordingBuilder builder;
    const auto sample_type = sample_bit::identifier | sample_bit::ip | sample_bit::tid | sample_bit::time;
    builder.event(test::sampling_attr(sample_type), {7});
    const Mmap map{{42}, {42}, {{base}, std::uint64_t{1} << 40}, 0, program};
    test::SampleValues values;
    values.identifier = 7;
    values.time = 1;
    test::RecordFrame frame;
    frame.order = std::endian::little;
    frame.trailer = test::trailer(frame.order, sample_type, values);
    frame.misc = static_cast<std::uint16_t>(CpuMode::user);
    builder.add(test::encode(map, frame));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();
    const auto timeline = Timeline::build(recording).value();
    SymbolizerOptions options;
    options.finder.allow_local = true;
    const auto names = Symbolizer::open(recording, timeline, options);
    const auto& versions = names.versions();

    constexpr std::size_t samples = 8;
    std::size_t compared = 0;
    for (std::size_t index = 0; index < samples; ++index) {
        const auto symbol = symbols.symbol(symbols.size() / (samples + 1) * (index + 1));
        INFO(symbol.name);
        const auto inside = symbol.value - code->vaddr;
        if (symbol.size < 2 || inside >= code->file_size) continue;
        const auto place = timeline.frame_at({{2}, {42}}, {base + code->offset + inside + 1}, CpuMode::user);
        REQUIRE(place.kind == FrameKind::object);
        const auto image = names.image(versions.version(place, 0));
        REQUIRE(image);
        CHECK(image->address == Address{symbol.value});
        CHECK(image->bytes.size() == symbol.size);
        CHECK(image->bytes == objdump(symbol.value, symbol.size));
        ++compared;
    }
    CHECK(compared >= samples / 2);
}

}  // namespace oracle
