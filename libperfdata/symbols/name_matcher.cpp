// SPDX-License-Identifier: MIT
#include "name_matcher.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace perfdata {
namespace {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
constexpr bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
constexpr bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}
constexpr bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
constexpr bool is_graphic(char c) {
    return c > ' ' && c < 0x7f;
}
constexpr bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}
constexpr std::size_t index(char c) {
    return static_cast<unsigned char>(c);
}

template <class Is>
std::bitset<256> set_of(Is is) {
    std::bitset<256> set;
    for (std::size_t byte = 0; byte < set.size(); ++byte) set[byte] = is(static_cast<char>(byte));
    return set;
}

// Returns the bytes of a class such as "alpha".
std::bitset<256> class_of(std::string_view name) {
    if (name == "alpha") return set_of(is_letter);
    if (name == "digit") return set_of(is_digit);
    if (name == "alnum") return set_of([](char c) { return is_letter(c) || is_digit(c); });
    if (name == "upper") return set_of(is_upper);
    if (name == "lower") return set_of(is_lower);
    if (name == "space") return set_of(is_space);
    if (name == "blank") return set_of([](char c) { return c == ' ' || c == '\t'; });
    if (name == "cntrl") return set_of([](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
    if (name == "graph") return set_of(is_graphic);
    if (name == "print") return set_of([](char c) { return is_graphic(c) || c == ' '; });
    if (name == "punct") return set_of([](char c) { return is_graphic(c) && !is_letter(c) && !is_digit(c); });
    if (name == "xdigit") {
        return set_of([](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
    }
    return {};
}

}  // namespace

// Parser follows parse_reg_exp() in glibc's posix/regcomp.c, with RE_SYNTAX_POSIX_EXTENDED.
class NameMatcher::Parser {
  public:
    Parser(std::string_view text, std::vector<Set>& sets) : rest_(text), sets_(sets) {}

    Steps all() {
        auto steps = alternatives();
        steps.push_back({Kind::match});
        return steps;
    }

  private:
    char take() {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    static std::int32_t size_of(const Steps& steps) { return static_cast<std::int32_t>(steps.size()); }
    static void append(Steps& to, const Steps& steps) { to.insert(to.end(), steps.begin(), steps.end()); }

    Steps alternatives() {
        std::vector<Steps> all{sequence()};
        while (rest_.starts_with('|')) {
            take();
            all.push_back(sequence());
        }
        // "a|b" takes what "[ab]" takes, and fewer steps.
        const auto is_set = [](const Steps& one) { return one.size() == 1 && one.front().kind == Kind::set; };
        if (std::ranges::all_of(all, is_set)) {
            Set set;
            for (const auto& one : all) set |= sets_[one.front().set];
            return one_of(set);
        }
        Steps steps;
        std::size_t size = all.back().size();
        for (auto one = all.begin(); one + 1 < all.end(); ++one) size += one->size() + 2;
        for (auto one = all.begin(); one < all.end(); ++one) {
            if (one + 1 < all.end()) steps.push_back({Kind::split, 1, size_of(*one) + 2});
            append(steps, *one);
            if (one + 1 < all.end()) {
                steps.push_back({Kind::jump, static_cast<std::int32_t>(size) - size_of(steps)});
            }
        }
        return steps;
    }

    Steps sequence() {
        Steps steps;
        // A ")" that ends no group stands for itself.
        while (!rest_.empty() && rest_.front() != '|' && (rest_.front() != ')' || depth_ == 0)) {
            bool repeats = true;
            auto one = item(repeats);
            while (repeats && !rest_.empty() && std::string_view("*+?{").contains(rest_.front())) one = repeated(one);
            append(steps, one);
        }
        return steps;
    }

    Steps item(bool& repeats) {
        const char c = take();
        const auto assertion = [&](Kind kind) {
            repeats = false;
            return Steps{{kind}};
        };
        switch (c) {
            case '(': {
                ++depth_;
                auto steps = alternatives();
                --depth_;
                if (!rest_.empty()) take();
                return steps;
            }
            case '^': return assertion(Kind::begin);
            case '$': return assertion(Kind::end);
            case '.': return one_of(set_of([](char byte) { return byte != '\0'; }));
            case '[': return one_of(bracket());
            case '\\': break;
            default: return literal(c);
        }
        if (rest_.empty()) return literal(c);
        const char escaped = take();
        switch (escaped) {
            case '`': return assertion(Kind::begin);
            case '\'': return assertion(Kind::last);
            case '<': return assertion(Kind::word_begin);
            case '>': return assertion(Kind::word_end);
            case 'b': return assertion(Kind::word_edge);
            case 'B': return assertion(Kind::no_word_edge);
            case 'w': return one_of(set_of(is_word));
            case 'W': return one_of(~set_of(is_word));
            case 's': return one_of(set_of(is_space));
            case 'S': return one_of(~set_of(is_space));
            default: return literal(escaped);
        }
    }

    Steps one_of(const Set& set) {
        const auto found = std::ranges::find(sets_, set);
        Step step{Kind::set, 1, 0, static_cast<std::uint32_t>(found - sets_.begin())};
        if (found == sets_.end()) sets_.push_back(set);
        return {step};
    }
    Steps literal(char c) {
        return one_of(set_of([&](char byte) { return byte == c; }));
    }

    Steps repeated(const Steps& one) {
        constexpr std::size_t any = SIZE_MAX;
        std::size_t least = 0, most = any;
        const char c = take();
        if (c == '+') least = 1;
        if (c == '?') most = 1;
        if (c == '{') {
            least = number().value_or(0);
            most = least;
            if (rest_.starts_with(',')) {
                take();
                most = number().value_or(any);
            }
            if (!rest_.empty()) take();  // the brace
        }
        Steps steps;
        for (std::size_t at = 0; at < least; ++at) append(steps, one);
        if (most == any) {
            steps.push_back({Kind::split, 1, size_of(one) + 2});
            append(steps, one);
            steps.push_back({Kind::jump, -size_of(one) - 1});
            return steps;
        }
        for (std::size_t at = least; at < most; ++at) {
            steps.push_back({Kind::split, 1, size_of(one) + 1});
            append(steps, one);
        }
        return steps;
    }

    std::optional<std::size_t> number() {
        std::size_t value = 0;
        const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return problem == std::errc{} ? std::optional(value) : std::nullopt;
    }

    // Reads a set behind its "[".
    Set bracket() {
        Set set;
        const bool others = rest_.starts_with('^');
        if (others) take();
        for (bool first = true; !rest_.empty() && (first || rest_.front() != ']'); first = false) {
            if (rest_.starts_with("[:")) {
                set |= class_of(enclosed(':'));
                continue;
            }
            const char from = member();
            if (rest_.size() < 2 || rest_[0] != '-' || rest_[1] == ']') {
                set[index(from)] = true;
                continue;
            }
            take();
            const char to = rest_.empty() ? from : member();
            for (auto byte = index(from); byte <= index(to); ++byte) set[byte] = true;
        }
        if (!rest_.empty()) take();
        return others ? ~set : set;
    }
    char member() {
        for (const char kind : {'.', '='}) {
            if (rest_.size() < 2 || rest_[0] != '[' || rest_[1] != kind) continue;
            const auto name = enclosed(kind);
            return name.empty() ? '\0' : name.front();
        }
        return take();
    }
    // Takes "[:alpha:]" and returns what is inside.
    std::string_view enclosed(char kind) {
        const auto end = std::min(rest_.find(std::string{kind, ']'}, 2), rest_.size());
        const auto name = rest_.substr(2, end - std::min<std::size_t>(end, 2));
        rest_.remove_prefix(std::min(end + 2, rest_.size()));
        return name;
    }

    std::string_view rest_;
    std::vector<Set>& sets_;
    std::size_t depth_ = 0;
};

NameMatcher::NameMatcher(std::string_view pattern) : steps_(Parser(pattern, sets_).all()) {
    now_.places.resize(steps_.size());
    next_.places.resize(steps_.size());
    // An assertion may hold anywhere: then a match may begin at each byte.
    empty_ = add(0, {}, now_);
    for (const auto step : now_.steps) {
        if (steps_[step].kind == Kind::set) first_ |= sets_[steps_[step].set];
        empty_ = empty_ || steps_[step].kind > Kind::jump;
    }
    make_bits();
}

void NameMatcher::make_bits() {
    std::vector<std::uint32_t> numbers(steps_.size()), sets;
    for (std::uint32_t step = 0; step < steps_.size(); ++step) {
        const auto kind = steps_[step].kind;
        if (kind >= Kind::word_begin && kind <= Kind::no_word_edge) return;
        numbers[step] = static_cast<std::uint32_t>(sets.size());
        if (kind == Kind::set) sets.push_back(step);
    }
    bits_.emplace(sets.size());
    // By NameBits::Place. What follows the last byte does not matter, except that the pattern ends.
    constexpr std::array<Around, NameBits::places> places = {{{false, false, true, false, false},
                                                              {true, false, true, false, false},
                                                              {false, true, false, false, false},
                                                              {false, true, true, false, false},
                                                              {true, true, false, false, false},
                                                              {true, true, true, false, false}}};
    const auto follow = [&](std::uint32_t step, std::size_t place, auto take) {
        next_.steps.clear();
        // Where the pattern ends nothing needs to follow.
        if (add(step, places[place], next_)) return true;
        for (const auto next : next_.steps) {
            if (steps_[next].kind == Kind::set) take(numbers[next]);
        }
        return false;
    };
    for (std::size_t place = 0; place < places.size(); ++place) {
        const auto name = static_cast<NameBits::Place>(place);
        if (follow(0, place, [&](std::size_t bit) { bits_->starts(bit, name); })) bits_->empty_match(name);
        for (std::size_t bit = 0; bit < sets.size(); ++bit) {
            const auto take = [&](std::size_t next) {
                if (name == NameBits::inside) bits_->follows(bit, next);
            };
            if (follow(sets[bit] + 1, place, take)) bits_->ends(bit, name);
        }
    }
    for (std::size_t bit = 0; bit < sets.size(); ++bit) bits_->takes(bit, sets_[steps_[sets[bit]].set]);
}

bool NameMatcher::Next::add(std::uint32_t step) {
    const auto place = places[step];
    if (place < steps.size() && steps[place] == step) return false;
    places[step] = static_cast<std::uint32_t>(steps.size());
    steps.push_back(step);
    return true;
}

bool NameMatcher::holds(Kind kind, const Around& around) {
    switch (kind) {
        case Kind::begin: return around.first;
        case Kind::end: return around.last && around.whole;
        case Kind::last: return around.last;
        case Kind::word_begin: return !around.word_before && around.word_behind;
        case Kind::word_end: return around.word_before && !around.word_behind;
        case Kind::word_edge: return around.word_before != around.word_behind;
        case Kind::no_word_edge: return around.word_before == around.word_behind;
        default: return true;
    }
}

bool NameMatcher::add(std::uint32_t first, const Around& around, Next& next) {
    open_.assign(1, first);
    while (!open_.empty()) {
        const auto step = open_.back();
        open_.pop_back();
        if (!next.add(step)) continue;
        const auto& one = steps_[step];
        const auto at = [&](std::int32_t distance) {
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(step) + distance);
        };
        switch (one.kind) {
            case Kind::match: return true;
            case Kind::set: break;
            case Kind::split: open_.push_back(at(one.or_to)); [[fallthrough]];
            case Kind::jump: open_.push_back(at(one.to)); break;
            default:
                if (holds(one.kind, around)) open_.push_back(at(1));
        }
    }
    return false;
}

bool NameMatcher::matches(std::string_view name, bool whole) {
    if (bits_) return bits_->matches(name, whole);
    now_.steps.clear();
    bool word_before = false;
    for (std::size_t at = 0; at <= name.size(); ++at) {
        const bool last = at == name.size();
        if (now_.steps.empty() && !empty_ && (last || !first_[index(name[at])])) {
            word_before = !last && is_word(name[at]);
            continue;
        }
        const Around around{at == 0, last, whole, word_before, !last && is_word(name[at])};
        // Steps that bytes led to come first; then all that follows from them, and a match may begin here.
        next_.steps.clear();
        for (const auto step : now_.steps) {
            if (add(step, around, next_)) return true;
        }
        if (add(0, around, next_)) return true;
        now_.steps.clear();
        if (last) break;
        for (const auto step : next_.steps) {
            const auto& one = steps_[step];
            if (one.kind == Kind::set && sets_[one.set][index(name[at])]) now_.add(step + 1);
        }
        word_before = around.word_behind;
    }
    return false;
}

}  // namespace perfdata
