// SPDX-License-Identifier: MIT
#include "trace_filter.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace perfdata {
namespace {

// matches_class(pattern, c) tests a character against what follows "[", and removes it up to the "]". Nothing if there
// is no such end: then "[" means itself.
std::optional<bool> matches_class(std::string_view& pattern, char c) {
    auto rest = pattern;
    const bool inverted = rest.starts_with('!');
    if (inverted) rest.remove_prefix(1);
    bool matched = false;
    for (bool first = true;; first = false) {
        if (rest.empty()) return {};
        const auto from = rest.front();
        rest.remove_prefix(1);
        if (from == ']' && !first) break;
        auto until = from;
        if (rest.size() >= 2 && rest[0] == '-' && rest[1] != ']') {
            until = rest[1];
            rest.remove_prefix(2);
        }
        const auto byte = [](char of) { return static_cast<unsigned char>(of); };
        matched = matched || (byte(from) <= byte(c) && byte(c) <= byte(until));
    }
    pattern = rest;
    return matched != inverted;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) {
    // Only the last "*" may have to take more: an earlier one never helps.
    std::optional<std::string_view> star_pattern;
    std::string_view star_text;
    for (;;) {
        if (text.empty()) return pattern.find_first_not_of('*') == std::string_view::npos;
        bool fits = false;
        if (!pattern.empty()) {
            const auto c = pattern.front();
            auto rest = pattern.substr(1);
            if (c == '*') {
                star_pattern = rest;
                star_text = text;
                pattern = rest;
                if (pattern.empty()) return true;
                continue;
            }
            const auto in_class = c == '[' ? matches_class(rest, text.front()) : std::nullopt;
            if (in_class) {
                fits = *in_class;
            } else if (c == '\\' && !rest.empty()) {
                fits = rest.front() == text.front();
                rest.remove_prefix(1);
            } else {
                fits = c == '?' || c == text.front();
            }
            if (fits) pattern = rest;
        }
        if (fits) {
            text.remove_prefix(1);
            continue;
        }
        if (!star_pattern) return false;
        star_text.remove_prefix(1);
        text = star_text;
        pattern = *star_pattern;
    }
}

bool TraceFilter::Comparison::matches(std::string_view found) const {
    switch (op) {
        case Operator::equal: return found == text;
        case Operator::unequal: return found != text;
        case Operator::glob: {
            // As the kernel has it, "!" in front of a pattern inverts it.
            if (text.starts_with('!')) return !matches_glob(std::string_view(text).substr(1), found);
            return matches_glob(text, found);
        }
        default: return false;
    }
}

bool TraceFilter::Comparison::matches(const FieldNumber& found, std::size_t bytes) const {
    // As the kernel does: the value becomes one of the field's type.
    auto wanted = number;
    const auto cut = bytes < sizeof wanted ? 8 * (sizeof wanted - bytes) : 0;
    wanted <<= cut;
    wanted = found.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(wanted) >> cut) : wanted >> cut;
    const auto less = [&](std::uint64_t a, std::uint64_t b) {
        return found.is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
    };
    switch (op) {
        case Operator::equal: return found.bits == wanted;
        case Operator::unequal: return found.bits != wanted;
        case Operator::less: return less(found.bits, wanted);
        case Operator::less_equal: return !less(wanted, found.bits);
        case Operator::greater: return less(wanted, found.bits);
        case Operator::greater_equal: return !less(found.bits, wanted);
        case Operator::bits: return (found.bits & wanted) != 0;
        case Operator::glob: return false;
    }
    return false;
}

