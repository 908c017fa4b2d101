// SPDX-License-Identifier: MIT
// Recordings by leader sampling: each sample has the values of all counters of a group.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/wire/attr.hpp"

#include "support/features.hpp"
#include "support/samples.hpp"
#include "support/scene.hpp"

namespace perfdata::test {

// Hardware events 0, 1... of one group: cycles, instructions, cache-references...
class CounterScene {
  public:
    explicit CounterScene(std::size_t events = 2, bool inherited = false, std::endian order = std::endian::little,
                          std::uint64_t read_format = read_bit::group | read_bit::id)
        : attrs_(attrs(events, inherited, read_format)), scene_(order, attrs_) {
        test::Program program{1, 1, {}};
        for (std::uint64_t at = 0; at < 5; ++at) {
            program.functions.push_back({0x1000 + 0x100 * at, 0x100, std::string(1, static_cast<char>('a' + at)), at});
        }
        scene_.known(program);
    }

    // sample('b', {100, 7}): in function b; the values of the counters, in the order of the events.
    CounterScene& sample(char function, const std::vector<std::uint64_t>& values, std::uint32_t tid = 42) {
        return sample_at(++time_, function, values, tid);
    }
    CounterScene& sample_at(std::uint64_t time, char function, const std::vector<std::uint64_t>& values,
                            std::uint32_t tid = 42) {
        std::vector<SampleContent::Counter> counters;
        for (std::uint64_t at = 0; at < values.size(); ++at) counters.push_back({values[at], Scene::first_id + at, 0});
        return sample_of(time, function, counters, tid);
    }
    CounterScene& sample_of(std::uint64_t time, char function, std::vector<SampleContent::Counter> counters,
                            std::uint32_t tid = 42) {
        SampleContent content;
        content.fixed.identifier = Scene::first_id;
        content.fixed.time = time;
        content.fixed.pid = content.fixed.tid = tid;
        content.fixed.period = 1;
        content.fixed.ip = 0x1004 + 0x100 * static_cast<std::uint64_t>(function - 'a');
        content.counters = std::move(counters);
        scene_.add(encode(scene_.order(), attrs_.front(), content, 1));
        return *this;
    }
    // forked(tid) has a process of that number begin.
    CounterScene& forked(std::uint32_t tid) {
        ++time_;
        Writer body(scene_.order());
        body.u32(tid).u32(1).u32(tid).u32(1).u64(time_);
        scene_.add(record(RecordType::fork, scene_.frame(live(time_)), body.blob()));
        return *this;
    }
    // group(name, leader, members) adds one to GROUP_DESC.
    CounterScene& group(std::string_view name, std::uint32_t leader, std::uint32_t members) {
        groups_.push_back({std::string(name), {leader, members}});
        return *this;
    }
    Recording open() {
        if (!groups_.empty()) scene_.feature(Feature::group_desc, group_desc(groups_.size()));
        return scene_.open();
    }
    // Opens it with another number of groups written in front.
    Recording open_claiming(std::size_t groups) {
        scene_.feature(Feature::group_desc, group_desc(groups));
        return scene_.open();
    }

    // Returns the kernel's name of a function.
    static std::string name(char function) {
        return symbol_of(tag_of(static_cast<std::uint64_t>(function - 'a')), std::string(1, function));
    }

  private:
    static std::vector<Attr> attrs(std::size_t events, bool inherited, std::uint64_t read_format) {
        std::vector<Attr> result;
        for (std::size_t at = 0; at < events; ++at) {
            auto attr = sampling_attr(Scene::sample_type | sample_bit::read);
            attr.type = 0;
            attr.config = at;
            attr.read_format = read_format;
            if (inherited) attr.flags |= 2;
            result.push_back(attr);
        }
        return result;
    }
    Blob group_desc(std::size_t count) const {
        Writer out(scene_.order());
        out.u32(static_cast<std::uint32_t>(count));
        for (const auto& [name, range] : groups_) {
            const auto text = feature_string(scene_.order(), name);
            out.bytes(text).u32(range.first).u32(range.second);
        }
        return out.take();
    }

    std::vector<Attr> attrs_;
    Scene scene_;
    std::uint64_t time_ = 100;
    std::vector<std::pair<std::string, std::pair<std::uint32_t, std::uint32_t>>> groups_;
};

}  // namespace perfdata::test
