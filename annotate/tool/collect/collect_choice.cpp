// SPDX-License-Identifier: MIT
#include "collect_choice.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>

#include "perfdata/symbols/bundle/bundle.hpp"

namespace perfdata::tool {

std::optional<std::pair<std::uint32_t, std::string>> parse_root(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) return {};
    std::uint32_t pid = 0;
    const auto* const end = text.data() + equals;
    const auto [stop, problem] = std::from_chars(text.data(), end, pid);
    if (problem != std::errc{} || stop != end || equals + 1 == text.size()) return {};
    return std::pair(pid, text.substr(equals + 1));
}

std::string no_root(const std::string& text) {
    const auto root = parse_root(text);
    if (!root) return fmt::format("{} is not PID=DIR, a number and a directory", text);
    return no_directory(root->second);
}

DebugDetail CollectChoice::debug_detail() const {
    if (anonymize || debug == "none") return DebugDetail::none;
    return debug == "full" ? DebugDetail::full : DebugDetail::lines;
}

std::string CollectChoice::contradiction() const {
    if (check && is(Format::bundle) && common.output != "-" && common.place && known_ending(common.output)) {
        return "--check writes no bundle, but text or JSON";
    }
    if (!check && !is(Format::bundle)) {
        return fmt::format("{}: this is for --check; without it, collect writes a bundle",
                           common.json ? "JSON" : "text");
    }
    if (!key.empty() && !anonymize) return "--anonymize-key is for --anonymize";
    if (!roots.empty() && !machine()) {
        return "--root is for files of this machine, which --offline and --symfs rule out";
    }
    if (check && anonymize) {
        return "--check says what would be packed without --anonymize: it does not go with it";
    }
    std::map<std::uint32_t, std::string> known;
    for (const auto& text : roots) {
        const auto root = parse_root(text);
        if (root && !known.insert(*root).second) {
            return fmt::format("--root {}: this process has another one already", text);
        }
    }
    if (anonymize && (sources || debug == "full")) {
        return "--anonymize leaves out source files and debug information: --with-sources and --with-debug full "
               "do not go with it";
    }
    return {};
}

void note_unused(const CollectChoice& choice, const Session& session) {
    if (const auto& bundle = session.recording().bundle()) {
        const auto& names = choice.names;
        const auto ignored = [&](bool given, std::string_view option) {
            if (given) session.note(fmt::format("{} is not used: a bundle is packed again with what it has", option));
        };
        ignored(!choice.roots.empty(), "--root");
        ignored(choice.vmlinux, "--with-vmlinux");
        ignored(!names.symfs.empty(), "--symfs");
        ignored(!names.buildid_dir.empty(), "--buildid-dir");
        ignored(!names.kallsyms.empty(), "--kallsyms");
        ignored(!names.vmlinux.empty(), "--vmlinux");
        ignored(!names.kcore.empty(), "--kcore");
        ignored(!names.debug_dirs.empty(), "--debug-dir");
        ignored(!names.jit_dumps.empty(), "--jitdump");
        ignored(!names.perf_maps.empty(), "--perf-map");
        ignored(!choice.lines.source_dirs.empty(), "--source-dir");
        ignored(names.allow_local, "--allow-local");
        ignored(choice.private_files, "--private");
        ignored(choice.sources && !bundle->facts().sources, "--with-sources");
        ignored(choice.debug == "full" && bundle->facts().debug != "full", "--with-debug full");
        return;
    }
    std::set<std::string> maps;  // by the names that they must have
    for (const auto& mapping : session.timeline().tasks().mappings()) {
        maps.insert("perf-" + std::to_string(mapping.pid.value) + ".map");
    }
    for (const auto& path : choice.names.perf_maps) {
        if (maps.contains(path.substr(path.rfind('/') + 1))) continue;
        session.note(
            fmt::format("--perf-map {} is not used: the recording has no process of that number. Name a "
                        "copy of it perf-PID.map, with the recorded number",
                        path));
    }
    for (const auto& text : choice.roots) {
        const auto root = parse_root(text);
        const auto mappings = session.timeline().tasks().mappings();
        const auto is_of = [&](const auto& mapping) { return root && mapping.pid.value == root->first; };
        if (std::ranges::none_of(mappings, is_of)) {
            session.note(fmt::format("--root {} is not used: the recording has no such process", text));
        }
    }
}

}  // namespace perfdata::tool
