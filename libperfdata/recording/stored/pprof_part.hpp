// SPDX-License-Identifier: MIT
// The part of a profile file that `go tool pprof` and other readers of profile.proto show.
#pragma once

#include "profile_file.hpp"

namespace perfdata::stored {

// write_pprof_part(model, put) writes pprof's fields: samples with their stacks, names, lines, and the labels comm, pid
// and tid. Only pprof reads them: read_profile() skips them.
//
// The first most_public_events events are there, and stacks as long as all of them together have no more than
// most_public_places: further samples are without callers. A comment says so.
inline constexpr std::size_t most_public_events = 64;
inline constexpr std::uint64_t most_public_places = std::uint64_t{1} << 26;

void write_pprof_part(const Model& model, const PutBytes& put);

}  // namespace perfdata::stored