namespace {

// refusal(comparison, type) returns why a field of that type cannot be compared so; empty if it can.
std::string refusal(const TraceFilter::Comparison& comparison, const FieldType& type) {
    const auto& field = comparison.field;
    switch (type.kind) {
        case FieldType::Kind::text:
            if (field.index) return "is a text, not an array of numbers";
            if (comparison.op != TraceFilter::Operator::equal && comparison.op != TraceFilter::Operator::unequal &&
                comparison.op != TraceFilter::Operator::glob) {
                return fmt::format("is a text: compare it with ==, != or ~, not with {}", word_of(comparison.op));
            }
            return {};
        case FieldType::Kind::numbers:
            if (!field.index)
                return fmt::format("is an array of numbers: choose an element, such as {}[0]", field.name);
            break;
        case FieldType::Kind::other: return "is neither a number nor a text";
        case FieldType::Kind::pointer:
            if (comparison.is_text) return "points to a text that is not in the recording";
            [[fallthrough]];
        case FieldType::Kind::number:
            if (field.index) return "is no array";
            break;
    }
    if (comparison.is_text || comparison.op == TraceFilter::Operator::glob) {
        return fmt::format("is a number, and {} is none", comparison.text.empty() ? "\"\"" : comparison.text);
    }
    return {};
}

bool is_cpu(std::string_view field) {
    return field == "CPU" || field == "cpu" || field == "common_cpu";
}

}  // namespace

Result<Shared<const BoundTraceFilter>> BoundTraceFilter::bind(TraceFilter filter, const TraceFields& fields,
                                                              const std::vector<std::uint32_t>& events,
                                                              const std::vector<std::string>& names,
                                                              const std::vector<bool>& cpu) {
    const auto failure = [](ErrorCode code, std::string detail) {
        return fail(code, Error::no_offset, "--filter", std::move(detail));
    };
    auto bound = std::make_unique<BoundTraceFilter>(std::move(filter), fields.order());
    const auto& comparisons = bound->filter_.comparisons();
    // A file may have any number of events, of which each search takes as long as it has fields.
    constexpr std::size_t most_sources = std::size_t{1} << 20;
    if (comparisons.size() * events.size() > most_sources) {
        return failure(ErrorCode::limit,
                       fmt::format("{} comparisons are too many for {} events", comparisons.size(), events.size()));
    }
    std::vector<bool> known(comparisons.size());
    std::vector<std::string> problems(comparisons.size());  // by comparison: the first
    for (std::size_t number = 0; number < events.size(); ++number) {
        const auto event = events[number];
        const auto* const format = fields.of(event);
        std::vector<Source> sources;
        for (std::size_t at = 0; at < comparisons.size(); ++at) {
            const auto& comparison = comparisons[at];
            const auto& name = comparison.field.name;
            Source source;
            // As in the kernel, an event's own fields hide those that all samples have.
            const auto* field = format != nullptr ? format->find_own(name) : nullptr;
            const bool is_comm = name == "COMM" || name == "comm";
            if (field == nullptr && is_comm) {
                source = {Source::Kind::comm, {.kind = FieldType::Kind::text, .element = 1}};
                bound->needs_comm_ = true;
            } else if (field == nullptr && is_cpu(name) && (cpu.empty() || cpu[number])) {
                source = {Source::Kind::cpu, {.is_signed = true, .element = 4}};
            } else {
                if (field == nullptr && format != nullptr) field = format->find_common(name);
                if (field != nullptr) source = {Source::Kind::field, field->type};
            }
            // A field of one name may be a text of one event, and a pointer of another: then it is as if the other had
            // none.
            const auto problem = source.kind != Source::Kind::none ? refusal(comparison, source.type) : std::string();
            if (!problem.empty()) {
                if (problems[at].empty()) {
                    problems[at] = fmt::format("{} of {} {}", comparison.field.text(), names[number], problem);
                }
                source = {};
            }
            if (source.kind != Source::Kind::none) {
                known[at] = true;
            } else {
                bound->lacking_.push_back({event, name, problem});
            }
            sources.push_back(source);
        }
        if (event >= bound->by_event_.size()) bound->by_event_.resize(std::size_t{event} + 1, none);
        bound->by_event_[event] = static_cast<std::uint32_t>(bound->sources_.size());
        bound->sources_.push_back(std::move(sources));
    }
    for (std::size_t at = 0; at < comparisons.size(); ++at) {
        if (known[at] || !problems[at].empty() || !is_cpu(comparisons[at].field.name)) continue;
        bound->lacks_cpu_ = known[at] = true;
    }
    const auto unknown = std::ranges::find(known, false);
    if (unknown != known.end()) {
        const auto at = static_cast<std::size_t>(unknown - known.begin());
        const auto& name = comparisons[at].field.name;
        if (!problems[at].empty()) return failure(ErrorCode::malformed, std::move(problems[at]));
        if (fields.is_empty()) {
            return failure(ErrorCode::missing,
                           fmt::format("no field {}: this recording has no tracepoints with formats", name));
        }
        return failure(ErrorCode::missing, names.size() == 1 ? fmt::format("{} has no field {}", names[0], name)
                                                             : fmt::format("no event has a field {}", name));
    }
    // A repeated field is told once.
    const auto same = [](const Lacking& a, const Lacking& b) { return a.event == b.event && a.field == b.field; };
    std::vector<Lacking> once;
    for (auto& one : bound->lacking_) {
        if (std::ranges::none_of(once, [&](const Lacking& other) { return same(one, other); })) {
            once.push_back(std::move(one));
        }
        constexpr std::size_t most_told = 64;
        if (once.size() == most_told) break;
    }
    bound->lacking_ = std::move(once);
    return Shared<const BoundTraceFilter>(std::move(bound));
}

