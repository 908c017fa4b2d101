// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <utility>

#include "demangle_parts.hpp"
#include "libiberty_demangle.hpp"

namespace perfdata {
namespace {

// V0 walks over a name of Rust's v0 scheme (RFC 2603) as libiberty prints it, and follows each back-reference ("B"). It
// counts steps to find out whether printing ends soon. libiberty itself has no limits: it counts the lifetimes of
// "for<...>" to any number, decodes identifiers in quadratic time, and writes out references to references.
class V0 {
  public:
    explicit V0(std::string_view name) : name_(name) {}

    // Returns true for a v0 name that libiberty prints within bounds.
    bool harmless() {
        path();
        if (!bad_ && at_ < name_.size()) {  // the instantiating crate, which is not shown
            hidden_ = true;
            path();
        }
        return !bad_ && at_ == name_.size();
    }

  private:
    static constexpr unsigned deepest = 300;  // levels of nesting; libiberty needs up to 300 bytes of stack for each
    static constexpr std::uint64_t most_steps = 32768;
    static constexpr std::uint64_t most_lifetimes = 64;  // per binder
    static constexpr std::size_t longest_punycode = 512;

    // Deeper counts a level of nesting, and a step.
    class Deeper {
      public:
        explicit Deeper(V0& walk) : walk_(walk) {
            if (++walk_.depth_ > deepest) walk_.bad_ = true;
            walk_.step(1);
        }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        ~Deeper() { --walk_.depth_; }

      private:
        V0& walk_;
    };

    void step(std::uint64_t count) {
        steps_ += count;
        if (steps_ > most_steps) bad_ = true;
    }
    char peek() const { return at_ < name_.size() ? name_[at_] : '\0'; }
    bool eat(char wanted) {
        if (bad_ || at_ >= name_.size() || name_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    char next() {
        if (bad_ || at_ >= name_.size()) {
            bad_ = true;
            return '\0';
        }
        return name_[at_++];
    }
    static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
    static bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }
    static bool is_lower(char letter) { return letter >= 'a' && letter <= 'z'; }

    // Reads a number in base 62, up to "_": "_" is 0, "0_" is 1.
    std::uint64_t number() {
        if (eat('_')) return 0;
        std::uint64_t value = 0;
        while (!bad_ && !eat('_')) {
            const auto letter = next();
            unsigned digit = 0;
            if (is_digit(letter)) {
                digit = static_cast<unsigned>(letter - '0');
            } else if (is_lower(letter)) {
                digit = static_cast<unsigned>(letter - 'a') + 10;
            } else if (is_upper(letter)) {
                digit = static_cast<unsigned>(letter - 'A') + 36;
            } else {
                bad_ = true;
            }
            if (value > (~std::uint64_t{0} - digit) / 62) bad_ = true;
            if (bad_) return 0;
            value = value * 62 + digit;
        }
        if (value == ~std::uint64_t{0}) bad_ = true;
        return value + 1;
    }

    void disambiguator() {
        if (eat('s')) number();
    }

    void identifier() {
        const bool punycode = eat('u');
        const auto first = next();
        if (!is_digit(first)) bad_ = true;
        std::size_t size = bad_ ? 0 : static_cast<std::size_t>(first - '0');
        while (!bad_ && first != '0' && is_digit(peek())) {
            size = size * 10 + static_cast<std::size_t>(next() - '0');
            if (size > name_.size()) bad_ = true;
        }
        eat('_');
        if (bad_ || size > name_.size() - at_) {
            bad_ = true;
            return;
        }
        if (punycode) {
            if (size > longest_punycode || !decodes(name_.substr(at_, size))) bad_ = true;
            step(hidden_ ? 1 : size * size / 256);  // inserting a letter moves others
        }
        at_ += size;
    }

    // Returns true if an identifier "ascii_punycode" (RFC 3492, with "_" for "-") decodes to Unicode characters.
    // libiberty makes bytes of any numbers, and drops what is cut off.
    static bool decodes(std::string_view text) {
        constexpr std::uint64_t base = 36, least = 1, most = 26, skew = 38, most_delta = 1 << 30;
        const auto split = text.rfind('_');
        const auto letters = split == text.npos ? text : text.substr(split + 1);
        std::uint64_t length = split == text.npos ? 0 : split;
        std::uint64_t place = 0, character = 0x80, bias = 72, damp = 700;
        for (auto at = letters.begin(); at != letters.end(); ++place) {
            std::uint64_t delta = 0, weight = 1;
            for (auto k = base;; k += base) {
                if (at == letters.end() || !(is_lower(*at) || is_digit(*at))) return false;
                const auto digit = static_cast<std::uint64_t>(is_digit(*at) ? *at - '0' + 26 : *at - 'a');
                ++at;
                delta += digit * weight;
                const auto threshold = k <= bias ? least : std::min(k - bias, most);
                if (delta > most_delta || weight > most_delta) return false;
                if (digit < threshold) break;
                weight *= base - threshold;
            }
            ++length;
            place += delta;
            character += place / length;
            place %= length;
            if (character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff)) return false;
            delta /= std::exchange(damp, 2);
            delta += delta / length;
            std::uint64_t steps = 0;
            for (; delta > (base - least) * most / 2; steps += base) delta /= base - least;
            bias = steps + (base - least + 1) * delta / (delta + skew);
        }
        return !letters.empty();
    }

