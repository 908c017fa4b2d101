// SPDX-License-Identifier: MIT
// Pokes of a real kernel. The fixture contains no other code of it, so each poked place is a function here, and the
// copy of memory contains what the first poke of each place found, or what the last one left.
#include <map>
#include <sstream>

#include "unit/symbols/patched_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::string pokes_fixture = PERFDATA_FIXTURES "/pokes/text_pokes.data";
constexpr Address modules{0xffffffffc0000000};  // above the kernel's own code

using Places = std::map<Address, std::vector<const TextPatch*>>;

Places kernel_places(const Timeline& timeline) {
    Places places;
    for (const auto& patch : timeline.patches().all()) {
        if (patch.address < modules) places[patch.address].push_back(&patch);
    }
    return places;
}

std::string line(Address address, const std::string& name) {
    std::ostringstream text;
    text << std::hex << address.value << " t " << name << '\n';
    return text.str();
}

Blob bytes_of(Bytes bytes) {
    return Blob(bytes.begin(), bytes.end());
}

}  // namespace

TEST_CASE("Real pokes are applied and taken back", "[symbols][code_images]") {
    const bool from_the_end = GENERATE(false, true);
    const auto recording = Recording::open(pokes_fixture).value();
    const auto timeline = Timeline::build(recording).value();
    const auto places = kernel_places(timeline);
    REQUIRE(places.size() == 99);

    std::string symbols;
    Pages memory;
    for (auto place = places.begin(); place != places.end(); ++place) {
        const auto& [address, patches] = *place;
        // One-byte breakpoints are inside places of five bytes.
        std::uint64_t size = 0;
        for (const auto* patch : patches) size = std::max(size, patch->range().size);
        const auto next = std::next(place);
        symbols += line(address, "place");
        if (next == places.end() || next->first > address + size) symbols += line(address + size, "between");
        auto bytes = bytes_of(patches.front()->old_bytes);
        if (from_the_end) {
            for (const auto* patch : patches) {
                bytes.resize(std::max(bytes.size(), patch->new_bytes.size()));
                std::ranges::copy(patch->new_bytes, bytes.begin());
            }
        }
        memory.emplace_back(address.value, bytes);
    }
    TempDir dir;
    SymbolizerOptions options;
    options.finder.offline = true;
    options.finder.kallsyms = dir.write("kallsyms", blob_of(symbols));
    options.kcore = dir.write("kcore", core_file(memory));
    const OpenedCode opened(Recording::open(pokes_fixture).value(), options);
    CHECK(opened.names.image_problems().empty());

    std::size_t versions = 0, changed = 0;
    for (const auto& [address, patches] : places) {
        INFO(std::hex << address.value);
        const auto all = opened.versions_at(address.value);
        auto now = bytes_of(patches.front()->old_bytes);
        auto patch = patches.begin();
        for (const auto& version : all) {
            ++versions;
            const auto before = now;
            for (; patch != patches.end() && (*patch)->time < version.until; ++patch) {
                now.resize(std::max(now.size(), (*patch)->new_bytes.size()));
                std::ranges::copy((*patch)->new_bytes, now.begin());
            }
            const auto image = opened.image(address.value, version.number);
            CHECK(part(image.bytes, 0, now.size()) == now);
            CHECK(image.problems.empty());
            CHECK(image.changes.size() == (version.number == 0 ? 0 : 1));
            CHECK((version.number == 0 || now != before));
            CHECK(opened.versions.number_at(address, version.from) == version.number);
        }
        CHECK(patch == patches.end());
        changed += all.size() > 1;
    }
    CHECK(changed == 99);
    CHECK(versions == 373);
}

TEST_CASE("Real slots and trampolines are what pokes laid there", "[symbols][code_images]") {
    const OpenedCode opened(Recording::open(pokes_fixture).value(), [] {
        SymbolizerOptions options;
        options.finder.offline = true;
        return options;
    }());
    std::size_t trampolines = 0, slots = 0;
    for (CodeIndex index = 0; index < opened.timeline.code().size(); ++index) {
        const auto& code = opened.timeline.code()[index];
        if (code.kind != CodeKind::out_of_line) continue;
        INFO(code.symbol);
        const perfdata::Frame frame{3, index, FrameKind::code, CpuMode::kernel};
        const auto versions = opened.versions.versions(frame);
        REQUIRE(versions.size() == 1);
        const auto image = opened.names.image(versions[0]);
        REQUIRE(image);
        // The first poke of each, with old_len 0, is at its beginning.
        const auto patches = opened.timeline.patches().touching({code.range.begin, 1});
        REQUIRE(!patches.empty());
        CHECK(patches[0]->old_bytes.empty());
        const auto& laid = patches[0]->new_bytes;
        CHECK(std::ranges::equal(Bytes(image->bytes).first(laid.size()), laid));
        if (code.symbol == "ftrace_trampoline") {
            ++trampolines;
            CHECK(image->bytes.size() == code.range.size);
            CHECK(image->problems.empty());
        } else {
            ++slots;
            CHECK(image->gaps.size() == 1);
        }
    }
    CHECK(trampolines == 3);
    CHECK(slots == 2);
}
