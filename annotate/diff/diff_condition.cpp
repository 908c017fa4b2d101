// SPDX-License-Identifier: MIT
#include "perfdata/annotate/diff/diff_condition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "format/words.hpp"

namespace perfdata {
namespace {

// fits_pattern(pattern, text): * is any text, ? any byte. Time is at most the product of both lengths.
bool fits_pattern(std::string_view pattern, std::string_view text) {
    std::size_t at = 0, in_text = 0;
    std::optional<std::size_t> star;
    std::size_t behind_star = 0;
    while (in_text < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            behind_star = in_text;
        } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in_text])) {
            ++at;
            ++in_text;
        } else if (star) {
            at = *star + 1;
            in_text = ++behind_star;
        } else {
            return false;
        }
    }
    while (at < pattern.size() && pattern[at] == '*') ++at;
    return at == pattern.size();
}

// No locale is set: the decimal point is a point. libc++ 19 has no from_chars() for this.
std::optional<double> plain_number(const std::string& text) {
    if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos) return {};
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() || !std::isfinite(number)) return {};
    return number;
}

double number_of(const DiffFacts& facts, DiffField field) {
    switch (field) {
        case DiffField::delta: return facts.delta;
        case DiffField::delta_abs: return std::fabs(facts.delta);
        case DiffField::ratio: return facts.ratio;
        case DiffField::wdiff: return facts.wdiff;
        case DiffField::old_share: return facts.old_share;
        case DiffField::new_share: return facts.new_share;
        case DiffField::samples: return facts.samples;
        case DiffField::p: return facts.p;
        default: return 0;
    }
}

std::string_view text_of_field(const DiffFacts& facts, DiffField field) {
    switch (field) {
        case DiffField::symbol: return facts.symbol;
        case DiffField::object: return facts.object;
        case DiffField::kind: return facts.kind;
        case DiffField::event: return facts.event;
        case DiffField::change: return facts.change;
        case DiffField::code: return facts.code;
        case DiffField::noise: return facts.noise;
        default: return {};
    }
}

}  // namespace

std::vector<DiffFieldWords> diff_fields() {
    return {
        {DiffField::delta, "delta", "", true, true, "new share - old share, in percentage points"},
        {DiffField::delta_abs, "delta-abs", "", true, true, "the same without its sign"},
        {DiffField::ratio, "ratio", "", true, false, "new / old; above any number where the old side has nothing"},
        {DiffField::wdiff, "wdiff", "", true, true, "the weighted difference of -c wdiff"},
        {DiffField::old_share, "old", "baseline", true, true, "share of the old side, in percent"},
        {DiffField::new_share, "new", "", true, true, "share of the new side, in percent"},
        {DiffField::samples, "samples", "", true, false, "samples of both sides together"},
        {DiffField::p, "p", "", true, false, "corrected p value, from 0 to 1; 1 where nothing was tested"},
        {DiffField::symbol, "symbol", "sym", false, false, "name of the function; empty for code without a name"},
        {DiffField::object, "object", "dso", false, false, "file, module, [kernel.kallsyms], [bpf], [jit]"},
        {DiffField::kind, "kind", "", false, false, "kernel, module, bpf, out_of_line, user, jit, unknown"},
        {DiffField::event, "event", "", false, false, "name of the event"},
        {DiffField::change, "change", "", false, false, "added, removed or both: which sides have samples"},
        {DiffField::code, "code", "", false, false, "same, changed, rebuilt, unknown"},
        {DiffField::noise, "noise", "", false, false, "no: beyond noise; yes: all others"},
    };
}

// Parser takes a condition apart, word by word.
class DiffCondition::Parser {
  public:
    explicit Parser(std::string_view text) : rest_(text) {}

    Result<std::vector<Term>> parse() {
        std::vector<Term> terms;
        skip_spaces();
        while (!rest_.empty()) {
            if (terms.size() == most_terms) {
                return wrong(fmt::format("more than {} comparisons in one condition", most_terms));
            }
            auto term = read_term();
            if (!term) return fail(std::move(term.error()));
            terms.push_back(std::move(*term));
            skip_spaces();
            const bool is_and = rest_.starts_with("and") && (rest_.size() == 3 || is_space(rest_[3]));
            if (!is_and) continue;
            rest_.remove_prefix(3);
            skip_spaces();
            if (rest_.empty()) return wrong("nothing stands behind `and`");
        }
        if (terms.empty()) return wrong("the condition is empty; an example is 'delta > 5% symbol = hot_*'");
        return terms;
    }

