// SPDX-License-Identifier: MIT
#include "trace_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace perfdata {
namespace {

std::size_t exponent_of(std::uint64_t magnitude) {
    return static_cast<std::size_t>(std::bit_width(magnitude)) - 1;
}

// not_countable(name, type) returns why a field has no histogram; empty if it has one.
std::string not_countable(const FieldName& name, const FieldType& type) {
    switch (type.kind) {
        case FieldType::Kind::number:
        case FieldType::Kind::pointer: return name.index ? "is no array" : "";
        case FieldType::Kind::numbers:
            return name.index ? "" : fmt::format("is an array: choose an element, such as {}[0]", name.name);
        case FieldType::Kind::text: return fmt::format("is a text: --sort trace:{} counts texts", name.name);
        case FieldType::Kind::other: break;
    }
    return "is no number";
}

}  // namespace

void HistogramCounter::add(const FieldNumber& number) {
    const bool negative = number.is_signed && static_cast<std::int64_t>(number.bits) < 0;
    const auto less = [&](std::uint64_t a, std::uint64_t b) {
        return number.is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
    };
    if (samples_ == 0 || less(number.bits, least_)) least_ = number.bits;
    if (samples_ == 0 || less(most_, number.bits)) most_ = number.bits;
    ++samples_;
    const auto before = sum_low_;
    sum_low_ += number.bits;
    sum_high_ += (sum_low_ < before ? 1 : 0) + (negative ? ~std::uint64_t{0} : 0);
    if (number.bits == 0) {
        count(zero);
    } else if (negative) {
        count(zero - 1 - exponent_of(0 - number.bits));
    } else {
        count(zero + 1 + exponent_of(number.bits));
    }
}

void HistogramCounter::count(std::size_t bucket) {
    const auto found = std::ranges::lower_bound(counts_, bucket, {}, &Count::bucket);
    if (found != counts_.end() && found->bucket == bucket) {
        ++found->values;
    } else {
        counts_.insert(found, {static_cast<std::uint8_t>(bucket), 1});
    }
}

FieldHistogram HistogramCounter::histogram(std::uint32_t event, std::string field, bool is_signed) const {
    FieldHistogram result;
    result.event = event;
    result.field = std::move(field);
    result.is_signed = is_signed;
    result.samples = samples_;
    result.no_value = no_value_;
    result.least = least_;
    result.most = most_;
    if (samples_ == 0) return result;
    const auto high = is_signed ? static_cast<long double>(static_cast<std::int64_t>(sum_high_))
                                : static_cast<long double>(sum_high_);
    const auto sum = std::ldexp(high, 64) + static_cast<long double>(sum_low_);
    result.mean = static_cast<double>(sum / static_cast<long double>(samples_));
    const std::size_t first = counts_.front().bucket, last = counts_.back().bucket;
    result.buckets.reserve(last - first + 1);
    auto next = counts_.begin();
    for (auto at = first; at <= last; ++at) {
        HistogramBucket bucket;
        if (next->bucket == at) bucket.samples = (next++)->values;
        if (at > zero) {
            bucket.first = std::uint64_t{1} << (at - zero - 1);
            bucket.last = bucket.first + (bucket.first - 1);
        } else if (at < zero) {
            const auto magnitude = std::uint64_t{1} << (zero - 1 - at);
            bucket.last = 0 - magnitude;
            // -2^63 has no smaller neighbours.
            bucket.first = at == 0 ? bucket.last : 0 - (magnitude + (magnitude - 1));
        }
        result.buckets.push_back(bucket);
    }
    return result;
}

Result<TraceHistograms> TraceHistograms::make(TraceFields fields, const std::vector<HistogramField>& wanted,
                                              const std::vector<std::uint32_t>& events,
                                              const std::vector<std::string>& event_names) {
    const auto failure = [](ErrorCode code, std::string detail) {
        return fail(code, Error::no_offset, "--histogram", std::move(detail));
    };
    constexpr std::size_t most_pairs = std::size_t{1} << 20;
    if (wanted.size() * events.size() > most_pairs) {
        return failure(ErrorCode::limit,
                       fmt::format("{} fields are too many for {} events", wanted.size(), events.size()));
    }
    std::set<std::pair<std::uint32_t, std::string>> counted;  // at most most_pairs; log n each
    TraceHistograms result;
    result.fields_ = std::move(fields);
    for (const auto& [name, of, takes, left_out] : wanted) {
        bool is_known = false;
        std::string problem;  // the first
        for (std::size_t number = 0; number < events.size(); ++number) {
            if (!takes.empty() && !takes[number]) continue;
            const auto* const format = result.fields_.of(events[number]);
            const auto* field = format == nullptr ? nullptr : format->find_own(name.name);
            if (field == nullptr && format != nullptr) field = format->find_common(name.name);
            if (field == nullptr) continue;
            // A field of one name may be a number of one event, and a text of another: then it is as if the other had
            // none.
            if (const auto why = not_countable(name, field->type); !why.empty()) {
                if (problem.empty()) problem = fmt::format("{} of {} {}", name.text(), event_names[number], why);
                continue;
            }
            is_known = true;
            const auto event = events[number];
            if (!counted.emplace(event, name.text()).second) continue;
            if (event >= result.by_event_.size()) result.by_event_.resize(std::size_t{event} + 1);
            result.by_event_[event].push_back(static_cast<std::uint32_t>(result.all_.size()));
            result.all_.push_back({event, name, field->type, {}});
        }
        if (!is_known && !problem.empty()) return failure(ErrorCode::malformed, std::move(problem));
        if (is_known) continue;
        if (!left_out.empty()) {
            return failure(ErrorCode::missing,
                           fmt::format("no event of -e has the field {}; {} has", name.name, left_out));
        }
        const auto damage = result.fields_.damage_text();
        if (result.fields_.is_empty() && damage.empty()) {
            return failure(ErrorCode::missing, "this recording has no tracepoints with formats");
        }
        auto detail = fmt::format("no event {}{}has a field {}", of, of.empty() ? "" : " ", name.name);
        if (!damage.empty()) detail += ": " + damage;
        return failure(ErrorCode::missing, std::move(detail));
    }
    return result;
}

void TraceHistograms::add(std::uint32_t event, std::optional<Bytes> raw) {
    if (event >= by_event_.size() || by_event_[event].empty()) {
        ++without_field_;
        return;
    }
    for (const auto at : by_event_[event]) {
        auto& one = all_[at];
        if (one.counter == nullptr) one.counter = std::make_unique<HistogramCounter>();
        const auto number = raw ? number_in(one.type, one.name.index.value_or(0), *raw, fields_.order()) : std::nullopt;
        if (number) {
            one.counter->add(*number);
        } else {
            one.counter->add_no_value();
        }
    }
}

std::vector<FieldHistogram> TraceHistograms::histograms() const {
    const HistogramCounter empty;
    std::vector<FieldHistogram> result;
    for (const auto& one : all_) {
        const auto& counter = one.counter == nullptr ? empty : *one.counter;
        result.push_back(counter.histogram(one.event, one.name.text(), one.type.is_signed));
    }
    return result;
}

}  // namespace perfdata
