// SPDX-License-Identifier: MIT
// The grammar of the kernel's event filters.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "trace_filter.hpp"

namespace perfdata {
namespace {

bool is_decimal_digit(char c) {
    return c >= '0' && c <= '9';
}

// read_number(text) returns a number in C notation, with a sign and suffixes.
std::optional<std::uint64_t> read_number(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.size() > 1 && text[0] == '0') {
        base = 8;
    }
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    std::uint64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number, base);
    if (text.empty() || parsed.ec != std::errc{} || parsed.ptr != end) return {};
    if (negative && number > std::uint64_t{1} << 63) return {};
    return negative ? 0 - number : number;
}

struct OperatorWord {
    std::string_view word;
    TraceFilter::Operator op;
};
// Longer ones come before those that they begin with.
constexpr OperatorWord operator_words[] = {
    {"==", TraceFilter::Operator::equal},         {"!=", TraceFilter::Operator::unequal},
    {"<=", TraceFilter::Operator::less_equal},    {"<", TraceFilter::Operator::less},
    {">=", TraceFilter::Operator::greater_equal}, {">", TraceFilter::Operator::greater},
    {"&", TraceFilter::Operator::bits},           {"~", TraceFilter::Operator::glob},
};

}  // namespace

std::string_view word_of(TraceFilter::Operator op) {
    const auto* const found = std::ranges::find(operator_words, op, &OperatorWord::op);
    return found->word;
}

// Recursive descent: && binds closer than ||, and "!" is for one comparison or one pair of parentheses.
class TraceFilterParser {
  public:
    explicit TraceFilterParser(std::string_view text) : text_(text) {}

    Result<TraceFilter> parse() {
        if (text_.size() > TraceFilter::most_bytes) {
            return fail(ErrorCode::limit, Error::no_offset, "--filter",
                        fmt::format("longer than {} bytes", TraceFilter::most_bytes));
        }
        if (std::ranges::find(text_, '\0') != text_.end()) {
            give_up("a NUL");
            return std::unexpected(*problem_);
        }
        (void)disjunction();
        skip_blanks();
        if (!problem_ && at_ != text_.size()) {
            give_up(peek(')') ? "a ) without its (" : "&& or || is missing");
        }
        if (problem_) return std::unexpected(*problem_);
        return std::move(filter_);
    }

  private:
    using Step = TraceFilter::Step;

    std::uint32_t give_up(std::string detail, ErrorCode code = ErrorCode::malformed) {
        if (!problem_) {
            problem_ = Error{code, Error::no_offset, "--filter",
                             fmt::format("{} at character {}{}", detail, at_ + 1,
                                         at_ < text_.size() ? fmt::format(": {}", text_.substr(at_, 40)) : "")};
        }
        return 0;
    }
    std::uint32_t add(Step step) {
        filter_.steps_.push_back(step);
        return static_cast<std::uint32_t>(filter_.steps_.size() - 1);
    }

