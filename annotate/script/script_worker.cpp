// SPDX-License-Identifier: MIT
#include "script_worker.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

// Several workers share these; each has at least a part of them.
constexpr std::size_t most_places = std::size_t{1} << 17, least_places = std::size_t{1} << 14;
constexpr std::size_t most_text = std::size_t{16} << 20, least_text = std::size_t{2} << 20;

std::size_t places_of(const ScriptInput& input, std::size_t workers) {
    return std::min(std::max(most_places / workers, least_places), input.recording.limits().places);
}

}  // namespace

ScriptInput::ScriptInput(const Recording& of, const Symbolizer& names, const ScriptOptions& chosen)
    : recording(of),
      symbolizer(names),
      options(chosen),
      deferred(chosen.chains ? DeferredChains::read(of) : DeferredChains()),
      formats(TraceFormats::read(of)),
      payload_writers(names.timeline()),
      text(of, chosen.fields, chosen.nanoseconds, register_set(chosen.arch.empty() ? of.arch() : chosen.arch), formats,
           chosen.payloads) {}

ScriptWorker::ScriptWorker(const ScriptInput& input, std::size_t workers)
    : input_(input),
      options_(input.options),
      events_(input.recording.events()),
      symbolizer_(input.symbolizer),
      tasks_(input.symbolizer.timeline().tasks()),
      recent_tasks_(tasks_),
      places_(symbolizer_),
      lines_(places_, {.most_places = places_of(input, workers),
                       .most_text = std::max(most_text / workers, least_text),
                       .recorded_bytes = input.recording.bytes(),
                       .inlines = options_.inlines,
                       .all_places = !options_.filter.code.empty()}),
      to_text_([this](std::string_view part) { *text_ += part; }),
      json_(input.formats, places_, options_.payloads, to_text_),
      absent_symbols_(options_.filter.code.symbols),
      absent_objects_(options_.filter.code.objects) {}

void ScriptWorker::write(const RawSample& sample, std::string& text, ScriptTally& tally) {
    text_ = &text;
    tally_ = &tally;
    const auto take_as = [&]<class Order>(Order order) {
        take(sample, BasicSample<Order>(sample.record.bytes.data(), events_.layout(sample.event), order));
    };
    if (sample.record.order.endian() == std::endian::little) return take_as(FixedOrder<std::endian::little>{});
    take_as(FixedOrder<std::endian::big>{});
}

void ScriptWorker::write_all(ScriptBatch& batch) {
    batch.text.clear();
    for (const auto& sample : batch.samples()) write(sample, batch.text, batch.tally);
}

template <class Order>
void ScriptWorker::take(const RawSample& raw, const BasicSample<Order>& sample) {
    if (!options_.filter.code.empty() && lines_.is_full()) keep_names();
    if (lines_.forget_many()) left_out_.clear();
    const auto& event = events_.events()[raw.counted];
    ScriptItem item(raw.record, events_.layout(raw.event), event);
    item.mode = sample.mode();
    item.pid = sample.pid();
    item.tid = sample.tid();
    item.cpu = sample.cpu();
    item.time = sample.time();
    item.period = raw.period;
    item.moment = {raw.time, item.pid.value_or(nobody), host};
    if (tasks_.has_guests()) {
        if (const auto id = sample.id()) item.moment.machine = tasks_.machine_of(*id);
    }
    const auto comm = recent_tasks_.comm_at(item.tid.value_or(Tid{nobody.value}), raw.time, item.moment.machine);
    if (!wanted(sample, item, raw.counted, comm)) return;
    if (!take(options_.filter.drop_payload(raw.event, sample, comm))) return;
    item.comm = shown_comm(comm, item.tid);
    item.ip = sample.ip();
    if (options_.payloads != nullptr && item.ip && item.is_bpf_output()) {
        item.btf = input_.payload_writers.btf_of(*item.ip, raw.time);
    }
    item.narrow_comm =
        options_.chains && (event.attr.has(sample_bit::callchain) || sample.layout().shape().callers_in_stack());
    item.has_chain = item.narrow_comm && options_.most_frames != 0;
    const auto fields = options_.json ? ScriptFields{} : input_.text.fields(item);
    if ((fields & field_trace) != 0) item.raw = sample.raw();
    const auto style = ScriptLines::style(fields);
    const bool shows_code = options_.json || (fields & field_ip) != 0;
    const auto& code = options_.filter.code;
    if (!item.ip) {
        if (!takes_nowhere(item.mode)) return;
    } else if (!code.empty() || options_.json) {
        item.place = places_.find(item.moment, *item.ip, item.mode);
        if (!code.empty() && !wanted(item.place)) return;
    }
    if (item.has_chain) {
        if (options_.json || sample.layout().shape().callers_in_stack() || !code.empty()) {
            find_chain(sample, item);
            if (!options_.json) write_found(item, style);
        } else if (shows_code) {
            find_lines(sample, item, style);
        } else {
            count_chain(sample, item);
        }
        if (!item.whole_chain) ++tally_->broken_chains;
    } else if (item.ip && shows_code && !options_.json) {
        place_text_ = lines_.text_at(item.moment, *item.ip, item.mode, style);
        item.place_text = place_text_;
    }
    ++tally_->samples;
    if (options_.json) {
        json_.write(item);
        json_.flush();
    } else {
        input_.text.append(*text_, item, lines_);
    }
}

