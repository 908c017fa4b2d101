// SPDX-License-Identifier: MIT
// A recording of call chains between a few functions, each written as a word: "abc" is c, called by b, called by a.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/samples.hpp"
#include "support/scene.hpp"

namespace perfdata::test {

// Functions a to e of one program, and two events, with call chains.
class Calls {
  public:
    Calls() : attr_(sampling_attr(Scene::sample_type | sample_bit::callchain)), scene_(order, {attr_, attr_}) {
        test::Program program{1, 1, {}};
        for (std::uint64_t at = 0; at < 5; ++at) {
            program.functions.push_back({0x1000 + 0x100 * at, 0x100, std::string(1, static_cast<char>('a' + at)), at});
        }
        scene_.known(program);
    }
    // sample("abc", count): in c, called by b, called by a; "?" has no name. Each has a period of 10.
    Calls& sample(std::string_view path, std::uint64_t count = 1, std::uint64_t event = 0) {
        for (; count != 0; --count) {
            SampleContent content;
            content.fixed.identifier = Scene::first_id + event;
            content.fixed.time = ++time_;
            content.fixed.period = 10;
            content.callchain = {static_cast<std::uint64_t>(ChainContext::kernel)};
            for (auto at = path.size(); at-- != 0;) {
                const auto index = path[at] == '?' ? 100 : path[at] - 'a';
                content.callchain.push_back(0x1000 + 0x100 * static_cast<std::uint64_t>(index) + 4);
            }
            content.fixed.ip = content.callchain[1];
            scene_.add(encode(order, attr_, content, 1));
        }
        return *this;
    }
    Scene& scene() { return scene_; }

  private:
    static constexpr auto order = std::endian::little;
    Attr attr_;
    Scene scene_;
    std::uint64_t time_ = 100;
};

}  // namespace perfdata::test
