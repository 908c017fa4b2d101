// SPDX-License-Identifier: MIT
// A process with branch stacks in a program of two functions.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"

#include "export/branch_counts.hpp"
#include "support/samples.hpp"
#include "support/scene.hpp"
#include "unit/annotate/machine_code.hpp"
#include "unit/symbols/elf_case.hpp"

namespace perfdata::test {

// BranchScene runs /bin/jumps:
//
//     1400 main     0 push   1 je 6   3 inc   6 call parse   b jne 0   d ret   e nop ...
//     1440 parse    0 inc   3 ret                                                        (local)
class BranchScene {
  public:
    static constexpr std::uint64_t main = 0x1400, parse = 0x1440, end = 0x1450;
    static constexpr std::uint32_t pid = 7;

    explicit BranchScene(bool stacks = true)
        : attr_(sampling_attr(Scene::sample_type | (stacks ? sample_bit::branch_stack : 0))),
          scene_(order, std::vector<Attr>{attr_}) {
        scene_.feature(Feature::arch, feature_string(order, "x86_64"));
        const Mmap mapping{{pid}, {pid}, {{base}, 0x1000}, 0, "/bin/jumps"};
        auto frame = scene_.frame(Stamp{});
        frame.misc = static_cast<std::uint16_t>(CpuMode::user);
        scene_.add(encode(mapping, frame));
        Elf elf;
        auto& text = elf.section(Elf::text);
        text.address = main;
        text.flags = 6;  // SHF_ALLOC and SHF_EXECINSTR
        text.content = bytes_of({0x55, 0x74, 0x03, 0x48, 0xff, 0xc0, 0xe8, 0x35, 0, 0, 0, 0x75, 0xf3, 0xc3});
        text.content.resize(parse - main, std::byte{0x90});
        const auto rest = bytes_of({0x48, 0xff, 0xc0, 0xc3});
        text.content.insert(text.content.end(), rest.begin(), rest.end());
        text.content.resize(end - main, std::byte{0x90});
        elf.segments = {{in_file, main, end - main}};
        elf.symbols({{"parse", parse, 0x10, Elf::function, Elf::local}, {"main", main, 0x40}});
        files_->content["/bin/jumps"] = elf.blob();
    }

    // Both are virtual addresses in the file; `process` and `kernel` below are others.
    static BranchEntry branch(std::uint64_t from, std::uint64_t to, bool mispredicted = false) {
        BranchEntry entry;
        entry.from = {address_of(from)};
        entry.to = {address_of(to)};
        entry.mispredicted = mispredicted;
        return entry;
    }
    static constexpr std::uint64_t process = 0x70000000, kernel = 0xffffffff81000000;

    // stack(entries): newest first.
    BranchScene& stack(const std::vector<BranchEntry>& entries) {
        SampleContent content;
        content.branches = entries;
        return add(content, address_of(main));
    }
    BranchScene& sample(std::uint64_t address, int count = 1) {
        for (; count != 0; --count) add({}, address_of(address));
        return *this;
    }

    Scene& scene() { return scene_; }
    SymbolizerOptions sources() const {
        SymbolizerOptions options;
        options.finder.allow_local = true;
        options.jit.as_recorded = false;
        options.files = files_;
        options.demangle = false;
        return options;
    }

  private:
    static constexpr auto order = std::endian::little;
    // Behind the header and one segment.
    static constexpr std::uint64_t base = 0x10000000, in_file = 64 + 56;

    static std::uint64_t address_of(std::uint64_t address) {
        return address < end ? base + in_file + address - main : address;
    }

    BranchScene& add(SampleContent content, std::uint64_t ip) {
        content.fixed.identifier = Scene::first_id;
        content.fixed.ip = ip;
        content.fixed.pid = content.fixed.tid = pid;
        content.fixed.time = ++time_;
        content.fixed.period = 10;
        constexpr std::uint16_t user_mode = 2;
        scene_.add(encode(order, attr_, content, user_mode));
        return *this;
    }

    Attr attr_;
    Scene scene_;
    std::shared_ptr<Files> files_ = std::make_shared<Files>();
    std::uint64_t time_ = 100;
};

// OpenedBranches cannot move: its parts refer to each other.
struct OpenedBranches {
    explicit OpenedBranches(BranchScene& scene, const BranchCountOptions& options = {})
        : recording(scene.scene().open()),
          timeline(Timeline::build(recording).value()),
          symbolizer(Symbolizer::open(recording, timeline, scene.sources())),
          counts(BranchCounts::count(recording, symbolizer, options).value()) {}
    OpenedBranches(const OpenedBranches&) = delete;
    OpenedBranches& operator=(const OpenedBranches&) = delete;

    Recording recording;
    Timeline timeline;
    Symbolizer symbolizer;
    BranchCounts counts;
};

}  // namespace perfdata::test
