// SPDX-License-Identifier: MIT
#include "script.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/profile/counter_samples.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "btf/payload_writer.hpp"
#include "format/words.hpp"
#include "script_item.hpp"
#include "script_json.hpp"
#include "script_places.hpp"
#include "script_pool.hpp"
#include "script_text.hpp"
#include "trace/trace_formats.hpp"

namespace perfdata {
namespace {

class ScriptWriter {
  public:
    ScriptWriter(const Recording& recording, const Symbolizer& symbolizer, const ScriptOptions& options,
                 const Sink& sink)
        : events_(recording.events()),
          symbolizer_(symbolizer),
          tasks_(symbolizer.timeline().tasks()),
          recent_tasks_(tasks_),
          options_(options),
          sink_(sink),
          deferred_(options.chains ? DeferredChains::read(recording) : DeferredChains()),
          counters_(recording, &tasks_),
          formats_(TraceFormats::read(recording)),
          payload_writers_(symbolizer.timeline()),
          places_(symbolizer, std::min(most_places, recording.limits().places)),
          text_writer_(recording, options.fields, options.nanoseconds,
                       register_set(options.arch.empty() ? recording.arch() : options.arch), formats_,
                       options.payloads),
          json_writer_(formats_, places_, options.payloads, sink) {
        if (!options.json && options.jobs > 1) {
            pool_.emplace(options.jobs, text_writer_, sink);
        } else {
            text_.reserve(2 * most_kept);
        }
        absent_symbols_ = options.filter.code.symbols;
        absent_objects_ = options.filter.code.objects;
    }

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        // As in perf: a sample with counter values is one of each counter that grew.
        counters_.each(context.event, sample, context.time, [&](std::uint32_t event, std::uint64_t period) {
            take(context, sample, events_.events()[event], event, period);
        });
    }

    ScriptCounts finish() {
        if (pool_) pool_->finish();
        flush();
        counts_.counter_losses = counters_.losses();
        counts_.unread_formats = formats_.unread();
        counts_.large_formats = formats_.too_large();
        counts_.without_build_id = WithoutBuildId::list(places_.without_build_id(), symbolizer_);
        counts_.not_opened = places_.not_opened();
        counts_.unnamed_kernel = places_.unnamed_kernel();
        if (options_.inlines) counts_.inlined_problems = symbolizer_.inlined_problems();
        counts_.absent_symbols = absent_symbols_;
        counts_.absent_objects = absent_objects_;
        if (counts_.absent_symbols.size() + counts_.absent_objects.size() != 0) {
            std::set<std::string_view> symbols, objects, inlined;
            for (std::uint32_t number = 0; number < places_.size(); ++number) {
                const auto& name = places_.name(number);
                const auto& frame = places_.place(number).frame;
                (name.inlined ? inlined : symbols).insert(name.symbol);
                if (frame.is_code()) symbols.insert(symbolizer_.bpf().plain_name(frame.index).name);
                objects.insert(name.object);
            }
            symbols.erase(std::string_view());
            objects.erase(std::string_view());
            counts_.other_symbols.assign(symbols.begin(), symbols.end());
            counts_.other_objects.assign(objects.begin(), objects.end());
            counts_.inlined_symbols.assign(inlined.begin(), inlined.end());
        }
        return counts_;
    }

  private:
    static constexpr std::size_t most_kept = std::size_t{256} << 10;
    static constexpr std::size_t most_places = std::size_t{1} << 18;
    static constexpr Pid nobody{~std::uint32_t{0}};
    static constexpr std::uint8_t not_asked = 0xff;

