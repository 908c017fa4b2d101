// SPDX-License-Identifier: MIT
// Profile files: pprof's format, with tables of our own in fields that other readers skip. docs/profile-format.md has
// the format.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/source.hpp"

#include "model.hpp"

namespace perfdata::stored {

// The version that is written. Files of newer ones are refused.
inline constexpr std::uint32_t profile_version = 1;

// is_profile(start) returns true if an unpacked file that begins with these bytes is a profile file of any version: 32
// bytes are enough.
bool is_profile(Bytes start);

// read_profile(source, where, limits, watch) reads an unpacked profile file. `where` is its name in messages. The whole
// file must be sound: what it says is all there is, so there is no reading behind damage. Errors: io, not_perf_data (no
// profile), unsupported (a newer version, which the message names), truncated, malformed, limit, cancelled.
//
// Memory is bounded by the limits: chain_nodes, places (frames), cells, code_versions (functions, versions, codes),
// events, section_bytes (all texts together; one row), and by the file: each row takes at least three bytes in it.
Result<Model> read_profile(const perfdata::Source& source, const std::string& where, const Limits& limits,
                           const Watch& watch = {});

// profile_header(version) returns the first bytes of a file of that version.
std::string profile_header(std::uint32_t version);

// PutBytes takes the next bytes of a file that is written.
using PutBytes = std::function<void(std::string_view)>;

// write_profile(model, put) writes a canonical model, in blocks, not packed: pack it by gzip without a time, and equal
// models are equal bytes.
void write_profile(const Model& model, const PutBytes& put);
// write_tables(model, put) writes that without pprof's part, whatever the model promises.
void write_tables(const Model& model, const PutBytes& put);

}  // namespace perfdata::stored
