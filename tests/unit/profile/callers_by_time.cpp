// SPDX-License-Identifier: MIT
// Callers while code comes and goes: counted as they are looked up at each sample alone.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/jit_clock.hpp"

#include "catch.hpp"
#include "support/jitdump.hpp"
#include "support/random.hpp"
#include "support/samples.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string text_of(const Frame& frame) {
    return std::to_string(static_cast<int>(frame.kind)) + ":" + std::to_string(frame.index) + "+" +
           std::to_string(frame.offset) + " ";
}

// NaiveChains asks the timeline for each address of each sample.
struct NaiveChains {
    const Timeline& timeline;
    const JitCodes* jit;
    std::map<std::string, std::uint64_t> chains;  // outermost first

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        std::string text;
        for_each_frame(*sample.callchain(), sample.mode(), [&](Address address, CpuMode mode) {
            text.insert(0, text_of(frame_at(timeline, jit, {context.time, *sample.pid()}, address, mode)));
        });
        ++chains[text];
    }
};

std::map<std::string, std::uint64_t> chains_of(const SampleCounts& counts) {
    std::map<std::string, std::uint64_t> chains;
    for (std::size_t row = 0; row < counts.rows().size(); ++row) {
        std::string text;
        for (auto node = counts.rows()[row].chain; node != ChainNode::none; node = counts.chains()[node].caller)
            text.insert(0, text_of(counts.frames()[counts.chains()[node].frame]));
        chains[text] += hits(counts.cells(row));
    }
    return chains;
}

// Changes is a recording in which everything at a few addresses changes, and callers mostly stay.
class Changes {
  public:
    explicit Changes(std::uint64_t seed)
        : random_(seed), order_(seed % 2 == 0 ? std::endian::little : std::endian::big), scene_(order_, {attr()}) {}

    Scene& scene() { return scene_; }

    void happen() {
        for (const std::uint32_t pid : {7u, 8u, 9u}) map(pid);
        for (int step = 0; step < 3000; ++step) {
            // Now and then long enough for what exec leaves to end.
            time_ += random_.one_in(50) ? 90'000'000 : 1 + random_.size(5);
            const auto pid = 7 + static_cast<std::uint32_t>(random_.below(3));
            if (random_.one_in(40)) {
                map(pid);
            } else if (random_.one_in(60)) {
                exec(pid);
            } else if (random_.one_in(80)) {
                fork(pid);
            } else if (random_.one_in(60)) {
                load_or_unload();
            } else {
                sample(pid);
            }
        }
    }
    // jit(...) has code of process 7 at the first of the addresses, which is replaced again and again.
    JitCodes jit() {
        JitDumpWriter dump(std::endian::little);
        const auto end = time_;
        std::uint64_t index = 1;
        for (std::uint64_t time = 50; time < end; time += end / 100) {
            dump.load({time, user, "f" + std::to_string(index), std::string(0x80, '\x90'), index});
            ++index;
        }
        EventClock events;
        events.clockid = EventClock::monotonic;
        JitCodes codes;
        codes.add({7}, JitCode::build(JitDump::open(memory_source(dump.blob()), "dump").value(),
                                      JitClock::match({}, events).value()));
        return codes;
    }

  private:
    static constexpr std::uint64_t user = 0x400000, kernel = 0x1000;
    static constexpr std::uint64_t kernel_mark = std::uint64_t(-128), user_mark = std::uint64_t(-512);

