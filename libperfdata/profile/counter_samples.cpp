// SPDX-License-Identifier: MIT
#include "perfdata/profile/counter_samples.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace perfdata {
namespace {

bool has_counter_values(const Event& event) {
    return event.attr.has(sample_bit::read);
}

Error counter_problem(ErrorCode code, std::uint64_t count, std::string_view what) {
    return {code, Error::no_offset, "counter values in samples", std::to_string(count) + std::string(what)};
}

}  // namespace

std::vector<Error> CounterLosses::problems() const {
    std::vector<Error> problems;
    if (unknown != 0) {
        problems.push_back(counter_problem(ErrorCode::malformed, unknown, " with ids that no event has: left out"));
    }
    if (went_back != 0) {
        problems.push_back(counter_problem(ErrorCode::malformed, went_back,
                                           " less than the value before: their periods are unknown and count as 0"));
    }
    if (not_kept != 0) {
        problems.push_back(counter_problem(ErrorCode::limit, not_kept, " of too many counters: left out"));
    }
    return problems;
}

CounterSamples::CounterSamples(const EventTable& events, std::size_t most, const Tasks* tasks)
    : events_(events), tasks_(tasks), most_(most) {
    for (const auto& event : events.events()) {
        reads_.push_back(has_counter_values(event));
        inherits_.push_back(event.attr.inherit() && event.attr.has(sample_bit::tid));
        has_values_ = has_values_ || reads_.back();
    }
}

bool CounterSamples::are_in(const EventTable& events) {
    return std::ranges::any_of(events.events(), has_counter_values);
}

std::uint64_t CounterSamples::thread_of(Tid tid, std::optional<EventId> id, Time time) const {
    constexpr auto numbers = std::uint64_t{1} << 32, lives = std::uint64_t{2} << 32;
    if (tasks_ == nullptr) return numbers | tid.value;
    const auto machine = id && tasks_->has_guests() ? tasks_->machine_of(*id) : host;
    // An EXIT alone begins nothing: a thread may be sampled behind it.
    const auto* const life = tasks_->thread_at(tid, time, machine);
    if (life == nullptr) return numbers | tid.value;
    return lives | static_cast<std::uint64_t>(life - tasks_->threads().data());
}

std::optional<CounterSamples::Step> CounterSamples::advance(std::optional<EventId> id, std::uint64_t thread,
                                                            std::uint64_t value) {
    const auto event = id ? events_.find(id->value) : EventIndex();
    if (!event) {
        ++losses_.unknown;
        return {};
    }
    // Beyond the limit all further counters share one number, whose value is not used.
    constexpr Counter further{0, ~std::uint64_t{0}};
    const auto number = counters_.intern_within(most_, {id->value, thread}, further);
    if (number >= last_.size()) last_.resize(number + std::size_t{1});
    if (counters_[number] == further) {
        ++losses_.not_kept;
        return {};
    }
    const auto before = std::exchange(last_[number], value);
    if (value == before) return {};
    if (value > before) return Step{*event, value - before};
    ++losses_.went_back;
    return Step{*event, 0};
}

}  // namespace perfdata