    // Follows a reference, which may only lead backwards. References that are not shown are not followed.
    template <class Follow>
    void back(Follow follow) {
        const auto here = at_ - 1;
        const auto place = number();
        if (place >= here) bad_ = true;
        if (bad_ || hidden_) return;
        const auto resume = std::exchange(at_, static_cast<std::size_t>(place));
        follow();
        at_ = resume;
    }

    template <class Each>
    void until_end(Each each) {
        while (!bad_ && !eat('E')) each();
    }

    void path() {
        const Deeper deeper(*this);
        switch (next()) {
            case 'C':
                disambiguator();
                identifier();
                break;
            case 'N': {
                const auto space = next();
                if (!is_upper(space) && !is_lower(space)) bad_ = true;
                if (bad_) return;
                path();
                disambiguator();
                identifier();
                break;
            }
            case 'M':
                path_of_implementation();
                type();
                break;
            case 'X':
                path_of_implementation();
                type();
                if (!bad_) path();
                break;
            case 'Y':
                type();
                if (!bad_) path();
                break;
            case 'I':
                path();
                until_end([&] { argument(); });
                break;
            case 'B': back([&] { path(); }); break;
            default: bad_ = true;
        }
    }

    void path_of_implementation() {
        disambiguator();
        const auto hidden = std::exchange(hidden_, true);
        if (!bad_) path();
        hidden_ = hidden;
    }

    void argument() {
        if (eat('L')) {
            step(1);
            number();
        } else if (eat('K')) {
            constant();
        } else {
            type();
        }
    }

    static bool is_basic(char tag) {
        constexpr std::string_view tags = "bceuaslxnihtmyojfdzpv";
        return tags.find(tag) != tags.npos;
    }

    void type() {
        if (bad_) return;
        const Deeper deeper(*this);
        const auto tag = next();
        if (bad_ || is_basic(tag)) return;
        switch (tag) {
            case 'R':
            case 'Q':
                if (eat('L')) number();
                type();
                break;
            case 'P':
            case 'O':
            case 'S': type(); break;
            case 'A':
                type();
                constant();
                break;
            case 'T': until_end([&] { type(); }); break;
            case 'F': function(); break;
            case 'D':
                binder();
                until_end([&] { trait(); });
                if (!eat('L')) bad_ = true;
                if (!bad_) number();
                break;
            case 'B': back([&] { type(); }); break;
            default: --at_; path();
        }
    }

    void binder() {
        if (!eat('G')) return;
        const auto lifetimes = number();
        if (lifetimes >= most_lifetimes) bad_ = true;
        if (!bad_) step(lifetimes + 1);
    }

    void function() {
        binder();
        eat('U');
        if (eat('K') && !eat('C')) identifier();
        until_end([&] { type(); });
        if (!eat('u')) type();
    }

    // A trait may be followed by its associated types. libiberty first looks for the "I" of its arguments, also behind
    // references, and then reads the same.
    void trait() {
        path();
        while (eat('p')) {
            identifier();
            type();
        }
    }

    void constant() {
        if (bad_) return;
        const Deeper deeper(*this);
        if (eat('B')) return back([&] { constant(); });
        const auto tag = next();
        if (bad_ || tag == 'p') return;
        constexpr std::string_view with_sign = "aslxni", others = "htmyojbc";
        if (with_sign.find(tag) != with_sign.npos) {
            eat('n');
        } else if (others.find(tag) == others.npos) {
            bad_ = true;
        }
        while (!bad_ && !eat('_')) {
            const auto digit = next();
            if (!is_digit(digit) && !(digit >= 'a' && digit <= 'f')) bad_ = true;
        }
    }

    std::string_view name_;
    std::size_t at_ = 0;
    std::uint64_t steps_ = 0;
    unsigned depth_ = 0;
    bool hidden_ = false, bad_ = false;
};

void add_rust_text(const char* text, std::size_t size, void* opaque) {
    static_cast<BoundedText*>(opaque)->add(text, size);  // V0 has bounded the number of calls
}

}  // namespace

std::optional<std::string> demangle_rust(const std::string& symbol, NameStyle style) {
    constexpr std::string_view prefix = "_R";
    auto path = std::string_view(symbol).substr(prefix.size());
    path = path.substr(0, path.find('.'));  // suffix that the compiler adds to copies of a function
    if (path.empty() || path[0] < 'A' || path[0] > 'Z' || !V0(path).harmless()) return {};
    BoundedText text(most_readable(symbol.size()));
    const int options = style == NameStyle::full ? DMGL_VERBOSE : DMGL_NO_OPTS;
    if (rust_demangle_callback(symbol.c_str(), options, add_rust_text, &text) == 0 || !text.whole()) return {};
    return std::string(text.text());
}

}  // namespace perfdata