// Share is what one chain may show of inlined functions. Where the text that recorded bytes allow is used up, only the
// innermost ones are shown.
struct ScriptWorker::Share {
    InlinedRoom& room;
    std::size_t left = SampleCounts::most_with_inlined;
    bool folded = false;

    // Returns how many of those at one place are shown, the innermost ones.
    std::size_t take(const ScriptPlaces::InlinedPlaces& inlined) {
        constexpr std::size_t innermost = 2;
        const auto all = inlined.numbers.size();
        const bool whole = all <= left && room.has(inlined.bytes);
        const auto shown = whole ? all : std::min({all, left, innermost});
        left -= shown;
        if (whole) room.take(inlined.bytes);
        folded = folded || shown < all;
        return shown;
    }
};

// Calls visit(address, mode) for each frame of the recorded chain, up to the most frames.
template <class Order, class Visit>
void ScriptWorker::each_frame(const BasicSample<Order>& sample, ScriptItem& item, Visit&& visit) {
    std::size_t frames = 0;
    item.whole_chain = for_each_frame(sample, input_.deferred, [&](Address address, CpuMode mode) {
        if (frames >= options_.most_frames) {
            ++tally_->deep_chains;
            return false;
        }
        ++frames;
        visit(address, mode);
        return true;
    });
}

// Where no frame is shown.
template <class Order>
void ScriptWorker::count_chain(const BasicSample<Order>& sample, ScriptItem& item) {
    each_frame(sample, item, [](Address, CpuMode) {});
}

// Makes item.lines.
template <class Order>
void ScriptWorker::find_lines(const BasicSample<Order>& sample, ScriptItem& item, ScriptLines::Style style) {
    modes_.clear();
    each_frame(sample, item, [&](Address address, CpuMode mode) {
        lines_.ask(item.moment, address, mode);
        modes_.push_back(mode);
    });
    if (options_.inlines) tally_->room.add(item.record.bytes.size());
    Share share{tally_->room};
    shown_.clear();
    const auto answers = lines_.answers(item.moment, style);
    for (std::size_t at = 0; at < answers.size(); ++at) {
        // What was inlined comes first. The first address of a context was sampled or interrupted, the others are where
        // calls return to.
        if (answers[at].may_have_inlined()) [[unlikely]] {
            const auto inlined = places_.inlined(answers[at].number, at != 0 && modes_[at - 1] == modes_[at]);
            const auto shown = inlined.numbers.empty() ? 0 : share.take(inlined);
            for (const auto place : inlined.numbers.first(shown)) shown_.push_back(lines_.line(place, style));
            const auto left_out = inlined.numbers.size() - shown;
            if (left_out != 0) shown_.push_back(lines_.left_out_line(ScriptPlaces::left_out(left_out)));
        }
        shown_.push_back(answers[at].view());
    }
    if (share.folded) ++tally_->folded_chains;
    item.lines = shown_;
}

// Makes item.chain, with what was unwound and inlined.
template <class Order>
void ScriptWorker::find_chain(const BasicSample<Order>& sample, ScriptItem& item) {
    chain_.clear();
    const auto deep_before = tally_->deep_chains;
    each_frame(sample, item,
               [&](Address address, CpuMode mode) { chain_.push_back(places_.find(item.moment, address, mode)); });
    recorded_ = chain_.size();
    item.stack_end = add_user_stack(sample, item);
    // The recorded part may be too deep already.
    const bool deep = item.stack_end == StackEnd::frame_limit && tally_->deep_chains == deep_before;
    if (deep) ++tally_->deep_chains;
    // A sample without a copy of the stack still has its address.
    if (sample.layout().shape().callers_in_stack() && chain_.empty() && item.ip) {
        chain_.push_back(places_.find(item.moment, *item.ip, item.mode));
    }
    if (options_.inlines) {
        tally_->room.add(item.record.bytes.size());
        if (places_.ask_inlined()) add_inlined();
    }
    item.chain = chain_;
}

void ScriptWorker::write_found(ScriptItem& item, ScriptLines::Style style) {
    if ((input_.text.fields(item) & field_ip) == 0) return;
    shown_.clear();
    for (const auto place : item.chain) {
        const bool is_place = ScriptPlaces::left_out_count(place) == 0;
        shown_.push_back(is_place ? lines_.line(place, style) : lines_.left_out_line(place));
    }
    item.lines = shown_;
}

// Adds the callers in a copy of the user stack to chain_, behind the kernel's part of the chain. Returns how unwinding
// ended.
template <class Order>
std::optional<StackEnd> ScriptWorker::add_user_stack(const BasicSample<Order>& sample, const ScriptItem& item) {
    const auto state = user_state(sample);
    if (!state) return {};
    if (unwinder_ == nullptr) unwinder_ = symbolizer_.functions().unwinder(options_.stop);
    if (unwinder_ == nullptr) {
        ++tally_->not_unwound;
        return StackEnd::unsupported;
    }
    unwound_.clear();
    const auto room = options_.most_frames - std::min(chain_.size(), options_.most_frames);
    const auto unwound = unwinder_->unwind(item.moment, *state, room, unwound_);
    tally_->stacks.emplace_back(*state, unwound);
    for (const auto& one : unwound_) chain_.push_back(places_.find(item.moment, one.address, CpuMode::user));
    return unwound.end;
}

