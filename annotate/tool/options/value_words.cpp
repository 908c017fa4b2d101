// SPDX-License-Identifier: MIT
#include "value_words.hpp"

#include "option_values.hpp"

namespace perfdata::tool {

// CLI11 writes "TYPE:{a,b}", and words_check() names its words so.
ValueWords value_words(const CLI::Option& option) {
    ValueWords value;
    if (option.get_items_expected_max() == 0) return value;  // a flag
    const auto text = option.get_type_name();
    const auto check = text.find(':');
    value.type = text.substr(0, check);
    if (value.type.empty()) value.type = "WORDS";
    if (check != std::string::npos && text.find('{', check) == check + 1) {
        const auto begin = check + 2;
        value.words = parts(text.substr(begin, text.find('}', begin) - begin));
    }
    return value;
}

}  // namespace perfdata::tool
