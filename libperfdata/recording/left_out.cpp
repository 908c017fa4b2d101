// SPDX-License-Identifier: MIT
#include "perfdata/recording/left_out.hpp"

#include <algorithm>
#include <array>

namespace perfdata {
namespace {

struct LeftOutWords {
    std::string_view many, one;
};

constexpr std::array<LeftOutWords, 18> left_out_words{{
    {"alternate debug files that are not here", "alternate debug file that is not here"},
    {"bytes of debug information", "byte of debug information"},
    {"debug files", "debug file"},
    {"debug files that are not here", "debug file that is not here"},
    {"files in which names cannot be told from the rest", "file in which names cannot be told from the rest"},
    {"files of one name", "file of a name that another one has"},
    {"files of unknown kinds", "file of an unknown kind"},
    {"files whose names cannot be in a bundle", "file whose name cannot be in a bundle"},
    {"further debug files of one build id", "further debug file of one build id"},
    {"jitdumps of no process in the recording", "jitdump of no process in the recording"},
    {"kinds of files or bytes that only another version of perfdata knows",
     "kind of files or bytes that only another version of perfdata knows"},
    {"members that the index does not list", "member that the index does not list"},
    {"source files", "source file"},
    {"source files that cannot be read any more, or together are too large",
     "source file that cannot be read any more, or is too large"},
    {left_out_newer, "source file that is newer than the program built of it: --source-dir DIR takes it"},
    {left_out_not_here, "source file that is not here: --source-dir DIR takes it"},
    {"source files that not everybody may read: --source-dir DIR takes them",
     "source file that not everybody may read: --source-dir DIR takes it"},
    {"vmlinux files (see --with-vmlinux)", "vmlinux file (see --with-vmlinux)"},
}};

const LeftOutWords* words_of(std::string_view what) {
    const auto* found = std::ranges::find(left_out_words, what, &LeftOutWords::many);
    return found == left_out_words.end() ? nullptr : found;
}

}  // namespace

std::string left_out_text(std::uint64_t number, std::string_view what) {
    const auto* words = number == 1 ? words_of(what) : nullptr;
    return std::to_string(number) + " " + std::string(words == nullptr ? what : words->one);
}

bool is_known_left_out(std::string_view what) {
    return words_of(what) != nullptr;
}

bool is_loss_left_out(std::string_view what) {
    return what != left_out_newer && what != left_out_not_here;
}

}  // namespace perfdata
