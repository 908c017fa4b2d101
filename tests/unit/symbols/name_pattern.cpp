// SPDX-License-Identifier: MIT
#include "perfdata/symbols/name_pattern.hpp"

#include <chrono>
#include <iterator>
#include <regex.h>
#include <string>

#include "catch.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

bool matches(const std::string& pattern, std::string_view name) {
    INFO(pattern);
    const auto parsed = NamePattern::parse(pattern);
    REQUIRE(parsed);
    return parsed->matches(name);
}

std::string refused(const std::string& pattern, ErrorCode code) {
    const auto parsed = NamePattern::parse(pattern);
    INFO(pattern);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == code);
    return parsed.error().message();
}

std::string repeated(std::string_view text, std::size_t count) {
    std::string all;
    for (std::size_t at = 0; at < count; ++at) all += text;
    return all;
}

}  // namespace

TEST_CASE("A pattern matches anywhere in a name, as an extended regular expression", "[symbols][pattern]") {
    CHECK(matches("sys_", "do_sys_open"));
    CHECK_FALSE(matches("^sys_", "do_sys_open"));
    CHECK(matches("^sys_|^do_page_fault", "do_page_fault"));
    CHECK(matches("^sys_|^do_page_fault", "sys_open"));
    CHECK_FALSE(matches("^sys_|^do_page_fault", "a_do_page_fault"));
    CHECK(matches("open$", "do_sys_open"));
    CHECK_FALSE(matches("sys$", "do_sys_open"));
    CHECK(matches("^(foo|bar)+[[:digit:]]{2,3}$", "foobar123"));
    CHECK_FALSE(matches("^(foo|bar)+[[:digit:]]{2,3}$", "foobar1"));
    CHECK(matches("a.c", "xabcx"));
    CHECK(matches("std::vector<.*>::push_back\\(", "std::vector<int, std::allocator<int> >::push_back(int&&)"));
    CHECK(matches("operator\\+", "operator+"));
    CHECK(matches("x", "a\nx"));
    // libc takes a parenthesis that closes nothing for itself.
    CHECK(matches("a)|b", "b"));
    CHECK(matches("a)|b", "a)"));
    CHECK_FALSE(matches("a)|b", "ac"));
    CHECK(matches("(a))$", "a)"));
    CHECK(matches("", "anything"));
    CHECK_FALSE(matches("a", ""));
    // Copies match, too.
    const auto one = NamePattern::parse("b$").value();
    const auto other = one;
    CHECK(one.matches("ab"));
    CHECK(other.matches("ab"));
    CHECK(other.text() == "b$");
}

TEST_CASE("A pattern that is none, or that takes too much, is refused with the reason", "[symbols][pattern]") {
    CHECK(refused("(", ErrorCode::malformed) == "no regular expression: Unmatched ( or \\(");
    CHECK(refused("a)(b", ErrorCode::malformed).starts_with("no regular expression: "));
    CHECK(refused("[a", ErrorCode::malformed).starts_with("no regular expression: "));
    CHECK(refused("a{3,1}", ErrorCode::malformed).starts_with("no regular expression: "));
    CHECK(refused("(a)\\1", ErrorCode::unsupported).starts_with("back-references are not taken"));
    CHECK(refused(std::string(NamePattern::most_pattern + 1, 'a'), ErrorCode::unsupported) ==
          "the regular expression is too long");
    // What libc writes out: 2^30 and 255^4 characters.
    const std::string repeats = "the regular expression repeats too much";
    CHECK(refused(repeated("(", 30) + "a" + repeated("+)", 30), ErrorCode::unsupported) == repeats);
    CHECK(refused("(((a{255}){255}){255}){255}", ErrorCode::unsupported) == repeats);
    CHECK(refused("a{1,99999999999999999999}", ErrorCode::unsupported) == repeats);
    CHECK(refused(repeated("a{100}", 11), ErrorCode::unsupported) == repeats);
    CHECK(refused("(ab{,90}){20,}", ErrorCode::unsupported) == repeats);
    // What only looks so.
    CHECK(NamePattern::parse(std::string(NamePattern::most_pattern, 'a')));
    CHECK(NamePattern::parse("[(+{9}]{9}"));
    CHECK(NamePattern::parse("[]{255}]{255}"));
    CHECK(NamePattern::parse("[[:alpha:]{255}]{255}"));
    CHECK(NamePattern::parse("[\\1]"));
    CHECK(NamePattern::parse("\\(a\\){255}"));
    CHECK(NamePattern::parse("a{200}b{200}c{200}"));
    CHECK(NamePattern::parse(repeated("(", 8) + "a" + repeated("+)", 8)));
}