    static Attr attr() { return sampling_attr(Scene::sample_type | sample_bit::callchain); }
    RecordFrame frame(std::uint32_t pid) const {
        auto frame = scene_.frame({time_, pid, pid, 0});
        frame.misc = static_cast<std::uint16_t>(CpuMode::user);
        return frame;
    }
    void map(std::uint32_t pid) {
        const auto path = "/lib/" + std::to_string(++files_);
        scene_.add(encode(
            Mmap{{pid}, {pid}, {{user + 0x100 * random_.below(4)}, std::uint64_t{0x100} << random_.below(3)}, 0, path},
            frame(pid)));
    }
    void exec(std::uint32_t pid) {
        Comm comm;
        comm.pid = {pid};
        comm.tid = {pid};
        comm.comm = "next";
        comm.exec = true;
        scene_.add(encode(comm, scene_.frame({time_, pid, pid, 0})));
    }
    void fork(std::uint32_t pid) {
        const auto child = pid == 9 ? 7u : pid + 1;
        Writer body(order_);
        body.u32(child).u32(pid).u32(child).u32(pid).u64(time_);
        scene_.add(record(RecordType::fork, scene_.frame({time_, pid, pid, 0}), body.blob()));
    }
    void load_or_unload() {
        if (loaded_.empty() || random_.one_in(2)) {
            const auto id = ++programs_;
            loaded_.push_back({id, id, {{kernel + 0x100 * random_.size(4), 0x100, "main", id}}});
            scene_.loaded(live(time_ += 4), loaded_.back());
        } else {
            scene_.unloaded(live(time_ += 4), loaded_.back());
            loaded_.pop_back();
        }
    }
    void sample(std::uint32_t pid) {
        auto& last = chains_[pid];
        std::vector<std::uint64_t> chain;
        const bool in_kernel = random_.one_in(2);
        if (in_kernel) {
            chain.push_back(kernel_mark);
            for (auto left = 1 + random_.below(2); left != 0; --left) chain.push_back(kernel + 0x80 * random_.below(8));
        }
        chain.push_back(user_mark);
        for (auto left = 1 + random_.below(2); left != 0; --left) chain.push_back(user + 0x40 * random_.below(24));
        if (random_.one_in(10)) last.clear();
        while (last.size() < 3) last.push_back(user + 0x40 * random_.below(24));
        chain.insert(chain.end(), last.begin(), last.end());
        SampleContent content;
        content.fixed.identifier = content.fixed.id = Scene::first_id;
        content.fixed.ip = chain[1];
        content.fixed.pid = content.fixed.tid = pid;
        // Some come later than what happened after them.
        content.fixed.time = random_.one_in(10) ? time_ - random_.below(20) : time_;
        content.fixed.period = 1;
        content.callchain = chain;
        scene_.add(encode(order_, attr(), content, in_kernel ? 1 : 2));
    }

    Random random_;
    std::endian order_;
    Scene scene_;
    std::uint64_t time_ = 100;
    std::uint32_t files_ = 0, programs_ = 0;
    std::vector<test::Program> loaded_;
    std::map<std::uint32_t, std::vector<std::uint64_t>> chains_;  // the callers that stay, by process
};

}  // namespace

TEST_CASE("Callers that samples share are what they are at each sample", "[profile][counts][property]") {
    const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{9}));
    const bool with_jit = GENERATE(false, true);
    CAPTURE(seed, with_jit);
    Changes changes(seed);
    changes.happen();
    const auto recording = changes.scene().open();
    const auto timeline = Timeline::build(recording).value();
    const auto jit = with_jit ? changes.jit() : JitCodes();
    SampleCountOptions options;
    options.chains = true;
    options.jit = &jit;
    const auto counts = SampleCounts::count(recording, timeline, options).value();
    NaiveChains naive{timeline, &jit, {}};
    Completeness completeness;
    REQUIRE(walk(recording, completeness, naive));
    CHECK(naive.chains.size() > 500);
    const auto counted = chains_of(counts);
    std::size_t differences = 0;
    for (const auto& [chain, count] : naive.chains) {
        const auto found = counted.find(chain);
        differences += found == counted.end() || found->second != count;
    }
    CHECK(differences == 0);
    CHECK(counted.size() == naive.chains.size());
    CHECK(with_jit == std::ranges::any_of(naive.chains, [](const auto& one) {
              return one.first.find(std::to_string(static_cast<int>(FrameKind::jit)) + ":") == 0;
          }));
}
