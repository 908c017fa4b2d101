// SPDX-License-Identifier: MIT
#include "profile_maker.hpp"

#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"

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

// Counting comes first: what was sampled decides what is asked. The symbolizer is asked for its losses last.
Result<stored::Model> make_profile(const Recording& recording, const Symbolizer& symbolizer,
                                   const ProfileMakerOptions& options) {
    return catch_bad_alloc([&]() -> Result<stored::Model> {
        Making making(recording, symbolizer, options);
        add_recorded_facts(making);
        auto counted = count_for_profile(making);
        if (!counted) return fail(std::move(counted.error()));
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
        if (auto added = add_source(making, counted->counts); !added) return fail(added.error());
        const std::string arch(making.model.text(making.model.facts.code_arch));
        if (auto added = functions.add_code(arch); !added) return fail(added.error());
        if (options.sources != nullptr) {
            if (auto kept = lines.keep_trusted(*options.sources); !kept) return fail(kept.error());
        }
        add_symbol_facts(making);
        if (making.stopped()) return Making::cancelled();
        return stored::canonical(std::move(making.model));
    });
}

}  // namespace perfdata
