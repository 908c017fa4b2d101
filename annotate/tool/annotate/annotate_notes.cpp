// SPDX-License-Identifier: MIT
#include "annotate_notes.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/profile/event_count.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"

#include "format/words.hpp"
#include "recording/stored/model.hpp"
#include "report/most_sampled.hpp"

namespace perfdata::tool {
namespace {

// FilesWithoutText is source files by the samples on their lines.
using FilesWithoutText = std::map<std::string_view, std::uint64_t>;

// Returns the last parts of the names of the first few files, most samples first: "main.c, parse.c, ...".
std::string first_names(const FilesWithoutText& files) {
    std::vector<std::string> names;
    for (const auto file : most_sampled({files.begin(), files.end()})) {
        names.emplace_back(file.substr(file.rfind('/') + 1));
    }
    return listed(names, files.size());
}

// each_without_text(listings, take) calls take(listing, file, samples) for each line with samples whose text is not
// shown.
template <class Take>
void each_without_text(const std::vector<Listing>& listings, Take&& take) {
    for (const auto& listing : listings) {
        for (const auto& line : listing.lines) {
            const auto samples = hits(line.cells);
            if (samples == 0 || line.source.file.empty() || !line.source.text.empty()) continue;
            take(listing, std::string_view(line.source.file), samples);
        }
    }
}

}  // namespace

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

std::vector<std::string> texts_not_shown(const std::vector<Listing>& listings, const Symbolizer& symbolizer,
                                         bool offline) {
    FilesWithoutText newer, not_here;
    each_without_text(listings, [&](const Listing& listing, std::string_view file, std::uint64_t samples) {
        const auto miss = symbolizer.text_miss(listing.version.function, file);
        if (miss == TextMiss::none) return;
        auto& sum = (miss == TextMiss::newer ? newer : not_here)[file];
        sum = add_up_to_most(sum, samples);
    });
    std::vector<std::string> notes;
    if (!newer.empty()) {
        notes.push_back(
            fmt::format("the text of {} is not shown: {} newer than the program built of {} ({}); --source-dir DIR "
                        "takes {} nevertheless",
                        how_many(newer.size(), "source file"), newer.size() == 1 ? "it is" : "they are",
                        newer.size() == 1 ? "it" : "them", first_names(newer), newer.size() == 1 ? "it" : "them"));
    }
    if (!not_here.empty() && !offline) {
        notes.push_back(fmt::format("the text of {} is not here ({}); give it with --source-dir DIR",
                                    how_many(not_here.size(), "source file"), first_names(not_here)));
    }
    return notes;
}

std::vector<std::string> texts_not_in_profile(const std::vector<Listing>& listings, const Recording& profile) {
    if (profile.stored()->facts.left_out.empty()) return {};
    FilesWithoutText files;
    each_without_text(listings, [&](const Listing&, std::string_view file, std::uint64_t samples) {
        auto& sum = files[file];
        sum = add_up_to_most(sum, samples);
    });
    if (files.empty()) return {};
    return {fmt::format("the text of {} is not in the profile ({}): make it again with --source-dir DIR",
                        how_many(files.size(), "source file"), first_names(files))};
}

}  // namespace perfdata::tool
