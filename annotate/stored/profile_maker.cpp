// SPDX-License-Identifier: MIT
#include "profile_maker.hpp"

#include <string>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/core/parallel.hpp"

#include "content_hash.hpp"
#include "made_branches.hpp"
#include "made_code.hpp"
#include "made_counts.hpp"
#include "made_events.hpp"
#include "made_facts.hpp"
#include "made_frames.hpp"
#include "made_functions.hpp"
#include "made_lines.hpp"
#include "made_objects.hpp"
#include "making.hpp"
#include "recording/stored/canonical.hpp"

namespace perfdata {
namespace {

// FirstPasses is what is read of the whole recording before anything else: on two threads if there are two.
struct FirstPasses {
    Result<CountedForProfile> counted = fail(ErrorCode::cancelled, Error::no_offset, {}, {});
    Result<std::string> hash = std::string();

    explicit FirstPasses(const Making& making) {
        const auto& options = making.options;
        const bool together = options.jobs > 1;
        // One thread at a time says how far it is.
        const Watch hashing{options.watch.stop, together ? Progress() : options.watch.progress};
        run_together(
            options.jobs, [&] { counted = count_for_profile(making); },
            [&] { hash = content_hash(making.recording, hashing); });
    }
};

}  // namespace

// Counting comes first: what was sampled decides what is asked. The symbolizer is asked for its losses last.
Result<stored::Model> make_profile(const Recording& recording, const Symbolizer& symbolizer,
                                   const ProfileMakerOptions& options) {
    return catch_bad_alloc([&]() -> Result<stored::Model> {
        Making making(recording, symbolizer, options);
        add_recorded_facts(making);
        auto passes = FirstPasses(making);
        auto& counted = passes.counted;
        if (!counted) return fail(std::move(counted.error()));
        if (!passes.hash) return fail(std::move(passes.hash.error()));
        const auto& columns = counted->counts.events();
        const auto events = add_events(making, columns, counted->events);
        MadeObjects objects(making);
        MadeCode code(making);
        MadeLines lines(making);
        MadeFunctions functions(making, objects, code, lines);
        MadeFrames frames(making, objects, code, functions, lines);
        MadeTasks tasks(making);
        if (auto added = add_counts(making, frames, tasks, *counted, events); !added) return fail(added.error());
        if (auto added = add_branches(making, frames, tasks, columns, events); !added) return fail(added.error());
        add_counted_facts(making, objects, counted->counts);
        add_source(making, counted->counts, std::move(*passes.hash));
        const std::string arch(making.model.text(making.model.facts.code_arch));
        if (auto added = functions.add_code(arch); !added) return fail(added.error());
        lines.count_missing();
        if (options.sources != nullptr) {
            if (auto kept = lines.keep_trusted(*options.sources); !kept) return fail(kept.error());
        }
        add_symbol_facts(making);
        if (making.stopped()) return Making::cancelled();
        return stored::canonical(std::move(making.model));
    });
}

}  // namespace perfdata