  private:
    static constexpr std::size_t most_terms = 100;

    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }
    void skip_spaces() {
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    }
    static std::unexpected<Error> wrong(std::string detail) {
        return fail(ErrorCode::malformed, Error::no_offset, "condition", std::move(detail));
    }
    std::string_view take(std::size_t size) {
        const auto taken = rest_.substr(0, size);
        rest_.remove_prefix(taken.size());
        return taken;
    }

    Result<Term> read_term() {
        const auto word = take(std::min(rest_.size(), rest_.find_first_of(" \t\n<>=!")));
        const auto fields = diff_fields();
        const auto field = std::ranges::find_if(
            fields, [&](const DiffFieldWords& one) { return one.word == word || (word == one.also && !word.empty()); });
        if (field == fields.end()) {
            std::string known;
            for (const auto& one : fields) known += (known.empty() ? "" : ", ") + std::string(one.word);
            const auto what = word.empty() ? fmt::format("a field is missing before {}", shown(rest_))
                                           : fmt::format("there is no field {}", shown(word));
            return wrong(what + "; fields are " + known);
        }
        skip_spaces();
        Term term{field->field, Operator::equal, 0, {}};
        if (!read_operator(term.op)) {
            return wrong(fmt::format("an operator is missing behind {}; there are {}", word,
                                     field->is_number ? "> >= < <= = !=" : "= !="));
        }
        skip_spaces();
        auto value = read_value();
        if (!value) return fail(std::move(value.error()));
        if (!field->is_number) {
            if (term.op != Operator::equal && term.op != Operator::unequal) {
                return wrong(fmt::format("{} is a text: it is compared by = or !=", word));
            }
            term.pattern = std::move(*value);
            return term;
        }
        const bool percent = value->ends_with('%');
        if (percent && !field->is_percent) return wrong(fmt::format("{} is no percentage: leave out the %", word));
        if (percent) value->pop_back();
        const auto number = plain_number(*value);
        if (!number) {
            return wrong(fmt::format("{} is compared with a number such as {}, and not with {}", word,
                                     field->is_percent ? "5%" : "1.5", value->empty() ? "nothing" : shown(*value)));
        }
        term.number = *number;
        return term;
    }

    bool read_operator(Operator& op) {
        constexpr std::pair<std::string_view, Operator> all[] = {
            {">=", Operator::at_least}, {"<=", Operator::at_most}, {"!=", Operator::unequal}, {"==", Operator::equal},
            {">", Operator::more},      {"<", Operator::less},     {"=", Operator::equal}};
        for (const auto& [word, meaning] : all) {
            if (!rest_.starts_with(word)) continue;
            op = meaning;
            rest_.remove_prefix(word.size());
            return true;
        }
        return false;
    }

    Result<std::string> read_value() {
        if (rest_.empty()) return std::string();
        if (const char quote = rest_.front(); quote == '\'' || quote == '"') {
            const auto end = rest_.find(quote, 1);
            if (end == std::string_view::npos) return wrong(fmt::format("the quote {} has no end", quote));
            const auto value = rest_.substr(1, end - 1);
            rest_.remove_prefix(end + 1);
            return std::string(value);
        }
        return std::string(take(std::min(rest_.size(), rest_.find_first_of(" \t\n"))));
    }

    std::string_view rest_;
};

Result<DiffCondition> DiffCondition::parse(const std::string& text) {
    auto terms = Parser(text).parse();
    if (!terms) return fail(std::move(terms.error()));
    DiffCondition made;
    made.text_ = text;
    made.terms_ = std::move(*terms);
    return made;
}

bool DiffCondition::holds(const DiffFacts& facts) const {
    return std::ranges::all_of(terms_, [&](const Term& term) {
        if (term.field >= DiffField::symbol) {
            const bool fits = fits_pattern(term.pattern, text_of_field(facts, term.field));
            return fits == (term.op == Operator::equal);
        }
        const auto number = number_of(facts, term.field);
        switch (term.op) {
            case Operator::more: return number > term.number;
            case Operator::at_least: return number >= term.number;
            case Operator::less: return number < term.number;
            case Operator::at_most: return number <= term.number;
            case Operator::equal: return number == term.number;
            case Operator::unequal: return number != term.number;
        }
        return false;
    });
}

}  // namespace perfdata