    void skip_blanks() {
        while (at_ < text_.size() && std::string_view(" \t\n\r\v\f").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    bool peek(char c) const { return at_ < text_.size() && text_[at_] == c; }
    bool take(std::string_view word) {
        skip_blanks();
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    std::uint32_t disjunction() {
        auto left = conjunction();
        while (!problem_ && take("||")) {
            const auto right = conjunction();
            left = add({Step::Kind::disjunction, left, right});
        }
        return left;
    }
    std::uint32_t conjunction() {
        auto left = term();
        while (!problem_ && take("&&")) {
            const auto right = term();
            left = add({Step::Kind::conjunction, left, right});
        }
        return left;
    }
    std::uint32_t term() {
        if (problem_) return 0;
        if (depth_ == TraceFilter::most_depth) {
            return give_up(fmt::format("nested deeper than {}", TraceFilter::most_depth), ErrorCode::limit);
        }
        ++depth_;
        const auto step = nested_term();
        --depth_;
        return step;
    }
    std::uint32_t nested_term() {
        if (take("!")) {
            const auto inside = term();
            return add({Step::Kind::negation, inside, 0});
        }
        if (take("(")) {
            const auto inside = disjunction();
            if (!problem_ && !take(")")) return give_up("a ) is missing");
            return inside;
        }
        return comparison();
    }

    std::uint32_t comparison() {
        skip_blanks();
        TraceFilter::Comparison one;
        if (!field(one.field)) return 0;
        skip_blanks();
        const auto rest = text_.substr(at_);
        const auto* const found =
            std::ranges::find_if(operator_words, [&](const OperatorWord& word) { return rest.starts_with(word.word); });
        if (found == std::end(operator_words) || rest.starts_with("&&")) {
            if (rest.starts_with("=")) return give_up("= is no operator: write ==");
            return give_up("an operator is missing (==, !=, <, <=, >, >=, & or ~)");
        }
        one.op = found->op;
        at_ += found->word.size();
        skip_blanks();
        if (!value(one)) return 0;
        const bool for_text = one.op == TraceFilter::Operator::equal || one.op == TraceFilter::Operator::unequal ||
                              one.op == TraceFilter::Operator::glob;
        if (one.is_text && !for_text) return give_up(fmt::format("{} does not compare texts", found->word));
        if (!one.is_text && one.op == TraceFilter::Operator::glob) {
            // The field may be a text.
            one.is_text = true;
        }
        filter_.comparisons_.push_back(std::move(one));
        return add({Step::Kind::comparison, static_cast<std::uint32_t>(filter_.comparisons_.size() - 1), 0});
    }

    bool field(FieldName& name) {
        const auto begin = at_;
        while (at_ < text_.size() && is_name_letter(text_[at_])) ++at_;
        if (peek('[')) {
            while (at_ < text_.size() && text_[at_] != ']') ++at_;
            if (at_ < text_.size()) ++at_;
        }
        const auto parsed = parse_field_name(text_.substr(begin, at_ - begin));
        if (!parsed) {
            at_ = begin;
            give_up("a field is missing");
            return false;
        }
        name = *parsed;
        for (const std::string_view suffix : {".ustring", ".function"}) {
            if (!text_.substr(at_).starts_with(suffix)) continue;
            give_up(fmt::format("{} needs the recorded machine's memory or kernel, which a recording does not have:",
                                suffix),
                    ErrorCode::unsupported);
            return false;
        }
        return true;
    }

    bool value(TraceFilter::Comparison& one) {
        constexpr std::size_t most_text = 255;  // the kernel's limit
        if (text_.substr(at_).starts_with("CPUS{")) {
            give_up("sets of CPUs are not understood here; compare with one after the other (CPU == 0 || CPU == 1):",
                    ErrorCode::unsupported);
            return false;
        }
        if (peek('"') || peek('\'')) {
            const auto quote = text_[at_];
            const auto end = text_.find(quote, at_ + 1);
            if (end == std::string_view::npos) {
                give_up("the closing quote is missing");
                return false;
            }
            one.text = text_.substr(at_ + 1, end - at_ - 1);
            one.is_text = true;
            at_ = end + 1;
        } else {
            const auto begin = at_;
            const auto ends = [](char c) {
                return std::string_view(" \t\n\r\v\f()&|\"'").find(c) != std::string_view::npos;
            };
            while (at_ < text_.size() && !ends(text_[at_])) ++at_;
            one.text = text_.substr(begin, at_ - begin);
            if (one.text.empty()) {
                give_up("a value is missing");
                return false;
            }
            if (const auto number = read_number(one.text)) {
                one.number = *number;
                one.is_number = true;
            } else if (is_decimal_digit(one.text[0]) && one.op != TraceFilter::Operator::glob) {
                // Nobody means the name "0x1g"; quotes make it one.
                at_ = begin;
                give_up("no number, or larger than 64 bits,");
                return false;
            }
            one.is_text = !one.is_number;
        }
        if (one.text.size() > most_text) {
            give_up(fmt::format("a text longer than {} bytes ends", most_text), ErrorCode::limit);
            return false;
        }
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    TraceFilter filter_;
    std::optional<Error> problem_;
    unsigned depth_ = 0;
};

Result<TraceFilter> TraceFilter::parse(std::string_view text) {
    return TraceFilterParser(text).parse();
}

}  // namespace perfdata
