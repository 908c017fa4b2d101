// SPDX-License-Identifier: MIT
// Conditions on the rows of a comparison, as in 'delta > 5% symbol = hot_*'.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"

namespace perfdata {

// DiffField is what a condition looks at.
enum class DiffField : std::uint8_t {
    delta,      // percentage points
    delta_abs,  // the same without its sign
    ratio,      // new / old; infinite where the old side has nothing
    wdiff,      // the weighted difference
    old_share,  // percent
    new_share,  // percent
    samples,    // of both sides together
    p,          // corrected for all functions; 1 where nothing could be tested
    symbol,     // name of the function
    object,     // file, module, [bpf]
    kind,       // word of CodeClass
    event,      // name of the event
    change,     // word of DiffChange
    code,       // word of DiffCode
    noise,      // "yes" or "no": is the change within noise
};

// DiffFieldWords is what users call a field.
struct DiffFieldWords {
    DiffField field;        // the field that this is about
    std::string_view word;  // its name
    std::string_view also;  // a second name; may be empty
    bool is_number;         // false: a text
    bool is_percent;        // the number may have % behind it
    std::string_view help;  // what it is
};

// Returns an entry for each field, in the order of DiffField.
PERFDATA_EXPORT std::vector<DiffFieldWords> diff_fields();

// DiffFacts is the values of one row.
struct DiffFacts {
    double delta = 0, ratio = 0, wdiff = 0, old_share = 0, new_share = 0, samples = 0, p = 1;  // as in DiffField
    std::string_view symbol, object, kind, event, change, code, noise;                         // as in DiffField
};

// DiffCondition is comparisons that must all hold.
class PERFDATA_EXPORT DiffCondition {
  public:
    // parse(text) reads "FIELD OPERATOR VALUE", any number of them, with or without the word "and" in between.
    // Operators: > >= < <= = != (== is =). Texts are compared by = and != only; in their values * stands for any text
    // and ? for any character. Quotes, ' or ", keep spaces in a value. Errors: malformed, with what would be right.
    static Result<DiffCondition> parse(const std::string& text);

    // Returns true if all of it holds.
    bool holds(const DiffFacts& facts) const;
    // Returns the text that it was made of.
    const std::string& text() const { return text_; }

  private:
    enum class Operator : std::uint8_t { more, at_least, less, at_most, equal, unequal };
    struct Term {
        DiffField field;
        Operator op;
        double number;
        std::string pattern;
    };
    class Parser;

    std::string text_;
    std::vector<Term> terms_;
};

}  // namespace perfdata
