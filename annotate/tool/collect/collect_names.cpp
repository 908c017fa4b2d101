// SPDX-License-Identifier: MIT
#include "collect_names.hpp"

#include <utility>

#include "perfdata/recording/content.hpp"

#include "bundle/needed_parts.hpp"

namespace perfdata::tool {
Result<AnonymizeKey> anonymize_key(const std::string& file) {
    if (file.empty()) return random_anonymize_key();
    const auto source = open_source(file, {}, Content::any);
    if (!source) return fail(source.error());
    return read_anonymize_key(**source, file);
}

Result<std::vector<BundleContent>> anonymized_members(Anonymizer& anonymizer, Needed& needed, const Limits& limits,
                                                      const Watch& watch) {
    std::vector<BundleContent> members;
    const auto copy = [&](const NeededFile& file) -> Result<std::shared_ptr<const Source>> {
        const auto& kind = file.member.kind;
        if (kind == "kallsyms") return anonymizer.kallsyms(*file.content, watch);
        if (kind == "perf_map") return anonymizer.perf_map(*file.content, watch);
        if (kind == "jitdump") return anonymizer.jitdump(*file.content, watch);
        if (kind == "object" || kind == "vdso" || kind == "vmlinux") {
            return anonymizer.object(file.content, file.from, limits, watch);
        }
        return file.content;  // the code of the kernel
    };
    for (const auto& file : needed.files) {
        const auto& kind = file.member.kind;
        if (kind == "debug" || kind == "source") {
            needed.leave_out(kind == "debug" ? "debug files" : "source files");
            continue;
        }
        auto content = copy(file);
        if (!content) {
            if (content.error().code != ErrorCode::unsupported && content.error().code != ErrorCode::malformed) {
                return fail(std::move(content.error()));
            }
            needed.leave_out("files in which names cannot be told from the rest");
            continue;
        }
        auto member = file.member;
        if (!file.recorded.empty()) member.name = below_root(file.root + anonymizer.path(file.recorded));
        if (!member.path.empty()) member.path = anonymizer.path(member.path);
        members.push_back({std::move(member), std::move(*content)});
    }
    return members;
}

}  // namespace perfdata::tool
