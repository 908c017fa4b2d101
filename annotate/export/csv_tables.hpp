// SPDX-License-Identifier: MIT
// A profile as tables for data bases.
//
//     samples.stack_id -> stacks.stack_id    stacks.frame_id -> frames.frame_id    frames.function_id -> functions
//     frames.object_id, functions.object_id -> objects.object_id                   objects.load_id -> loads.load_id
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "exported.hpp"

namespace perfdata {

// CsvTable is one of the tables.
enum class CsvTable : std::uint8_t {
    samples,    // each sample that counts, in the order of time
    stacks,     // each frame of each distinct stack that has samples; depth 0 is the sampled one
    frames,     // addresses, also where something was inlined, with their lines
    functions,  // and code without names, one for each object
    objects,    // files, the kernel, BPF programs: all that has frames
    loads,      // all BPF programs of the recording from load to unload, also those without samples
};

// CsvTableName is the name of a table: of its file, without .csv.
struct CsvTableName {
    CsvTable table;
    std::string_view name;
};

// All tables, in the order in which they are written.
inline constexpr std::array<CsvTableName, 6> csv_tables{{
    {CsvTable::samples, "samples"},
    {CsvTable::stacks, "stacks"},
    {CsvTable::frames, "frames"},
    {CsvTable::functions, "functions"},
    {CsvTable::objects, "objects"},
    {CsvTable::loads, "loads"},
}};

// csv_table(name) returns the table of that name.
std::optional<CsvTable> csv_table(std::string_view name);

// write_csv_table(...) writes a header and the rows. `exported` was made with addresses, lines and samples, with the
// same symbolizer. Keys are integers from 0 on: the same recording and options give the same keys. See CsvWriter for
// the form of values. Returns how many stacks lack callers, see StackRoom.
std::uint64_t write_csv_table(const Exported& exported, const Symbolizer& symbolizer, CsvTable table, const Sink& sink);

}  // namespace perfdata
