// SPDX-License-Identifier: MIT
#include "html_writer.hpp"

#include "words.hpp"

namespace perfdata {
namespace {

// direction_mark(text) is whether it begins with one of U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069: three bytes
// that show nothing and change where other text is shown.
bool direction_mark(std::string_view text) {
    if (text.size() < 3 || text[0] != '\xe2') return false;
    const auto second = static_cast<unsigned char>(text[1]);
    const auto third = static_cast<unsigned char>(text[2]);
    if (second == 0x80) return third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae);
    return second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

}  // namespace

std::string html_text(std::string_view text, std::size_t most) {
    // What is cut off need not be looked at: an escaped byte is never shorter.
    auto shown = printable(text.substr(0, most + 4));
    const bool longer = text.size() > most || shown.size() > 4 * most;
    if (longer) shown = cut(std::move(shown), most);
    std::string html;
    html.reserve(shown.size() + 16);
    for (std::size_t at = 0; at < shown.size(); ++at) {
        switch (shown[at]) {
            case '&': html += "&amp;"; break;
            case '<': html += "&lt;"; break;
            case '>': html += "&gt;"; break;
            case '"': html += "&quot;"; break;
            case '\'': html += "&#39;"; break;
            default:
                if (direction_mark(std::string_view(shown).substr(at))) {
                    for (std::size_t end = at + 3; at < end; ++at) {
                        html += fmt::format("\\x{:02x}", static_cast<unsigned char>(shown[at]));
                    }
                    --at;
                } else {
                    html += shown[at];
                }
        }
    }
    if (longer) html += fmt::format("… ({} bytes)", text.size());
    return html;
}

}  // namespace perfdata