// Adds what was inlined at the frames of the chain, each before its frame. Nearly always that is nothing.
void ScriptWorker::add_inlined() {
    Share share{tally_->room};
    whole_chain_.clear();
    std::size_t copied = 0;
    const auto copy_to = [&](std::size_t end) {
        whole_chain_.insert(whole_chain_.end(), chain_.begin() + static_cast<std::ptrdiff_t>(copied),
                            chain_.begin() + static_cast<std::ptrdiff_t>(end));
        copied = end;
    };
    for (std::size_t at = 0; at < chain_.size(); ++at) {
        // As in find_lines(); those that were unwound lie in the call.
        const auto mode = [&](std::size_t of) { return places_.place(chain_[of]).frame.mode; };
        const bool returns = at != 0 && at < recorded_ && mode(at - 1) == mode(at);
        const auto inlined = places_.inlined(chain_[at], returns);
        if (inlined.numbers.empty()) continue;
        const auto shown = share.take(inlined);
        copy_to(at);
        const auto innermost = inlined.numbers.first(shown);
        whole_chain_.insert(whole_chain_.end(), innermost.begin(), innermost.end());
        if (shown < inlined.numbers.size()) {
            whole_chain_.push_back(ScriptPlaces::left_out(inlined.numbers.size() - shown));
        }
    }
    if (share.folded) ++tally_->folded_chains;
    if (whole_chain_.empty()) return;
    copy_to(chain_.size());
    chain_.swap(whole_chain_);
}

template <class Order>
bool ScriptWorker::wanted(const BasicSample<Order>& sample, const ScriptItem& item, std::uint32_t event,
                          std::string_view comm) {
    const auto& filter = options_.filter;
    if (!filter.has_event(event)) return false;
    if (!take(filter.drop_moment(item.moment.time, item.cpu))) return false;
    const auto cgroup = filter.by_cgroup ? sample.details().cgroup() : std::nullopt;
    const auto tid = item.tid.value_or(Tid{nobody.value});
    return take(filter.drop_task({comm, item.moment.pid, tid, cgroup}));
}

// Each distinct place is asked for once, also for which of the wanted names it has.
bool ScriptWorker::wanted(std::uint32_t place) {
    if (place >= left_out_.size()) left_out_.resize(std::size_t{place} + 1, not_asked);
    auto& part = left_out_[place];
    if (part == not_asked) {
        (void)places_.name(place);  // notes what lacks a name
        const auto& frame = places_.place(place).frame;
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
bool ScriptWorker::takes_nowhere(CpuMode mode) {
    const auto& functions = symbolizer_.functions();
    const auto nowhere = Frame::nowhere({}, Miss::no_address, mode);
    return take(filter_part(functions.left_out(nowhere, options_.filter.code)));
}

bool ScriptWorker::take(FilterPart part) {
    if (part != FilterPart::none) ++tally_->dropped[static_cast<std::size_t>(part)];
    return part == FilterPart::none;
}

// A thread without a name is shown by its number. The view lives until the next call.
std::string_view ScriptWorker::shown_comm(std::string_view comm, std::optional<Tid> tid) {
    if (comm.empty()) {
        unnamed_ = ":" + std::to_string(signed_id(tid.value_or(Tid{nobody.value}).value));
        return unnamed_;
    }
    auto& recent = recent_comms_[(reinterpret_cast<std::uintptr_t>(comm.data()) * 0x9e3779b97f4a7c15u) >> 58];
    if (recent.comm != comm.data()) {
        auto& text = comms_[comm.data()];  // a node, which stays where it is
        if (text.empty()) text = shown(comm);
        recent = {comm.data(), &text};
    }
    return *recent.shown;
}

void ScriptWorker::keep_names() {
    for (std::uint32_t number = 0; number < places_.size(); ++number) {
        const auto& name = places_.name(number);
        const auto& frame = places_.place(number).frame;
        (name.inlined ? kept_.inlined : kept_.symbols).insert(name.symbol);
        if (frame.is_code()) kept_.symbols.insert(symbolizer_.bpf().plain_name(frame.index).name);
        kept_.objects.insert(name.object);
    }
}

void ScriptWorker::add_to(Found& found, bool with_names) {
    found.without_build_id.insert(places_.without_build_id().begin(), places_.without_build_id().end());
    found.without_file.insert(places_.without_file().begin(), places_.without_file().end());
    found.unnamed_kernel = found.unnamed_kernel || places_.unnamed_kernel();
    if (!with_names) return;
    keep_names();
    found.symbols.merge(kept_.symbols);
    found.objects.merge(kept_.objects);
    found.inlined.merge(kept_.inlined);
}

}  // namespace perfdata
