// SPDX-License-Identifier: MIT
#include "collect_names.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "perfdata/recording/content.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/symbols/symbol_miss.hpp"

#include "bundle/needed_parts.hpp"
#include "core/platform.hpp"
#include "recording/file_source.hpp"

namespace perfdata::tool {
namespace {

bool all_hexadecimal(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Returns true for the names that bundles have for everybody: they tell a build id at most.
bool is_public_member(std::string_view name) {
    if (name == "kernel/kallsyms" || name == "kernel/vmlinux" || name == "kernel/kcore") return true;
    constexpr std::string_view cache = ".build-id/";
    if (!name.starts_with(cache)) return false;
    name.remove_prefix(cache.size());
    const auto first = name.find('/');
    if (first != 2 || !all_hexadecimal(name.substr(0, first))) return false;
    name.remove_prefix(first + 1);
    const auto second = name.find('/');
    if (second == std::string_view::npos || !all_hexadecimal(name.substr(0, second))) return false;
    const auto last = name.substr(second + 1);
    return last == "elf" || last == "vdso" || last == "kallsyms";
}

// Returns the hash of a path below root/. Of the dump that one process has alone, the process stays: "/proc/12/root".
std::string anonymous_path(const Anonymizer& anonymizer, std::string_view kind, std::string_view path) {
    constexpr std::string_view processes = "/proc/", root = "/root/";
    constexpr std::size_t most_digits = 10;
    if (kind == "jitdump" && path.starts_with(processes)) {
        const auto end = path.find_first_not_of("0123456789", processes.size());
        if (end != std::string_view::npos && end > processes.size() && end - processes.size() <= most_digits &&
            path.substr(end).starts_with(root)) {
            const auto own = end + root.size() - 1;
            return std::string(path.substr(0, own)) + anonymizer.path(path.substr(own));
        }
    }
    return anonymizer.path(path);
}

// Returns the name to give a member; nothing if its place says nothing of what it is, and may itself be secret.
std::optional<std::string> anonymous_member(const Anonymizer& anonymizer, const NeededFile& file) {
    const auto& kind = file.member.kind;
    if (!file.recorded.empty()) return below_root(file.root + anonymous_path(anonymizer, kind, file.recorded));
    constexpr std::string_view root = "root/";
    const std::string_view name = file.member.name;
    if (name.starts_with(root)) return below_root(anonymous_path(anonymizer, kind, name.substr(root.size() - 1)));
    if (is_public_member(name)) return file.member.name;
    return {};
}

}  // namespace

Result<AnonymizeKey> anonymize_key(const std::string& file) {
    if (file.empty()) return random_anonymize_key();
    // It may be a pipe, or a device without an end: no more is read than tells a key, which may end with a line.
    constexpr std::size_t most = 2 * std::tuple_size_v<AnonymizeKey> + 3;
    const bool standard_input = file == "-";
    const auto opened =
        standard_input ? platform::duplicate(platform::standard_input) : platform::open(file, platform::OpenMode{});
    const auto failed = [&](int problem) { return io_failure(file, "cannot read", problem); };
    if (!opened) return failed(opened.error());
    std::vector<std::byte> content(most);
    std::size_t size = 0;
    while (size < most) {
        const auto got = platform::read(opened->get(), std::span(content).subspan(size));
        if (!got) return failed(got.error());
        if (*got == 0) break;
        size += *got;
    }
    content.resize(size);
    if (size == most) {
        return fail(ErrorCode::malformed, Error::no_offset, file,
                    "no key, but more: 32 bytes, or 64 hexadecimal digits, are expected");
    }
    return read_anonymize_key(*memory_source(content), file);
}

Result<std::vector<BundleContent>> anonymized_members(Anonymizer& anonymizer, Needed& needed, const Limits& limits,
                                                      const Watch& watch) {
    using Copy = Result<std::shared_ptr<const Source>>;
    std::vector<BundleContent> members;
    std::set<std::string> names;
    // Returns null for a kind that this version does not know: nothing tells what is in it.
    const auto copy = [&](const NeededFile& file) -> Copy {
        const auto& kind = file.member.kind;
        if (kind == "kallsyms") return anonymizer.kallsyms(*file.content, watch);
        if (kind == "perf_map") return anonymizer.perf_map(*file.content, watch);
        if (kind == "jitdump") return anonymizer.jitdump(*file.content, watch);
        if (kind == "object" || kind == "vdso" || kind == "vmlinux") {
            return anonymizer.object(file.content, file.from, limits, watch);
        }
        if (kind == "kcore") return file.content;  // the code of the kernel
        return nullptr;
    };
    for (const auto& file : needed.files) {
        const auto& kind = file.member.kind;
        if (kind == "debug" || kind == "source") {
            needed.leave_out(kind == "debug" ? "debug files" : "source files", 1, file.member.path);
            continue;
        }
        auto name = anonymous_member(anonymizer, file);
        auto content = name ? copy(file) : Copy(nullptr);
        if (!content) {
            auto& error = content.error();
            if (error.code == ErrorCode::cancelled || error.code == ErrorCode::io ||
                error.code == ErrorCode::out_of_memory) {
                return fail(std::move(error));
            }
            // One file that is damaged is no reason to do without the others.
            needed.leave_out("files in which names cannot be told from the rest", 1, file.from);
            needed.missing.push_back({kind,
                                      file.from,
                                      file.member.build_id,
                                      std::string(to_string(error.code)),
                                      "its names cannot be told from the rest: " + error.detail,
                                      {},
                                      file.by});
            continue;
        }
        if (!*content) {
            needed.leave_out("files of unknown kinds", 1, file.from);
            continue;
        }
        auto member = file.member;
        if (file.by.samples_known) member.samples = file.by.samples;
        member.name = std::move(*name);
        if (!member.path.empty()) member.path = anonymizer.path(member.path);
        if (!member.recorded.empty()) member.recorded = anonymizer.path(member.recorded);
        if (!all_hexadecimal(member.build_id)) member.build_id.clear();
        // Two names may have one hash: "/x" and "//x" are one file.
        if (!names.insert(member.name).second) {
            needed.leave_out("files of one name", 1, file.from);
            continue;
        }
        members.push_back({std::move(member), std::move(*content)});
    }
    needed.finish();
    return members;
}

bool is_known_reason(std::string_view why) {
    for (unsigned miss = 0; miss < symbol_misses; ++miss) {
        if (why == to_string(static_cast<SymbolMiss>(miss))) return true;
    }
    for (unsigned code = 0; code <= static_cast<unsigned>(ErrorCode::busy); ++code) {
        if (why == to_string(static_cast<ErrorCode>(code))) return true;
    }
    return why == MissingFile::is_private;
}

void anonymize_missing(const Anonymizer& anonymizer, std::vector<MissingMember>& missing) {
    for (auto& one : missing) {
        // Readers know it by its name.
        if (one.path != "/proc/kcore") one.path = anonymizer.path(one.path);
        one.reason.clear();  // it may name anything
        if (!is_known_reason(one.why)) one.why = "missing";
        if (!all_hexadecimal(one.build_id)) one.build_id.clear();
    }
}

}  // namespace perfdata::tool
