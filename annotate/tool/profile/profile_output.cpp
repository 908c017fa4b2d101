// SPDX-License-Identifier: MIT
#include "profile_output.hpp"

#include <cstdint>
#include <string_view>

#include "stored/profile_writer.hpp"
#include "tool/profile/profile_summary.hpp"

namespace perfdata::tool {

int write_profile_output(const Common& common, Session& session, const stored::Model& model, std::uint32_t permissions,
                         unsigned threads) {
    auto output = session.open_output_as(permissions);
    if (!output) return failed;
    if (output->is_terminal()) {
        return session.give_up({ErrorCode::unsupported, Error::no_offset, "standard output",
                                "a profile is binary and this is a terminal; give -o FILE"});
    }
    std::uint64_t bytes = 0;
    const auto sink = output->sink();
    const auto counting = [&](std::string_view part) {
        bytes += part.size();
        sink(part);
    };
    write_profile_file(model, counting, threads);
    if (!session.commit(*output)) return failed;
    if (!common.json) return fine;
    auto summary = Output::open({});
    if (!summary) return session.give_up(summary.error());
    write_profile_summary({common.output, bytes, model}, summary->sink());
    if (const auto committed = summary->commit(); !committed) return session.give_up(committed.error());
    return fine;
}

}  // namespace perfdata::tool
