// SPDX-License-Identifier: MIT
#include "perfdata/annotate/listing/function_search.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "format/load_once.hpp"
#include "format/path_suffix.hpp"

namespace perfdata {
namespace {

// Calls matches(name) for each name of each function, until one does.
template <class Matches>
std::vector<std::uint32_t> search(const Profile& profile, const Symbolizer& symbolizer, const StopToken& stop,
                                  Matches&& matches) {
    constexpr std::uint32_t functions_a_look = 64;
    std::vector<std::uint32_t> found;
    const auto& functions = profile.functions();
    LoadOnce load(symbolizer, CodeDetail::names, {stop, {}});
    for (std::uint32_t number = 0; number < functions.size(); ++number) {
        if (number % functions_a_look == 0 && stop.stop_requested()) break;
        const auto& frame = functions[number].version.function;
        if (!load(frame)) break;
        bool is_one = matches(symbolizer.name(frame).symbol);
        if (!is_one && frame.is_code()) {
            const auto name = symbolizer.bpf().plain_name(frame.index);
            is_one = matches(name.name) ||
                     (!name.program.empty() && matches(std::string(name.program) + "/" + std::string(name.name)));
        }
        if (is_one) found.push_back(number);
    }
    return found;
}

}  // namespace

std::vector<std::uint32_t> functions_named(const Profile& profile, const Symbolizer& symbolizer, std::string_view name,
                                           const StopToken& stop) {
    return search(profile, symbolizer, stop, [&](std::string_view one) { return one == name; });
}

std::vector<std::uint32_t> functions_named(const Profile& profile, const Symbolizer& symbolizer,
                                           const NamePattern& pattern, const StopToken& stop) {
    return search(profile, symbolizer, stop, [&](std::string_view one) { return pattern.matches(one); });
}

Result<std::vector<std::uint32_t>> functions_at(const Profile& profile, const Symbolizer& symbolizer,
                                                std::string_view file, std::uint32_t line, const StopToken& stop) {
    return catch_bad_alloc([&]() -> Result<std::vector<std::uint32_t>> {
        std::size_t most = 1;
        std::vector<std::uint32_t> found;
        const auto& functions = profile.functions();
        LoadOnce load(symbolizer, CodeDetail::lines, {stop, {}});
        for (std::uint32_t number = 0; number < functions.size(); ++number) {
            const auto& version = functions[number].version;
            if (stop.stop_requested() || !load(version.function)) {
                return fail(ErrorCode::cancelled, Error::no_offset, "lines", "asked to stop");
            }
            const auto starts = symbolizer.lines(version.function, version.size);
            if (!starts) continue;
            std::string_view last;  // neighbours are of one file
            std::size_t parts = 0;
            const auto take = [&](const SourceLine& source) {
                if (source.file.empty()) return;
                if (source.file.data() != last.data() || source.file.size() != last.size()) {
                    last = source.file;
                    parts = common_parts(last, file);
                }
                if (parts > most) {
                    most = parts;
                    found.clear();
                }
                if (parts < most || source.line != line) return;
                if (found.empty() || found.back() != number) found.push_back(number);
            };
            for (const auto& start : *starts) {
                take(start.source);
                for (const auto& call : start.inlined) take(call.call);
            }
        }
        return found;
    });
}

}  // namespace perfdata