    template <class Order>
    void take(const RecordContext& context, const BasicSample<Order>& sample, const Event& event, std::uint32_t index,
              std::uint64_t period) {
        if (places_.forget_many()) left_out_.clear();
        ScriptItem item{.record = context.view, .layout = events_.layout(context.event), .event = event};
        item.mode = sample.mode();
        item.pid = sample.pid();
        item.tid = sample.tid();
        item.cpu = sample.cpu();
        item.time = sample.time();
        item.period = period;
        item.moment = {context.time, item.pid.value_or(nobody), host};
        if (tasks_.has_guests()) {
            if (const auto id = sample.id()) item.moment.machine = tasks_.machine_of(*id);
        }
        const auto comm =
            recent_tasks_.comm_at(item.tid.value_or(Tid{nobody.value}), context.time, item.moment.machine);
        if (!wanted(sample, item, index, comm)) return;
        if (!take(options_.filter.drop_payload(context.event, sample, comm))) return;
        item.comm = shown_comm(comm, item.tid);
        item.ip = sample.ip();
        if (options_.payloads != nullptr && item.ip && item.is_bpf_output()) {
            item.btf = payload_writers_.btf_of(*item.ip, context.time);
        }
        item.narrow_comm =
            options_.chains && (event.attr.has(sample_bit::callchain) || sample.layout().shape().callers_in_stack());
        const bool has_chain = item.narrow_comm && options_.most_frames != 0;
        // Text shows only the chain of a sample that has one.
        const auto& code = options_.filter.code;
        if (item.ip && (!has_chain || options_.json || !code.empty())) {
            item.place = places_.find(item.moment, *item.ip, item.mode);
            if (!code.empty() && !wanted(item.place)) return;
        } else if (!item.ip && !takes_nowhere(item.mode)) {
            return;
        }
        if (has_chain) {
            item.has_chain = true;
            looked_up_.clear();
            const auto deep_before = counts_.deep_chains;
            item.whole_chain = for_each_frame(sample, deferred_, [&](Address address, CpuMode mode) {
                if (looked_up_.size() >= options_.most_frames) {
                    ++counts_.deep_chains;
                    return false;
                }
                looked_up_.push_back(places_.look_up(item.moment, address, mode));
                return true;
            });
            recorded_ = looked_up_.size();
            item.stack_end = add_user_stack(sample, item);
            // The recorded part may be too deep already.
            const bool deep = item.stack_end == StackEnd::frame_limit && counts_.deep_chains == deep_before;
            if (deep) ++counts_.deep_chains;
            // A sample without a copy of the stack still has its address.
            const bool in_stack = sample.layout().shape().callers_in_stack();
            if (in_stack && looked_up_.empty() && item.ip) {
                looked_up_.push_back(places_.look_up(item.moment, *item.ip, item.mode));
            }
            chain_.clear();
            for (const auto& one : looked_up_) chain_.push_back(places_.number(one));
            if (options_.inlines && places_.ask_inlined()) add_inlined(context.view.bytes.size());
            item.chain = chain_;
            if (!item.whole_chain) ++counts_.broken_chains;
        }
        ++counts_.samples;
        if (options_.json) {
            json_writer_.write(item);
        } else {
            write_text(item);
        }
        if (text_.size() >= most_kept) flush();
    }

    void write_text(ScriptItem& item) {
        const auto fields = text_writer_.fields(item);
        if ((fields & field_ip) != 0) find_lines(item, fields);
        if (!pool_) return text_writer_.append(text_, item, &places_);
        if (text_writer_.needs_places(item)) {
            // Looking up changes the places: one thread does that.
            text_writer_.append(text_, item, &places_);
            pool_->add_text(item, text_, places_.texts());
            text_.clear();
        } else {
            pool_->add(item, text_writer_.needs_record(item), places_.texts());
        }
    }

    void find_lines(ScriptItem& item, ScriptFields fields) {
        if (!item.has_chain) {
            if (item.ip) item.place_text = places_.text(item.place, fields);
            return;
        }
        lines_.clear();
        for (const auto place : item.chain) places_.prefetch(place, fields);
        for (const auto place : item.chain) {
            const bool is_place = ScriptPlaces::left_out_count(place) == 0;
            lines_.push_back(is_place ? places_.line(place, fields) : places_.left_out_line(place));
            __builtin_prefetch(lines_.back().data());
        }
        item.lines = lines_;
    }

    // Adds the callers in a copy of the user stack to looked_up_, behind the kernel's part of the chain. Returns how
    // unwinding ended.
    template <class Order>
    std::optional<StackEnd> add_user_stack(const BasicSample<Order>& sample, const ScriptItem& item) {
        const auto state = user_state(sample);
        if (!state) return {};
        if (unwinder_ == nullptr) unwinder_ = symbolizer_.functions().unwinder(options_.stop);
        if (unwinder_ == nullptr) {
            counts_.stacks.add_not_unwound();
            return StackEnd::unsupported;
        }
        unwound_.clear();
        const auto room = options_.most_frames - std::min(looked_up_.size(), options_.most_frames);
        const auto unwound = unwinder_->unwind(item.moment, *state, room, unwound_);
        counts_.stacks.add(*state, unwound);
        for (const auto& one : unwound_) {
            looked_up_.push_back(places_.look_up(item.moment, one.address, CpuMode::user));
        }
        return unwound.end;
    }

    // Adds what was inlined at the frames of the chain, each before its frame. Nearly always that is nothing. In a
    // crafted file dozens of functions are inlined at each address: where the text that recorded bytes allow is used
    // up, only the innermost ones are added.
    void add_inlined(std::size_t recorded_bytes) {
        constexpr std::size_t a_byte = 64, innermost = 2;
        inlined_room_ += a_byte * recorded_bytes;
        whole_chain_.clear();
        std::size_t copied = 0, left = SampleCounts::most_with_inlined;
        bool folded = false;
        for (std::size_t at = 0; at < chain_.size(); ++at) {
            // The first address of a context was sampled or interrupted, the others are where calls return to; those
            // that were unwound lie in the call.
            const auto mode = [&](std::size_t of) { return places_.place(chain_[of]).frame.mode; };
            const bool returns = at != 0 && at < recorded_ && mode(at - 1) == mode(at);
            const auto [inlined, bytes] = places_.inlined(chain_[at], returns);
            if (inlined.empty()) continue;
            const bool whole = inlined.size() <= left && bytes <= inlined_room_;
            const auto shown = whole ? inlined.size() : std::min({inlined.size(), left, innermost});
            left -= shown;
            if (whole) inlined_room_ -= bytes;
            whole_chain_.insert(whole_chain_.end(), chain_.begin() + static_cast<std::ptrdiff_t>(copied),
                                chain_.begin() + static_cast<std::ptrdiff_t>(at));
            whole_chain_.insert(whole_chain_.end(), inlined.begin(),
                                inlined.begin() + static_cast<std::ptrdiff_t>(shown));
            if (shown < inlined.size()) {
                folded = true;
                whole_chain_.push_back(ScriptPlaces::left_out(inlined.size() - shown));
            }
            copied = at;
        }
        if (folded) ++counts_.folded_chains;
        if (whole_chain_.empty()) return;
        whole_chain_.insert(whole_chain_.end(), chain_.begin() + static_cast<std::ptrdiff_t>(copied), chain_.end());
        chain_.swap(whole_chain_);
    }