BoundTraceFilter::Truth BoundTraceFilter::compare(const TraceFilter::Comparison& comparison, const Source& source,
                                                  const SamplePayload& payload) const {
    const auto truth = [](bool value) { return value ? Truth::yes : Truth::no; };
    switch (source.kind) {
        case Source::Kind::none: return Truth::unknown;
        case Source::Kind::comm: return payload.comm.empty() ? Truth::unknown : truth(comparison.matches(payload.comm));
        case Source::Kind::cpu:
            return payload.cpu ? truth(comparison.matches({*payload.cpu, true}, source.type.element)) : Truth::unknown;
        case Source::Kind::field: break;
    }
    if (!payload.raw) return Truth::unknown;
    if (source.type.kind == FieldType::Kind::text) {
        const auto text = text_in(source.type, *payload.raw, order_);
        return text ? truth(comparison.matches(*text)) : Truth::unknown;
    }
    const auto number = number_in(source.type, comparison.field.index.value_or(0), *payload.raw, order_);
    return number ? truth(comparison.matches(*number, source.type.element)) : Truth::unknown;
}

PayloadAnswer BoundTraceFilter::ask(const SamplePayload& payload) const {
    const auto bound = payload.event < by_event_.size() ? by_event_[payload.event] : none;
    if (bound == none) return PayloadAnswer::no_value;
    const auto& sources = sources_[bound];
    const auto& steps = filter_.steps();
    // Operands stand before their step. Small expressions need no memory of their own.
    constexpr std::size_t few_steps = 32;
    std::array<Truth, few_steps> few{};
    std::vector<Truth> many(steps.size() > few_steps ? steps.size() : 0);
    auto* const truths = many.empty() ? few.data() : many.data();
    for (std::size_t at = 0; at < steps.size(); ++at) {
        const auto& step = steps[at];
        using Kind = TraceFilter::Step::Kind;
        switch (step.kind) {
            case Kind::comparison:
                truths[at] = compare(filter_.comparisons()[step.first], sources[step.first], payload);
                break;
            case Kind::negation: {
                const auto inside = truths[step.first];
                truths[at] = inside == Truth::unknown ? inside : inside == Truth::yes ? Truth::no : Truth::yes;
                break;
            }
            case Kind::conjunction:
            case Kind::disjunction: {
                const auto decides = step.kind == Kind::conjunction ? Truth::no : Truth::yes;
                const auto left = truths[step.first], right = truths[step.second];
                truths[at] = left == decides || right == decides                 ? decides
                             : left == Truth::unknown || right == Truth::unknown ? Truth::unknown
                                                                                 : left;
                break;
            }
        }
    }
    switch (truths[steps.size() - 1]) {
        case Truth::yes: return PayloadAnswer::passes;
        case Truth::no: return PayloadAnswer::rejected;
        case Truth::unknown: return PayloadAnswer::no_value;
    }
    return PayloadAnswer::no_value;
}

}  // namespace perfdata
