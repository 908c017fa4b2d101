// SPDX-License-Identifier: MIT
#include <array>
#include <charconv>

#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "plain_loops.hpp"
#include "plain_parts.hpp"

namespace perfdata::bench {
namespace {

// ScriptVisitor writes each sample and its chain: what follows an address is made once for each frame.
class ScriptVisitor {
  public:
    static constexpr bool samples_only = true;

    explicit ScriptVisitor(const Opened& opened) : opened_(opened), recent_(opened.timeline.tasks()) {}

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        constexpr std::uint64_t second = 1'000'000'000, microsecond = 1000;
        const Moment moment{context.time, sample.pid().value_or(Pid{}), host};
        const auto tid = sample.tid().value_or(Tid{});
        const auto time = context.time.nanoseconds;
        auto& text = page_.text();
        text += recent_.comm_at(tid, context.time);
        text += ' ';
        put(tid.value, 10, 0);
        text += ' ';
        put(time / second, 10, 0);
        text += '.';
        put(time % second / microsecond, 10, 6, '0');
        text += ": ";
        put(sample.period(), 10, 10);
        text += ' ';
        text += opened_.recording.events().events()[context.event].name;
        text += ": \n";
        ++lines_;
        const auto add = [&](Address address, CpuMode mode) {
            text += '\t';
            put(address.value, 16, 16);
            const auto& rest = rest_of(frame_at(opened_.timeline, nullptr, moment, address, mode, &recent_));
            text += rest.text;
            lines_ += rest.lines;
            return true;
        };
        bool any = false;
        for_each_frame(sample, no_deferred_, [&](Address address, CpuMode mode) {
            any = true;
            return add(address, mode);
        });
        if (const auto ip = sample.ip(); ip && !any) add(*ip, sample.mode());
        text += '\n';
        ++lines_;
        ++samples_;
        page_.flush_full();
    }

    PlainSums end() {
        page_.flush();
        return {samples_, samples_, lines_};
    }

  private:
    struct Rest {
        std::string text;
        std::uint64_t lines = 1;
    };

    void put(std::uint64_t number, int base, std::size_t width, char filler = ' ') {
        std::array<char, 24> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
        const auto size = static_cast<std::size_t>(end - digits.data());
        if (size < width) page_.text().append(width - size, filler);
        page_.text().append(digits.data(), size);
    }

    const Rest& rest_of(const Frame& frame) {
        const auto number = frames_.intern(frame);
        if (number == rests_.size()) rests_.push_back(make(frame));
        return rests_[number];
    }
    Rest make(const Frame& frame) const {
        const auto name = opened_.symbolizer.name(frame);
        const auto object = name.object.empty() ? std::string_view("[unknown]") : name.object;
        if (name.symbol.empty()) return {fmt::format(" [unknown] ({})\n", object)};
        Rest rest{fmt::format(" {}+{:#x} ({})\n", name.symbol, name.offset, object)};
        std::vector<Frame> calls;
        opened_.symbolizer.functions().add_inlined(frame, false, calls);
        for (const auto& call : calls) {
            const auto inlined = opened_.symbolizer.name(call);
            rest.text = fmt::format(" {} (inlined)\n\t{:16}{}", inlined.symbol, "", rest.text);
            ++rest.lines;
        }
        return rest;
    }

    const Opened& opened_;
    RecentTasks recent_;
    const DeferredChains no_deferred_;
    InternTable<Frame> frames_;
    std::vector<Rest> rests_;  // by frame
    Page page_;
    std::uint64_t samples_ = 0, lines_ = 0;
};

}  // namespace

PlainSums plain_script(const std::string& path) {
    const Opened opened(path);
    ScriptVisitor visitor(opened);
    opened.walk_with(visitor, RecordOrder::time);
    return visitor.end();
}

}  // namespace perfdata::bench
