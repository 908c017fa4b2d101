// SPDX-License-Identifier: MIT
#include "perfdata/symbols/name_pattern.hpp"

#include <algorithm>
#include <charconv>
#include <regex.h>
#include <utility>
#include <vector>

#include "name_matcher.hpp"

namespace perfdata {
namespace {

std::unexpected<Error> refused(ErrorCode code, std::string why) {
    return fail(code, Error::no_offset, {}, std::move(why));
}

// PatternSize counts the characters of a pattern whose repetitions are written out, for so it is compiled: a{9} is nine
// of them, a+ is aa*, and nested repetitions multiply.
class PatternSize {
  public:
    explicit PatternSize(std::string_view text) : rest_(text) {}

    // Returns the size, or more than `most`.
    std::size_t count(std::size_t most) {
        most_ = most;
        std::vector<Group> groups(1);
        while (!rest_.empty()) {
            auto& group = groups.back();
            const char c = take();
            if (c == '(') {
                groups.emplace_back();
            } else if (c == ')' && groups.size() > 1) {
                const auto inner = group.all + group.last + 1;
                groups.pop_back();
                groups.back().add(inner);
            } else if (c == '+') {
                group.last = bounded(group.last * 2);
            } else if (c == '{' && !rest_.empty() && (is_digit(rest_.front()) || rest_.front() == ',')) {
                group.last = bounded(group.last * repetitions());
            } else if (c != '*' && c != '?') {
                if (c == '[') skip_bracket();
                if (c == '\\' && !rest_.empty()) {
                    const char escaped = take();
                    refers_back_ = refers_back_ || is_digit(escaped);
                }
                group.add(1);
            }
            if (bounded(group_sum(groups)) > most) return most + 1;
        }
        return group_sum(groups);
    }
    bool refers_back() const { return refers_back_; }

  private:
    struct Group {
        std::size_t all = 0, last = 0;  // characters before the last item, and of it

        void add(std::size_t item) {
            all += last;
            last = item;
        }
    };

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static std::size_t group_sum(const std::vector<Group>& groups) {
        std::size_t sum = 0;
        for (const auto& group : groups) sum += group.all + group.last;
        return sum;
    }
    std::size_t bounded(std::size_t size) const { return std::min(size, most_ + 1); }
    char take() {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    // Reads "3}", "3,}", "3,5}" or ",5}".
    std::size_t repetitions() {
        std::size_t most = 1;
        bool open = false;
        while (!rest_.empty() && rest_.front() != '}') {
            if (!is_digit(rest_.front())) {
                open = take() == ',';
                continue;
            }
            std::size_t number = 0;
            const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            most = std::max(most, problem == std::errc{} ? bounded(number) : most_ + 1);
            open = false;
        }
        if (!rest_.empty()) take();
        return most + (open ? 1 : 0);
    }
    // Skips a set behind its "[": "]" at its beginning belongs to it, and so does what is between [: and :].
    void skip_bracket() {
        if (rest_.starts_with('^')) take();
        if (rest_.starts_with(']')) take();
        while (!rest_.empty() && rest_.front() != ']') {
            if (take() != '[' || rest_.empty()) continue;
            const char kind = rest_.front();
            if (kind != ':' && kind != '.' && kind != '=') continue;
            const auto end = rest_.find(std::string{kind, ']'}, 1);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
        }
        if (!rest_.empty()) take();
    }

    std::string_view rest_;
    std::size_t most_ = 0;
    bool refers_back_ = false;
};

// Regex is libc's compiled pattern, which says whether the text is one.
class Regex {
  public:
    explicit Regex(const std::string& text) : status_(::regcomp(&regex_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
    Regex(const Regex&) = delete;
    Regex& operator=(const Regex&) = delete;
    ~Regex() {
        if (status_ == 0) ::regfree(&regex_);
    }

    int status() const { return status_; }
    std::string problem() const {
        std::string text(::regerror(status_, &regex_, nullptr, 0), '\0');
        ::regerror(status_, &regex_, text.data(), text.size());
        text.resize(text.empty() ? 0 : text.size() - 1);
        return text;
    }

  private:
    ::regex_t regex_{};
    int status_;
};

}  // namespace

struct NamePattern::Compiled {
    explicit Compiled(const std::string& text) : matcher(text) {}

    NameMatcher matcher;
};

Result<NamePattern> NamePattern::parse(const std::string& text) {
    if (text.size() > most_pattern) return refused(ErrorCode::unsupported, "the regular expression is too long");
    PatternSize size(text);
    const auto characters = size.count(most_pattern);
    const bool large = characters > most_pattern;
    if (size.refers_back()) {
        return refused(ErrorCode::unsupported, "back-references are not taken: they take time without bound");
    }
    if (large) return refused(ErrorCode::unsupported, "the regular expression repeats too much");
    const Regex alone(text);
    if (alone.status() == REG_ESPACE) return refused(ErrorCode::out_of_memory, alone.problem());
    if (alone.status() != 0) return refused(ErrorCode::malformed, "no regular expression: " + alone.problem());
    NamePattern pattern(text);
    pattern.compiled_ = std::make_shared<Compiled>(text);
    return pattern;
}

bool NamePattern::matches(std::string_view name) const {
    const auto seen = name.substr(0, most_name);
    return compiled_->matcher.matches(seen.substr(0, seen.find('\0')), name.size() <= most_name);
}

}  // namespace perfdata
