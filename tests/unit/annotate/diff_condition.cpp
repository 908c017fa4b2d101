// SPDX-License-Identifier: MIT
#include "perfdata/annotate/diff/diff_condition.hpp"

#include <limits>
#include <set>

#include "catch.hpp"

using namespace perfdata;

namespace {

DiffFacts some_facts() {
    DiffFacts facts;
    facts.delta = 6;
    facts.ratio = 1.5;
    facts.wdiff = -3;
    facts.old_share = 12;
    facts.new_share = 18;
    facts.samples = 300;
    facts.p = 0.01;
    facts.symbol = "hot_loop";
    facts.object = "libfoo.so";
    facts.kind = "user";
    facts.event = "cycles:u";
    facts.change = "both";
    facts.code = "rebuilt";
    facts.noise = "no";
    return facts;
}

bool holds(const std::string& condition, const DiffFacts& facts = some_facts()) {
    const auto parsed = DiffCondition::parse(condition);
    INFO(condition << ": " << (parsed ? "" : parsed.error().detail));
    REQUIRE(parsed);
    CHECK(parsed->text() == condition);
    return parsed->holds(facts);
}

std::string problem(const std::string& condition) {
    const auto parsed = DiffCondition::parse(condition);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == ErrorCode::malformed);
    return parsed.error().detail;
}

}  // namespace

TEST_CASE("A condition holds if all of it does", "[annotate][diff]") {
    CHECK(holds("delta > 5% symbol = hot_*"));
    CHECK(holds("delta > 5 and symbol = hot_*"));
}

TEST_CASE("Numbers are compared in every way", "[annotate][diff]") {
    CHECK(holds("delta >= 6"));
    CHECK_FALSE(holds("delta > 6"));
    CHECK(holds("delta <= 6%"));
    CHECK_FALSE(holds("delta < 6"));
    CHECK(holds("delta = 6"));
    CHECK(holds("delta == 6.0"));
    CHECK(holds("delta != 5"));
    CHECK(holds("wdiff < -2.5"));
    CHECK(holds("ratio>1.4"));
    CHECK(holds("old = 12 baseline = 12% new = 18 samples >= 300 p < 0.05"));
    auto facts = some_facts();
    facts.delta = -6;
    CHECK(holds("delta-abs > 5", facts));
    CHECK_FALSE(holds("delta > 5", facts));
    facts.ratio = std::numeric_limits<double>::infinity();
    CHECK(holds("ratio > 1e300", facts));
}

TEST_CASE("Texts are compared by patterns", "[annotate][diff]") {
    CHECK(holds("symbol = hot_loop"));
    CHECK(holds("symbol = *"));
    CHECK(holds("symbol = h*t_*p"));
    CHECK(holds("sym = hot?loop"));
    CHECK_FALSE(holds("symbol = hot"));
    CHECK(holds("symbol != cold*"));
    CHECK(holds("dso = lib*.so kind = user event = cycles* change = both code = rebuilt noise = no"));
    CHECK_FALSE(holds("object = lib*.a"));
    auto facts = some_facts();
    facts.symbol = "operator new (unsigned long)";
    CHECK(holds("symbol = 'operator new *'", facts));
    CHECK(holds("symbol = \"operator new *\" delta > 5", facts));
    facts.symbol = {};
    CHECK(holds("symbol = ''", facts));
    // Stars could take long.
    const std::string many(10'000, 'a');
    facts.symbol = many;
    CHECK_FALSE(holds("symbol = *a*a*a*a*a*a*a*a*a*a*b", facts));
}

TEST_CASE("What is wrong with a condition is said", "[annotate][diff]") {
    const auto says = [](const std::string& condition, std::string_view words) {
        INFO(condition << ": " << problem(condition));
        CHECK(problem(condition).find(words) != std::string::npos);
    };
    says("", "the condition is empty");
    says("  ", "the condition is empty");
    says("speed > 5", "there is no field speed; fields are delta, delta-abs");
    says("> 5", "a field is missing before > 5");
    says("delta", "an operator is missing behind delta; there are > >= < <= = !=");
    says("delta 5", "an operator is missing");
    says("delta >", "and not with nothing");
    says("delta > five", "compared with a number such as 5%, and not with five");
    says("delta > 5%%", "and not with 5%");
    says("delta > nan", "and not with nan");
    says("delta > 0x10", "and not with 0x10");
    says("delta > 1e999", "and not with 1e999");
    says("ratio > 5%", "ratio is no percentage");
    says("symbol > a", "symbol is a text: it is compared by = or !=");
    says("symbol = 'a", "the quote ' has no end");
    says("delta > 5 and", "nothing stands behind `and`");
    says("and delta > 5", "there is no field and");
    std::string long_one;
    for (int at = 0; at < 101; ++at) long_one += "delta > 5 ";
    says(long_one, "more than 100 comparisons");
}

TEST_CASE("Every field has a name of its own", "[annotate][diff]") {
    std::set<std::string_view> words;
    std::size_t at = 0;
    for (const auto& field : diff_fields()) {
        CHECK(static_cast<std::size_t>(field.field) == at++);
        CHECK(words.insert(field.word).second);
        CHECK((field.also.empty() || words.insert(field.also).second));
        CHECK_FALSE(field.help.empty());
        CHECK(field.is_number == (field.field < DiffField::symbol));
    }
}
