// SPDX-License-Identifier: MIT
#include "annotate_notes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "perfdata/symbols/kernel/kernel_names.hpp"

namespace perfdata::tool {

void note_problems(const std::vector<Listing>& listings, const Symbolizer& symbolizer, Completeness& completeness) {
    std::set<std::string> told;  // lines and inlined calls may be lost for one reason
    for (const auto& loss : completeness.diagnostics.kept()) told.insert(loss.message());
    for (const auto& listing : listings) {
        for (std::size_t index = 0; index < listing.problems.size(); ++index) {
            const auto& problem = listing.problems[index];
            // Not a loss of this reading: code that the recorder could not get, or that another file would have to
            // supply.
            const bool damaged = listing.kind == CodeClass::jit && problem.code == ErrorCode::malformed;
            const bool of_lines =
                index == listing.lines_problem && symbolizer.is_line_loss(listing.version.function, problem);
            const bool ours = problem.code == ErrorCode::limit || listing.kind == CodeClass::bpf || damaged || of_lines;
            const bool loss = ours && problem.code != ErrorCode::missing;
            if (loss && told.insert(problem.message()).second) completeness.diagnostics.add(problem);
        }
    }
}

bool lacks_kernel_names(const Profile& profile, const std::vector<Listing>& listings) {
    const auto is_kernel = [](const auto& one) {
        return one.first.reason == no_kernel_names || one.first.reason == no_kernel_build_id;
    };
    const auto is_bpf = [](const Listing& one) { return one.kind == CodeClass::bpf; };
    return std::ranges::any_of(profile.unnamed(), is_kernel) || std::ranges::any_of(listings, is_bpf);
}

std::string called_without_name(const NameChoice& names, const std::vector<Listing>& listings) {
    if (!names.kallsyms.empty()) return {};
    std::set<Address> unnamed;
    for (const auto& listing : listings) {
        if (listing.kind != CodeClass::bpf) continue;
        for (const auto& row : listing.instructions) {
            if (row.target && row.target->name.empty()) unnamed.insert(row.target->address);
        }
    }
    if (unnamed.empty()) return {};
    return fmt::format(
        "{} kernel function{} called without a name here; --kallsyms FILE, a copy of the recorded machine's "
        "/proc/kallsyms of the same boot, names them",
        unnamed.size(), unnamed.size() == 1 ? " is" : "s are");
}

}  // namespace perfdata::tool