TEST_CASE("Of a long name the beginning is matched, and its cut is not its end", "[symbols][pattern]") {
    const auto filler = std::string(NamePattern::most_name - 1, 'a');
    CHECK(matches("b", filler + "b"));
    CHECK(matches("b$", filler + "b"));
    CHECK_FALSE(matches("b", filler + "ab"));
    CHECK_FALSE(matches("a$", filler + "ab"));
    CHECK(matches("^a", filler + "ab"));
}

TEST_CASE("Matching takes time in proportion to the name, and memory that does not grow", "[symbols][pattern]") {
    // Backtracking would never end, and starting at each byte takes 16 million steps a name: minutes for all.
    const auto begin = std::chrono::steady_clock::now();
    const auto pattern = NamePattern::parse("(a|aa)*c|a.*d").value();
    // Each of these names leads to states that no other does.
    const auto states = NamePattern::parse("(a|b)*a(a|b){14}c").value();
    const std::string name(NamePattern::most_name, 'a');
    std::uint32_t bits = 1;
    for (int round = 0; round < 2000; ++round) {
        CHECK_FALSE(pattern.matches(name));
        std::string word;
        for (int at = 0; at < 200; ++at) {
            bits = bits * 1103515245 + 12345;
            word += (bits >> 16 & 1) != 0 ? 'a' : 'b';
        }
        CHECK_FALSE(states.matches(word));
    }
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}

TEST_CASE("Long patterns match the same, wherever their parts lie in the words of bits", "[symbols][pattern]") {
    for (std::size_t count = 60; count < 200; ++count) {
        const auto before = repeated("a", count);
        const auto pattern = NamePattern::parse("^" + before + "(b|cc)?(d|e*f){2}$").value();
        INFO(count);
        for (const std::string behind : {"dd", "bdd", "ccdd", "bfeef", "ccdeeeef", "dff"}) {
            CHECK(pattern.matches(before + behind) == (behind != "dff"));
            CHECK_FALSE(pattern.matches("a" + before + behind));
            CHECK_FALSE(pattern.matches(before.substr(1) + behind));
            CHECK_FALSE(pattern.matches(before + behind + "d"));
        }
        CHECK_FALSE(pattern.matches(before + "cdd"));
        CHECK_FALSE(pattern.matches(before + "bd"));
        CHECK(matches(before + "b", "aaa" + before + "bbb"));
        CHECK_FALSE(matches(before + "b", before.substr(1) + "b"));
    }
}

TEST_CASE("A pattern of a thousand letters takes little longer than one of a few", "[symbols][pattern]") {
    const auto pattern = NamePattern::parse(repeated("a", NamePattern::most_pattern - 1)).value();
    // All its letters stay possible in all of the name.
    const auto name = repeated(repeated("a", NamePattern::most_pattern - 2) + "b", 4);
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < 500; ++round) CHECK_FALSE(pattern.matches(name));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

// What glibc's regexec(3) says, which finds the answer in another way.
TEST_CASE("Random patterns match what libc says", "[symbols][pattern]") {
    constexpr std::string_view parts[] = {"a",
                                          "b",
                                          "c",
                                          "_",
                                          " ",
                                          ".",
                                          "^",
                                          "$",
                                          "\\<",
                                          "\\>",
                                          "\\b",
                                          "\\B",
                                          "\\w",
                                          "\\W",
                                          "\\s",
                                          "\\S",
                                          "\\`",
                                          "\\'",
                                          "[ab]",
                                          "[^a]",
                                          "[a-c]",
                                          "[]a]",
                                          "[^]a-]",
                                          "[--a]",
                                          "[a-]",
                                          "(",
                                          ")",
                                          "|",
                                          "*",
                                          "+",
                                          "?",
                                          "{2}",
                                          "{0,2}",
                                          "{1,}",
                                          "{,2}",
                                          "{0}",
                                          "()",
                                          "[[:alpha:]_]",
                                          "\\.",
                                          "-",
                                          "]",
                                          "[[.a.]b]",
                                          "[[=b=]]",
                                          "(a|b)",
                                          "[[:punct:][:digit:]]"};
    constexpr std::string_view letters = "aabbc_ .^$-]1\xc3+";
    Random random(11);
    std::size_t valid = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string pattern;
        for (auto length = 1 + random.size(9); length != 0; --length) pattern += parts[random.size(std::size(parts))];
        ::regex_t libc;
        if (::regcomp(&libc, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) continue;
        ++valid;
        const auto ours = NamePattern::parse(pattern);
        for (int name = 0; ours && name < 4; ++name) {
            std::string text;
            for (auto length = random.size(9); length != 0; --length) text += letters[random.size(letters.size())];
            INFO(pattern << " on " << text);
            CHECK(ours->matches(text) == (::regexec(&libc, text.c_str(), 0, nullptr, 0) == 0));
        }
        ::regfree(&libc);
        CHECK(ours);
    }
    CHECK(valid > 5000);
}
