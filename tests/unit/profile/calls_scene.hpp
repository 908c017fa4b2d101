// SPDX-License-Identifier: MIT
// Two functions that call each other in every way, with call chains and branch stacks of known counts.
#pragma once

#include <vector>

#include "support/samples.hpp"
#include "unit/annotate/machine_code.hpp"
#include "unit/symbols/program_fixture.hpp"

namespace perfdata::test {

// CallsScene has an event with call chains (0) and one with branch stacks (1).
//
//     main   0 push   1 mov   4 call sub   9 call *%rax   11 jmp sub   16 ret
//     sub    0 nop    1 call sub   6 ret   7 nop
class CallsScene {
  public:
    static constexpr std::uint64_t main = 0xffffffffc0001000, sub = main + 0x1000, user = 0x401234;
    static constexpr std::uint64_t kernel_mark = std::uint64_t(-128), user_mark = std::uint64_t(-512);

    CallsScene() : scene_(std::endian::little, std::vector<Attr>{chain_attr(), branch_attr()}) {
        scene_.feature(Feature::arch, feature_string(std::endian::little, "x86_64"));
        auto code = bytes_of(
            {0x55, 0x48, 0x89, 0xe5, 0xe8, 0xf7, 0x0f, 0x00, 0x00, 0xff, 0xd0, 0xe9, 0xf0, 0x0f, 0x00, 0x00, 0xc3});
        code.resize(32, std::byte{0x90});
        const auto rest = bytes_of({0x90, 0xe8, 0xfa, 0xff, 0xff, 0xff, 0xc3, 0x90});
        code.insert(code.end(), rest.begin(), rest.end());
        CraftedProgram program({1, 0xabc, {{main, 32, "main", 1}, {sub, 8, "sub", 2}}});
        program.code(code).names({"main", "sub"}).known_in(scene_);
    }

    Scene& scene() { return scene_; }

    // chain(addresses, count): the first address is the sampled one.
    CallsScene& chain(const std::vector<std::uint64_t>& addresses, int count = 1) {
        SampleContent content;
        content.fixed = values(0, addresses.at(0));
        content.callchain = {kernel_mark};
        content.callchain.insert(content.callchain.end(), addresses.begin(), addresses.end());
        for (int left = count; left > 0; --left) scene_.add(encode(std::endian::little, chain_attr(), content, 1));
        return *this;
    }
    CallsScene& branches(const std::vector<BranchEntry>& entries) {
        SampleContent content;
        content.fixed = values(1, main);
        content.branches = entries;
        return add(content);
    }
    static BranchEntry branch(std::uint64_t from, std::uint64_t to, std::uint8_t type = 0) {
        BranchEntry entry;
        entry.from = {from};
        entry.to = {to};
        entry.type = type;
        return entry;
    }

    // all() adds one of everything.
    CallsScene& all() {
        chain({sub, main + 9}, 2);
        chain({sub, sub + 6, sub + 6, main + 9});
        chain({sub + 6, main + 11});
        chain({main + 1, user_mark, user});
        constexpr std::uint8_t jump = 2, call = 4, ret = 6;
        branches({branch(main + 4, sub), branch(sub + 6, main + 9, ret), branch(main + 9, sub), branch(main + 4, sub)});
        return branches({branch(main + 4, sub, call), branch(main + 11, sub), branch(main + 11, sub, jump)});
    }

  private:
    static Attr chain_attr() { return sampling_attr(Scene::sample_type | sample_bit::callchain); }
    static Attr branch_attr() { return sampling_attr(Scene::sample_type | sample_bit::branch_stack); }

    static SampleValues values(std::size_t event, std::uint64_t ip) {
        SampleValues values;
        values.identifier = values.id = Scene::first_id + event;
        values.ip = ip;
        values.pid = values.tid = 100;
        values.time = 500;
        values.period = 10;
        return values;
    }
    CallsScene& add(const SampleContent& content) {
        scene_.add(encode(std::endian::little, branch_attr(), content, 1));
        return *this;
    }

    Scene scene_;
};

}  // namespace perfdata::test
