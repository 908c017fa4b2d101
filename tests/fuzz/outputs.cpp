// SPDX-License-Identifier: MIT
#include "outputs.hpp"

#include <algorithm>
#include <rapidjson/reader.h>
#include <string>
#include <vector>

#include "promise.hpp"

namespace perfdata::fuzz {
namespace {

bool one_of(std::string_view word, std::string_view words) {
    for (auto rest = words; !rest.empty();) {
        const auto next = rest.substr(0, rest.find(' '));
        if (next == word) return true;
        rest.remove_prefix(std::min(rest.size(), next.size() + 1));
    }
    return false;
}

constexpr std::string_view without_end = "meta link input br";
// Elements with an optional end tag: they end with their parent.
constexpr std::string_view may_stay_open = "html head body li tr td th dt dd p thead tbody tfoot option";
constexpr std::string_view others =
    "title style header a nav span button main section h1 h2 h3 h4 pre dl div i ul b small table details summary "
    "dialog kbd form script label select code caption del u";
constexpr std::string_view attributes =
    "lang charset content http-equiv name href rel class aria-label autocomplete id placeholder spellcheck type "
    "autofocus title aria-hidden aria-pressed role style data-c aria-live data-l data-r data-v aria-sort colspan scope "
    "open hidden tabindex "
    "method for value";

// Markup walks through a page, tag by tag.
class Markup {
  public:
    explicit Markup(std::string_view page) : left_(page) {}

    void check() {
        for (auto at = left_.find('<'); at != std::string_view::npos; at = left_.find('<')) {
            left_.remove_prefix(at + 1);
            if (left_.starts_with("!doctype html>")) continue;
            if (left_.starts_with('/')) {
                end_tag();
            } else {
                start_tag();
            }
        }
        require(std::ranges::all_of(open_, [](auto name) { return one_of(name, may_stay_open); }));
        require(scripts_ == 1 && styles_ == 1);
    }

  private:
    std::string_view word(std::string_view ends) {
        const auto size = left_.find_first_of(ends);
        require(size != std::string_view::npos && size != 0);
        const auto word = left_.substr(0, size);
        left_.remove_prefix(size);
        return word;
    }
    void start_tag() {
        const auto name = word(" \n>");
        require(one_of(name, without_end) || one_of(name, may_stay_open) || one_of(name, others));
        for (;;) {
            left_.remove_prefix(std::min(left_.find_first_not_of(" \n"), left_.size()));
            require(!left_.empty());
            if (left_.starts_with('>')) break;
            attribute();
        }
        left_.remove_prefix(1);
        if (one_of(name, without_end)) return;
        open_.push_back(name);
        scripts_ += name == "script" ? 1 : 0;
        styles_ += name == "style" ? 1 : 0;
        // Their content is our own and not markup.
        if (name == "script" || name == "style") {
            const auto end = left_.find(name == "script" ? "</script>" : "</style>");
            require(end != std::string_view::npos);
            left_.remove_prefix(end);
        }
    }
    void attribute() {
        require(one_of(word(" \n=>"), attributes));
        if (!left_.starts_with('=')) return;
        left_.remove_prefix(1);
        if (left_.starts_with('"')) {
            left_.remove_prefix(1);
            const auto end = left_.find('"');
            require(end != std::string_view::npos && left_.substr(0, end).find('<') == std::string_view::npos);
            left_.remove_prefix(end + 1);
        } else {
            require(word(" \n>").find_first_of("\"'<`") == std::string_view::npos);
        }
    }
    void end_tag() {
        left_.remove_prefix(1);
        const auto name = word(">");
        while (!open_.empty() && open_.back() != name && one_of(open_.back(), may_stay_open)) open_.pop_back();
        require(!open_.empty() && open_.back() == name);
        open_.pop_back();
    }

    std::string_view left_;
    std::vector<std::string_view> open_;
    int scripts_ = 0, styles_ = 0;
};

}  // namespace

void check_json(std::string_view text) {
    rapidjson::MemoryStream stream(text.data(), text.size());
    rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> input(stream);
    rapidjson::BaseReaderHandler<> nothing;
    rapidjson::Reader reader;
    require(!reader.Parse<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag>(input, nothing)
                 .IsError());
}

void check_json_lines(std::string_view text) {
    require(text.empty() || text.ends_with('\n'));
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        require(line.starts_with('{'));
        check_json(line);
        text.remove_prefix(line.size() + 1);
    }
}

// Checks for UTF-8 without control characters (C0 and C1) except tabs and line feeds, and without marks that change the
// direction of writing.
void check_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[at + index]); };
        const auto first = byte(0);
        if (first < 0x80) {
            require((first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t');
            ++at;
            continue;
        }
        const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        require(first >= 0xc2 && first <= 0xf4 && at + size <= text.size());
        for (std::size_t index = 1; index < size; ++index) require((byte(index) & 0xc0) == 0x80);
        if (first == 0xc2) require(byte(1) >= 0xa0);
        if (first == 0xe0) require(byte(1) >= 0xa0);
        if (first == 0xe2 && byte(1) == 0x80)
            require(byte(2) != 0x8e && byte(2) != 0x8f && (byte(2) < 0xa8 || byte(2) > 0xae));
        if (first == 0xe2 && byte(1) == 0x81) require(byte(2) < 0xa6 || byte(2) > 0xa9);
        if (first == 0xed) require(byte(1) <= 0x9f);
        if (first == 0xf0) require(byte(1) >= 0x90);
        if (first == 0xf4) require(byte(1) <= 0x8f);
        at += size;
    }
}

void check_html(std::string_view page) {
    check_text(page);
    Markup(page).check();
}

}  // namespace perfdata::fuzz
