// SPDX-License-Identifier: MIT
#include "script.hpp"

#include <algorithm>
#include <optional>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/profile/counter_samples.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/second_pass.hpp"

#include "script_item.hpp"
#include "script_pool.hpp"
#include "script_worker.hpp"

namespace perfdata {
namespace {

// The reading thread feeds no more.
constexpr std::size_t most_threads = 16;
// Each thread has an unwinder of its own, which keeps much.
constexpr std::size_t most_unwinding = 4;

std::size_t threads_for(const Recording& recording, const ScriptOptions& options) {
    const auto& events = recording.events().events();
    const auto any = [&](auto&& is) { return std::ranges::any_of(events, is); };
    // PayloadOutput belongs to one thread.
    if (options.payloads != nullptr && any([](const Event& event) { return is_bpf_output(event.attr); })) return 1;
    const bool unwinds = any([](const Event& event) { return event.sample.shape().callers_in_stack(); });
    return std::clamp<std::size_t>(options.jobs, 1, options.chains && unwinds ? most_unwinding : most_threads);
}

// ScriptWriter reads the samples. What their texts need is looked up by whoever writes them: on one thread this one, on
// several those of the pool.
class ScriptWriter {
  public:
    ScriptWriter(const Recording& recording, const Symbolizer& symbolizer, const ScriptOptions& options,
                 const Sink& sink)
        : symbolizer_(symbolizer),
          options_(options),
          sink_(sink),
          counters_(recording, &symbolizer.timeline().tasks()),
          input_(recording, symbolizer, options) {
        if (const auto threads = threads_for(recording, options); threads > 1) {
            pool_.emplace(threads, input_, sink, [this](const ScriptTally& tally) { add(tally); });
        } else {
            alone_.emplace(input_, 1);
            text_.reserve(2 * most_kept);
            tally_.room.begin(InlinedRoom::at_first);
        }
    }

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        // As in perf: a sample with counter values is one of each counter that grew.
        bool again = false;
        counters_.each(context.event, sample, context.time, [&](std::uint32_t event, std::uint64_t period) {
            take({context.view, context.event, event, period, context.time, again});
            again = true;
        });
    }

    ScriptCounts finish() {
        ScriptWorker::Found found;
        counts_.absent_symbols = options_.filter.code.symbols;
        counts_.absent_objects = options_.filter.code.objects;
        if (pool_) {
            pool_->finish();
        } else {
            sink_(text_);
            add(tally_);
        }
        each_worker([&](ScriptWorker& worker) {
            const auto keep = [](std::vector<std::string>& names, const std::vector<std::string>& absent) {
                std::erase_if(names, [&](const auto& name) { return std::ranges::find(absent, name) == absent.end(); });
            };
            keep(counts_.absent_symbols, worker.absent_symbols());
            keep(counts_.absent_objects, worker.absent_objects());
        });
        const bool with_names = counts_.absent_symbols.size() + counts_.absent_objects.size() != 0;
        each_worker([&](ScriptWorker& worker) { worker.add_to(found, with_names); });
        counts_.counter_losses = counters_.losses();
        counts_.unread_formats = input_.formats.unread();
        counts_.large_formats = input_.formats.too_large();
        counts_.without_build_id = WithoutBuildId::list(found.without_build_id, symbolizer_);
        counts_.without_file = UnnamedSamples::list(found.without_file);
        counts_.unnamed_kernel = found.unnamed_kernel;
        if (options_.inlines) counts_.inlined_problems = symbolizer_.inlined_problems();
        found.symbols.erase(std::string_view());
        found.objects.erase(std::string_view());
        counts_.other_symbols.assign(found.symbols.begin(), found.symbols.end());
        counts_.other_objects.assign(found.objects.begin(), found.objects.end());
        counts_.inlined_symbols.assign(found.inlined.begin(), found.inlined.end());
        return counts_;
    }

  private:
    static constexpr std::size_t most_kept = std::size_t{256} << 10;

    void take(const RawSample& sample) {
        if (pool_) return pool_->add(sample);
        alone_->write(sample, text_, tally_);
        if (!tally_.stacks.empty()) add_stacks(tally_);  // they live as long as the sample
        tally_.stacks.clear();
        if (text_.size() < most_kept) return;
        sink_(text_);
        text_.clear();
    }

    void add(const ScriptTally& tally) {
        counts_.samples += tally.samples;
        for (std::size_t part = 0; part < filter_parts; ++part) counts_.dropped[part] += tally.dropped[part];
        counts_.broken_chains += tally.broken_chains;
        counts_.deep_chains += tally.deep_chains;
        counts_.folded_chains += tally.folded_chains;
        for (auto left = tally.not_unwound; left != 0; --left) counts_.stacks.add_not_unwound();
        add_stacks(tally);
    }
    void add_stacks(const ScriptTally& tally) {
        for (const auto& [state, unwound] : tally.stacks) counts_.stacks.add(state, unwound);
    }

    template <class Visit>
    void each_worker(Visit&& visit) {
        if (alone_) return visit(*alone_);
        for (const auto& worker : pool_->workers()) {
            if (worker != nullptr) visit(*worker);
        }
    }

    const Symbolizer& symbolizer_;
    const ScriptOptions& options_;
    const Sink& sink_;
    CounterSamples counters_;
    ScriptInput input_;
    ScriptCounts counts_;
    std::optional<ScriptWorker> alone_;
    std::string text_;
    ScriptTally tally_;
    std::optional<ScriptPool> pool_;  // it ends before what it refers to
};

}  // namespace

Result<ScriptCounts> write_script(const Recording& recording, const Symbolizer& symbolizer,
                                  const ScriptOptions& options, const Sink& sink) {
    return catch_bad_alloc([&]() -> Result<ScriptCounts> {
        ScriptWriter writer(recording, symbolizer, options, sink);
        Completeness seen;  // the timeline's pass has counted all records already
        auto walked = walk(recording, seen, writer,
                           {.order = RecordOrder::time,
                            .stop = options.stop,
                            .progress = options.progress,
                            .times = symbolizer.timeline().times()});
        if (!walked) return fail(walked.error());
        auto counts = writer.finish();
        // What was written is whole samples, but not all that there were.
        const auto same = check_second_pass(samples_seen(seen), recording, symbolizer.timeline());
        if (!same) return fail(same.error());
        return counts;
    });
}

}  // namespace perfdata
