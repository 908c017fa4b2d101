// SPDX-License-Identifier: MIT
#include "collect_recording.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "perfdata/recording/file_state.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"

#include "tool/collect/collect_names.hpp"

namespace perfdata::tool {
namespace {

// Returns the names of regular files in a directory of the recording, sorted; none if there is no such directory.
std::vector<std::string> files_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code problem;
    for (auto entry = std::filesystem::directory_iterator(directory, problem);
         !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
        std::error_code ignored;
        const auto type = std::filesystem::symlink_status(entry->path(), ignored).type();
        if (type == std::filesystem::file_type::regular) names.push_back(entry->path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

// Returns true for the name of a file of the recording in a bundle.
bool is_of_recording(std::string_view name) {
    const std::string_view recording = bundled_recording;
    return name.starts_with(recording) && (name.size() == recording.size() || name[recording.size()] == '/');
}

// Returns true if one member is lost, and others need not be.
bool is_only_damage(const Error& error) {
    return error.code != ErrorCode::cancelled && error.code != ErrorCode::io && error.code != ErrorCode::out_of_memory;
}

// Returns what a member is by its place, for those that the index does not list; empty: its place does not tell.
std::string kind_of_place(std::string_view name) {
    if (name == "kernel/kallsyms" || name == "kernel/kcore" || name == "kernel/vmlinux") {
        return std::string(name.substr(name.rfind('/') + 1));
    }
    const auto last = name.substr(name.rfind('/') + 1);
    if (name.starts_with(".build-id/")) {
        if (last == "elf") return "object";
        if (last.ends_with(".debug")) return "debug";
        if (last == "vdso" || last == "debug" || last == "kallsyms") return std::string(last);
        return {};
    }
    const auto is_named = [&](std::string_view begin, std::string_view end) {
        if (!last.starts_with(begin) || !last.ends_with(end) || last.size() <= begin.size() + end.size()) return false;
        const auto number = last.substr(begin.size(), last.size() - begin.size() - end.size());
        return number.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (!name.starts_with("root/")) return {};
    if (is_named("jit-", ".dump")) return "jitdump";
    if (is_named("perf-", ".map")) return "perf_map";
    return {};
}

// Returns true for a kind of this version: an index may say anything.
bool is_kind(std::string_view kind) {
    constexpr std::array<std::string_view, 10> kinds{"recording", "object",  "vdso",    "debug",    "kallsyms",
                                                     "kcore",     "vmlinux", "jitdump", "perf_map", "source"};
    return std::ranges::find(kinds, kind) != kinds.end();
}

// Returns a build id if it is one, of at most 64 bytes.
std::string known_build_id(const std::string& id) {
    constexpr std::size_t most_digits = 128;
    const bool good =
        id.size() <= most_digits && id.size() % 2 == 0 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
    return good ? id : std::string();
}

// Returns what a missing file is.
std::string kind_of_missing(const MissingFile& missing) {
    if (is_kind(missing.kind)) return missing.kind;
    const auto last = std::string_view(missing.path).substr(missing.path.rfind('/') + 1);
    if (missing.path == recorded_kernel_path) return "kallsyms";
    if (missing.path == "/proc/kcore") return "kcore";
    if (last.starts_with("perf-") && last.ends_with(".map")) return "perf_map";
    if (last.starts_with("jit-") && last.ends_with(".dump")) return "jitdump";
    return "object";
}

// Returns what an index says of who needs a file.
NeededBy by_index(std::optional<std::uint64_t> samples) {
    return {samples.value_or(0), {}, samples.has_value(), false};
}

NeededMissing missing_before(const MissingFile& missing) {
    constexpr std::size_t most_of_path = 4096;
    return {kind_of_missing(missing),
            missing.path.substr(0, most_of_path),
            known_build_id(missing.build_id),
            is_known_reason(missing.why) ? missing.why : std::string(to_string(ErrorCode::missing)),
            missing.explained(),
            {},
            by_index(missing.samples)};
}

NeededMissing damaged_member(const BundledFile& file, const Error& error) {
    return {is_kind(file.kind) ? file.kind : "object",
            file.path.empty() ? file.name : file.path,
            known_build_id(file.build_id),
            std::string(to_string(error.code)),
            "it is in the bundle, but damaged: " + error.detail,
            "collect the recording itself again",
            by_index(file.samples)};
}

// Returns the files of the recording in a bundle, in its order: the main file is the first.
Result<std::vector<BundleContent>> members_of_bundle(const Bundle& bundle, const Watch& watch) {
    std::vector<BundleContent> members;
    for (const auto& file : bundle.files()) {
        if (!is_of_recording(file.name)) continue;
        auto content = bundle.content(file.name, watch);
        // Without the main file there is no recording. See bundled_files() for the others.
        if (!content && !members.empty() && is_only_damage(content.error())) continue;
        if (!content) return fail(std::move(content.error()));
        members.push_back({{file.name, "recording", {}, {}}, std::move(*content)});
    }
    return members;
}

}  // namespace

Result<std::vector<BundleContent>> recording_members(const Recording& recording, const Watch& watch) {
    if (recording.bundle()) return members_of_bundle(*recording.bundle(), watch);
    const auto& directory = recording.path();
    const auto& limits = recording.limits();
    auto files = recording.input_files();
    const auto member = [](std::string name, Shared<const Source> content) {
        return BundleContent{{std::move(name), "recording", {}, {}}, std::move(content)};
    };
    std::error_code none;
    if (files.size() == 1 && (directory == "-" || !std::filesystem::is_directory(directory, none))) {
        return std::vector{member(bundled_recording, std::move(files.front().content))};
    }
    const std::string folder = std::string(bundled_recording) + "/";
    std::vector<BundleContent> members;
    for (auto& file : files) members.push_back(member(folder + file.name, std::move(file.content)));
    const auto main = file_state(*members.front().content);
    for (const auto& file : files_in(directory + "/kcore_dir")) {
        const auto name = "kcore_dir/" + file;
        NamedFileOptions options;
        options.watch = watch;
        // Who may write to the directory may give any file of this file system a second name there.
        options.inside_process = true;
        options.on_behalf_of = main ? main->owner : no_user;
        auto content = open_named_file({directory, "/" + name}, limits, options);
        if (!content && content.error().code == ErrorCode::missing) continue;
        if (!content) return fail(std::move(content.error()));
        members.push_back(member(folder + name, std::move(*content)));
    }
    return members;
}

// One member that is damaged is no reason to do without the others.
Result<Needed> bundled_files(const Bundle& bundle, const NeededOptions& options) {
    Needed needed;
    const auto is_object = [](const std::string& kind) {
        return kind == "object" || kind == "vdso" || kind == "debug" || kind == "vmlinux";
    };
    for (const auto& file : bundle.files()) {
        if (is_of_recording(file.name)) {
            const bool names = file.name.ends_with("/kcore_dir/kallsyms");
            const bool core = file.name.ends_with("/kcore_dir/kcore");
            if (!options.recording_as_a_whole && core) {
                // Nothing tells here which pieces of it samples hit, and the rest may be secret.
                needed.missing.push_back({"kcore",
                                          "/proc/kcore",
                                          {},
                                          "missing",
                                          "a bundle that is anonymized does not tell which of its code is needed",
                                          "collect the recording itself with --anonymize",
                                          by_index({})});
                continue;
            }
            if (!options.recording_as_a_whole && !names) continue;
            auto content = bundle.content(file.name, options.watch);
            if (!content && is_only_damage(content.error())) {
                needed.missing.push_back(damaged_member(file, content.error()));
                continue;
            }
            if (!content) return fail(std::move(content.error()));
            if (options.recording_as_a_whole) continue;
            // The recording of a directory becomes one file: its names of the kernel need another place.
            NeededFile one;
            one.member = {"kernel/kallsyms", "kallsyms", {}, {}};
            one.content = std::move(*content);
            one.from = bundle.path() + "/" + file.name;
            one.by = by_index({});
            needed.add(std::move(one));
            continue;
        }
        if (file.name == "bundle.json") continue;  // the index itself: a new one is made
        // The index of a damaged bundle may lack members, or be lost. To anonymize a file it takes more than a guess.
        if (!file.kind.empty() && !is_kind(file.kind)) {
            needed.leave_out("files of unknown kinds", 1, file.name);
            continue;
        }
        const auto kind = !file.kind.empty()             ? file.kind
                          : options.recording_as_a_whole ? kind_of_place(file.name)
                                                         : std::string();
        if (kind.empty()) {
            needed.leave_out("members that the index does not list", 1, file.name);
            continue;
        }
        if ((kind == "source" && !options.sources) || (kind == "debug" && options.debug == DebugDetail::none)) {
            needed.leave_out(kind == "source" ? "source files" : "debug files", 1,
                             file.path.empty() ? file.name : file.path);
            continue;
        }
        auto content = bundle.content(file.name, options.watch);
        if (!content && is_only_damage(content.error())) {
            needed.missing.push_back(damaged_member(file, content.error()));
            continue;
        }
        if (!content) return fail(std::move(content.error()));
        NeededFile one;
        one.member = {file.name, kind, file.path, known_build_id(file.build_id), {}, file.recorded};
        one.content = std::move(*content);
        one.from = bundle.path() + "/" + file.name;
        one.by = by_index(file.samples);
        constexpr std::string_view root = "root";
        if (file.name.starts_with("root/") && kind != "perf_map") one.recorded = file.name.substr(root.size());
        const auto elf = is_object(kind) ? ElfFile::open(one.content) : fail(ErrorCode::unsupported, 0, {}, {});
        if (elf) {
            auto trimmed = trimmed_object(one.content, *elf, options.debug);
            if (!trimmed && is_only_damage(trimmed.error())) {
                needed.missing.push_back(damaged_member(file, trimmed.error()));
                continue;
            }
            if (!trimmed) return fail(std::move(trimmed.error()));
            one.content = std::move(trimmed->content);
            needed.leave_out("bytes of debug information", trimmed->left_out);
        }
        needed.add(std::move(one));
    }
    for (const auto& missing : bundle.facts().missing) needed.missing.push_back(missing_before(missing));
    needed.finish();
    return needed;
}

}  // namespace perfdata::tool
