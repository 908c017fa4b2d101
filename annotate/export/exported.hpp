// SPDX-License-Identifier: MIT
// A profile as formats of other tools want it: stacks of named places, each once. Plain data.
//
//     SampleCounts            Exported                                      pprof       Firefox       callgrind
//     task                    tasks: command, pid, tid                      label       thread        -
//     chain (node, caller)    nodes: place, caller                          stack       stackTable    calls
//     frame                   places: function, object, address, line       location    frameTable    instr line
//     name of a frame         functions: name, file, line                   function    funcTable     fn, fl
//     object of a name        objects: path, build id, addresses            mapping     lib           ob
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/format/recording_facts.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/code_class.hpp"

namespace perfdata {

// AddressOf is what the addresses in an object mean.
enum class AddressOf : std::uint8_t {
    memory,   // where the code ran: kernel, BPF, JIT
    program,  // virtual addresses of the ELF file, as nm and objdump show them
    file,     // offsets in the file, which was not found
};

// ExportObject is a file, a BPF program, the kernel, or other memory with code.
struct ExportObject {
    std::string path;      // in full; "[bpf:ID:NAME]" for a BPF program, "[unknown]" where nothing is known
    std::string build_id;  // hexadecimal; for a BPF program its tag; empty: not recorded
    CodeClass kind = CodeClass::unknown;
    AddressOf addresses = AddressOf::memory;
    // The addresses of its places are in [begin, end).
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
    bool has_names = false, has_lines = false, has_inlined = false;  // a place in it has that
};

// ExportFunction is a function, or all code of an object that has no name.
struct ExportFunction {
    std::string name;          // "function" or "program/function" for BPF code; without a name "[object]"
    std::string_view symbol;   // as the kernel or the file names it; empty: no name
    std::string_view file;     // source file; empty: unknown
    std::uint32_t line = 0;    // where it begins in the file; 0: unknown
    std::uint32_t object = 0;  // index in Exported::objects
    CodeClass kind = CodeClass::unknown;
    std::optional<std::uint64_t> begin;  // address of its first byte, as in ExportPlace; empty: unknown
};

// ExportPlace is an address in a function, or where a function was inlined there.
struct ExportPlace {
    std::uint32_t function = 0;          // index in Exported::functions
    std::uint32_t object = 0;            // index in Exported::objects
    std::uint64_t address = 0;           // see ExportObject::begin; of a caller, the last byte of its call
    std::string_view file;               // source file; empty: unknown
    std::uint32_t line = 0, column = 0;  // 0: unknown
    bool inlined = false;                // into the nearest caller that is not
};

// ExportNode is a stack: a place and its callers, as ChainNode is.
struct ExportNode {
    static constexpr std::uint32_t none = ChainNode::none;

    std::uint32_t caller = none;  // index of an earlier node; none: outermost
    std::uint32_t place = 0;      // index in Exported::places
};

// ExportEvent is a column.
struct ExportEvent {
    std::string name;          // as Event::name
    std::uint32_t index = 0;   // in recording.events()
    bool nanoseconds = false;  // its periods are nanoseconds: cpu-clock and task-clock; else they count the event
    std::uint64_t period = 0;  // events per sample, if it is fixed; 0: it varies
};

// ExportTask is a thread.
struct ExportTask {
    std::string comm;  // ":TID" if unknown; what is longer than a kernel's is cut
    Pid pid{0};
    Tid tid{0};
    bool further = false;  // all threads beyond the limits
};

// ExportSample is one sample that counts. Exported::samples has them in the order of time, without a time first.
struct ExportSample {
    std::uint64_t nanoseconds = 0;  // by the clock of the recording; 0: not recorded
    std::uint64_t periods = 0;
    std::uint32_t column = 0;  // index in Exported::events
    std::uint32_t task = 0;    // index in Exported::tasks
    std::uint32_t node = 0;    // index in Exported::nodes
};

// ExportedOptions says what a format has use for.
struct ExportedOptions {
    bool addresses = true;  // false: functions only; places are their beginnings, without lines
    bool lines = true;      // of places and functions
    bool samples = false;   // each sample with its time
    bool inlines = true;
    std::uint32_t max_stack = SampleCountOptions().max_stack;
    SampleFilter filter;
    StopToken stop;
    Progress progress = {};
    unsigned jobs = 1;  // see SampleCountOptions::jobs
};

// ExportCell is the samples of one event.
struct ExportCell {
    std::uint32_t column = 0;  // index in Exported::events
    EventCount count;
};

// ExportCells is the cells of a row that have samples, in the order of columns. Recordings may have many events, and
// most rows samples of few.
class ExportCells {
  public:
    ExportCells() = default;
    explicit ExportCells(std::span<const ExportCell> cells) : cells_(cells) {}

    // Returns the counts of a column; zeros if it has no samples. log n in the number of cells.
    EventCount operator[](std::size_t column) const;
    auto begin() const { return cells_.begin(); }
    auto end() const { return cells_.end(); }

  private:
    std::span<const ExportCell> cells_;
};

// Exported does not change once made. It can be moved. Views live as long as the Symbolizer.
struct Exported {
    // Row is the samples of a task that end in a node.
    struct Row {
        std::uint32_t task = 0, node = 0;
        ExportCells cells;  // live as long as the Exported
    };

    RecordingFacts recording;         // with the times of the counted samples
    std::vector<ExportEvent> events;  // columns: events with samples, in the order of the recording
    std::vector<ExportTask> tasks;
    std::vector<ExportObject> objects;
    std::vector<ExportFunction> functions;
    std::vector<ExportPlace> places;
    std::vector<ExportNode> nodes;  // callers have lower numbers than their callees
    std::vector<Row> rows;
    std::vector<ExportCell> cells;      // of all rows
    EventCounts totals;                 // by column: the sum of all rows
    std::vector<ExportSample> samples;  // only if asked for
    // How many places formats may spell that write each stack with all of its callers (see StackRoom). A sample of a
    // recording has at most max_stack of them; of a profile file it is 512 for each node and cell, and 2^20 in any
    // case.
    std::uint64_t most_places = ~std::uint64_t{0};
    // What is missing, for messages.
    SampleCounts counts;
    std::vector<Error> line_problems;  // of each file the first error of each kind
    bool unnamed_kernel = false;       // kernel code lacks names

    // Counts the samples and names their places. Errors: those of SampleCounts::count().
    static Result<Exported> make(const Recording& recording, const Symbolizer& symbolizer,
                                 const ExportedOptions& options);
};

}  // namespace perfdata
