// SPDX-License-Identifier: MIT
// Fuzz target: a byte that chooses the separator, and the list of `perfdata batch`. Paths get names of files that no
// two of them share. The list is also a document that is put into one line, cut where its first byte says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/batch/batch_line.hpp"
#include "tool/batch/batch_list.hpp"
#include "tool/batch/batch_names.hpp"

namespace {

using namespace perfdata::tool;

void require(bool kept) {
    if (!kept) __builtin_trap();
}

bool is_plain(char byte) {
    return byte > ' ' && byte < 0x7f && byte != '/';
}

void name_all(const std::vector<std::string>& paths) {
    const auto names = flat_names(paths, ".report.json");
    require(names.size() == paths.size());
    std::map<std::string, std::string> path_of;
    for (std::size_t index = 0; index < paths.size(); ++index) {
        const auto& name = names[index];
        require(name.size() <= 255 && name.ends_with(".report.json") && name.front() != '.' && name.front() != '-');
        for (const char byte : name) require(is_plain(byte));
        require(path_of.emplace(name, paths[index]).first->second == paths[index]);
    }
}

void put_into_line(std::string_view text, std::size_t piece) {
    OneLineJson whole, parts;
    whole.add(text);
    for (auto rest = text; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size()))) {
        parts.add(rest.substr(0, piece));
    }
    require(whole.text() == parts.text());
    require(whole.text().size() <= text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const char separator = data[0] % 2 == 0 ? '\n' : '\0';
    put_into_line(text, data[0] / 2u + 1);
    const auto paths = split_list(text, separator);
    if (!paths) return 0;
    for (const auto& path : *paths) require(!path.empty() && path.find(separator) == std::string::npos);
    name_all(*paths);
    return 0;
}
