// SPDX-License-Identifier: MIT
#include "html_writer.hpp"

#include "format/words.hpp"

namespace perfdata {

std::string html_text(std::string_view text, std::size_t most) {
    // Escape no more than can be shown: escaped text is never shorter.
    auto shown = printable(text.substr(0, most + 4));
    const bool longer = text.size() > most || shown.size() > 4 * most;
    if (longer) shown = cut(std::move(shown), most);
    std::string html;
    html.reserve(shown.size() + 16);
    for (const char character : shown) {
        switch (character) {
            case '&': html += "&amp;"; break;
            case '<': html += "&lt;"; break;
            case '>': html += "&gt;"; break;
            case '"': html += "&quot;"; break;
            case '\'': html += "&#39;"; break;
            default: html += character;
        }
    }
    if (longer) html += fmt::format("… ({} bytes)", text.size());
    return html;
}

}  // namespace perfdata
