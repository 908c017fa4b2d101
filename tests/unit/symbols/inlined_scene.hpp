// SPDX-License-Identifier: MIT
// A process with call chains in a program whose debug information has inlined calls.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"

#include "support/dwarf.hpp"
#include "support/samples.hpp"
#include "support/scene.hpp"
#include "unit/symbols/elf_case.hpp"

namespace perfdata::test {

// InlinedScene runs /bin/nest:
//
//     1400 main
//     1440 work   1450 outer  1458 middle  1468 outer  1470 work
//     1480 leaf   1480 step   1488 turn    1490 step   14a0 leaf
//     14c0 plain, without debug information of its own
class InlinedScene {
  public:
    static constexpr std::uint64_t main = 0x1400, work = 0x1440, leaf = 0x1480, plain = 0x14c0, end = 0x1500;
    static constexpr std::uint64_t outer = 0x1450, middle = 0x1458, after_middle = 0x1468;
    static constexpr std::uint64_t step = 0x1480, turn = 0x1488, after_turn = 0x1490;
    static constexpr std::uint32_t pid = 7;

    explicit InlinedScene(std::size_t events = 1)
        : attr_(sampling_attr(Scene::sample_type | sample_bit::callchain)),
          scene_(order, std::vector<Attr>(events, attr_)) {
        scene_.feature(Feature::arch, feature_string(order, "x86_64"));
        map(pid, base);
        files_->content["/bin/nest"] = program().blob();
    }

    // elf(taken_out) is the program; replace_program() may change it.
    static Elf program() {
        Elf elf;
        auto& text = elf.section(Elf::text);
        text.address = main;
        text.content = Blob(end - main, std::byte{0x90});
        elf.segments = {{main - bias, main, end - main}};
        elf.symbols({{"main", main, 0x40}, {"work", work, 0x40}, {"leaf", leaf, 0x40}, {"plain", plain, 0x40}});
        DwarfWriter dwarf(main, plain - main);
        const auto outer_entry = dwarf.callee("outer"), middle_entry = dwarf.callee("middle");
        const auto step_entry = dwarf.callee("step"), turn_entry = dwarf.callee("turn");
        dwarf.function(main, 0x40, "main").end();
        dwarf.function(work, 0x40, "work").inlined(outer, 0x20, 11, outer_entry);
        dwarf.inlined(middle, after_middle - middle, 12, middle_entry).end().end().end();
        dwarf.function(leaf, 0x40, "leaf").inlined(step, 0x20, 21, step_entry);
        dwarf.inlined(turn, after_turn - turn, 22, turn_entry).end().end().end();
        for (auto at = main; at < plain; ++at) dwarf.row();
        dwarf.add_to(elf);
        return elf;
    }
    void replace_program(const Elf& elf) { files_->content["/bin/nest"] = elf.blob(); }

    InlinedScene& map(std::uint32_t process, std::uint64_t begin, const std::string& path = "/bin/nest") {
        const Mmap mapping{{process}, {process}, {{begin}, 0x1000}, 0, path};
        auto frame = scene_.frame(Stamp{});
        frame.misc = static_cast<std::uint16_t>(CpuMode::user);
        scene_.add(encode(mapping, frame));
        return *this;
    }

    // chain(addresses): virtual addresses in the file, the sampled one first.
    InlinedScene& chain(const std::vector<std::uint64_t>& addresses, std::uint64_t count = 1, std::uint64_t event = 0) {
        SampleContent content;
        content.callchain = {user_mark};
        for (const auto address : addresses) content.callchain.push_back(address_of(address));
        for (; count != 0; --count) add(content, address_of(addresses.at(0)), user_mode, event);
        return *this;
    }
    // entered(kernel, addresses): the user code was interrupted at the first of its addresses.
    InlinedScene& entered(std::uint64_t kernel, const std::vector<std::uint64_t>& addresses) {
        SampleContent content;
        content.callchain = {kernel_mark, kernel, user_mark};
        for (const auto address : addresses) content.callchain.push_back(address_of(address));
        add(content, kernel, kernel_mode, 0);
        return *this;
    }

    Scene& scene() { return scene_; }
    // sources() allows the file by its name.
    SymbolizerOptions sources() const {
        SymbolizerOptions options;
        options.finder.allow_local = true;
        options.jit.as_recorded = false;
        options.files = files_;
        return options;
    }
    static std::uint64_t address_of(std::uint64_t vaddr) { return base + vaddr - bias; }
    // frame(vaddr) is a frame in the program, as the timeline makes it.
    static Frame frame(std::uint64_t vaddr) { return {vaddr - bias, 0, FrameKind::object, CpuMode::user}; }

  private:
    static constexpr auto order = std::endian::little;
    static constexpr std::uint64_t base = 0x10000000, bias = 0x1000;
    static constexpr std::uint64_t kernel_mark = std::uint64_t(-128), user_mark = std::uint64_t(-512);
    static constexpr std::uint16_t kernel_mode = 1, user_mode = 2;

    void add(SampleContent& content, std::uint64_t ip, std::uint16_t mode, std::uint64_t event) {
        content.fixed.identifier = Scene::first_id + event;
        content.fixed.ip = ip;
        content.fixed.pid = content.fixed.tid = pid;
        content.fixed.time = ++time_;
        content.fixed.period = 10;
        scene_.add(encode(order, attr_, content, mode));
    }

    Attr attr_;
    Scene scene_;
    std::shared_ptr<Files> files_ = std::make_shared<Files>();
    std::uint64_t time_ = 100;
};

// OpenedInlined cannot move: its parts refer to each other.
struct OpenedInlined {
    explicit OpenedInlined(InlinedScene& scene, const OpenOptions& options = {})
        : recording(scene.scene().open(options)),
          timeline(Timeline::build(recording).value()),
          symbolizer(Symbolizer::open(recording, timeline, scene.sources())) {}
    OpenedInlined(const OpenedInlined&) = delete;
    OpenedInlined& operator=(const OpenedInlined&) = delete;

    // name(frame) returns "step!" for an inlined function.
    std::string name(const Frame& frame) const {
        const auto name = symbolizer.name(frame);
        return std::string(name.symbol.empty() ? "?" : name.symbol) + (name.inlined ? "!" : "");
    }

    Recording recording;
    Timeline timeline;
    Symbolizer symbolizer;
};

}  // namespace perfdata::test