    template <class Order>
    bool wanted(const BasicSample<Order>& sample, const ScriptItem& item, std::uint32_t event, std::string_view comm) {
        const auto& filter = options_.filter;
        if (!filter.has_event(event)) return false;
        if (!take(filter.drop_moment(item.moment.time, item.cpu))) return false;
        const auto cgroup = filter.by_cgroup ? sample.details().cgroup() : std::nullopt;
        const auto tid = item.tid.value_or(Tid{nobody.value});
        return take(filter.drop_task({comm, item.moment.pid, tid, cgroup}));
    }
    // Each distinct place is asked for once, also for which of the wanted names it has.
    bool wanted(std::uint32_t number) {
        if (number >= left_out_.size()) left_out_.resize(std::size_t{number} + 1, not_asked);
        auto& part = left_out_[number];
        if (part == not_asked) {
            (void)places_.name(number);  // notes what lacks a name
            const auto& frame = places_.place(number).frame;
            const auto& functions = symbolizer_.functions();
            std::erase_if(absent_symbols_, [&](const std::string& symbol) {
                return functions.left_out(frame, {{}, {}, {symbol}}) == CodePart::none;
            });
            std::erase_if(absent_objects_, [&](const std::string& object) {
                return functions.left_out(frame, {{}, {object}, {}}) == CodePart::none;
            });
            part = static_cast<std::uint8_t>(functions.left_out(frame, options_.filter.code));
        }
        return take(filter_part(CodePart{part}));
    }
    // Samples without an address are in no code.
    bool takes_nowhere(CpuMode mode) {
        const auto& functions = symbolizer_.functions();
        const auto nowhere = Frame::nowhere({}, Miss::no_address, mode);
        return take(filter_part(functions.left_out(nowhere, options_.filter.code)));
    }
    bool take(FilterPart part) {
        if (part != FilterPart::none) ++counts_.dropped[static_cast<std::size_t>(part)];
        return part == FilterPart::none;
    }

    // A thread without a name is shown by its number. The view lives until the next call.
    std::string_view shown_comm(std::string_view comm, std::optional<Tid> tid) {
        if (comm.empty()) {
            unnamed_ = ":" + std::to_string(signed_id(tid.value_or(Tid{nobody.value}).value));
            return unnamed_;
        }
        auto& text = comms_[comm.data()];
        if (text.empty()) text = shown(comm);
        return text;
    }

    void flush() {
        json_writer_.flush();
        sink_(text_);
        text_.clear();
    }

    const EventTable& events_;
    const Symbolizer& symbolizer_;
    const Tasks& tasks_;
    RecentTasks recent_tasks_;
    const ScriptOptions& options_;
    const Sink& sink_;
    DeferredChains deferred_;
    CounterSamples counters_;
    TraceFormats formats_;
    PayloadWriters payload_writers_;
    ScriptPlaces places_;
    ScriptText text_writer_;
    ScriptJson json_writer_;
    std::unordered_map<const char*, std::string> comms_;  // by data() of the timeline's view, which no file can choose
    std::string unnamed_;
    std::vector<ScriptPlaces::LookedUp> looked_up_;
    std::size_t recorded_ = 0;                          // of looked_up_: in the chain, not unwound
    std::vector<std::uint32_t> chain_, whole_chain_;    // without and with what was inlined
    std::size_t inlined_room_ = std::size_t{64} << 20;  // bytes of text for what was inlined; recorded bytes add to it
    Shared<StackUnwinder> unwinder_;                    // made for the first copy of a stack
    std::vector<UnwoundFrame> unwound_;
    std::vector<std::uint8_t> left_out_;  // by place: the CodePart that leaves it out; or not_asked
    std::vector<std::string> absent_symbols_, absent_objects_;  // wanted ones that no place has so far
    std::vector<std::string_view> lines_;                       // of one chain
    std::string text_;
    ScriptCounts counts_;
    std::optional<ScriptPool> pool_;  // if several threads write text; it ends before what it refers to
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
        return writer.finish();
    });
}

}  // namespace perfdata
