// SPDX-License-Identifier: MIT
// What a profile file says of code: objects, BPF programs, functions with their versions, bytes and lines.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "facts.hpp"

namespace perfdata::stored {

// What keep_only() leaves out of a row stands at its end: so the least of several rows is the same with and without it.

// Segment is a part of an ELF file that is loaded: what ElfFile::vaddr() needs.
struct Segment {
    std::uint64_t offset = 0, size = 0, address = 0;  // in the file, and where the file wants it

    auto operator<=>(const Segment&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.offset, row.size, row.address);
    }
};

// ObjectFile is what Symbolizer::file() and missing_debug() say.
struct ObjectFile {
    bool missing = false;   // no file: `miss` says why
    SymbolMissChoice miss;  // valid if missing
    Ref<Text> path;         // FoundObject::path
    std::vector<Segment> segments;
    Ref<Text> debug_name;         // MissingDebugFile::name; nothing: nothing is missing
    SymbolMissChoice debug_miss;  // MissingDebugFile::why

    auto operator<=>(const ObjectFile&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.missing, row.miss, row.path, row.segments, row.debug_name, row.debug_miss);
    }
};

// Object is an Object of the timeline. Merged: one of each kind and build-id; without a build-id, of each kind and
// path.
struct Object {
    ObjectKindChoice kind;
    std::string build_id;  // as recorded, of the kernel too; at most 20 bytes; empty: not recorded
    Ref<Text> path;        // merged: the least
    // FileInode: tells objects of one recording apart. All 0: not recorded, and after merging.
    std::uint32_t major = 0, minor = 0;
    std::uint64_t inode = 0, generation = 0;
    // Of the kernel: where its text began (KernelMapping::range). Offsets in it count from here. Merged: the least.
    std::uint64_t base = 0;
    ObjectFile file;  // merged: the least

    auto operator<=>(const Object&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.kind, row.build_id, row.path, row.major, row.minor, row.inode, row.generation, row.base, row.file);
    }
};

// LoadInfo is what pages show of a BpfProgramInfo.
struct LoadInfo {
    bool known = false;  // BpfLoad::info is not null
    std::uint32_t type = 0;
    std::uint32_t jited_size = 0, xlated_size = 0, created_by_uid = 0, btf_id = 0, map_count = 0;
    std::uint64_t load_time = 0, run_time_ns = 0, run_count = 0, recursion_misses = 0;
    std::uint32_t verified_instructions = 0, attach_btf_object_id = 0, attach_btf_id = 0;
    Ref<Text> name;
    std::vector<std::uint32_t> map_ids;
    std::vector<std::uint64_t> function_tags;  // of tags(), as big-endian numbers

    auto operator<=>(const LoadInfo&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.known, row.type, row.jited_size, row.xlated_size, row.created_by_uid, row.btf_id, row.map_count,
             row.load_time, row.run_time_ns, row.run_count, row.recursion_misses, row.verified_instructions,
             row.attach_btf_object_id, row.attach_btf_id, row.name, row.map_ids, row.function_tags);
    }
};

// Load is a BpfLoad. Merged: one of each tag and program name.
struct Load {
    std::uint64_t loaded_at = 0, unloaded_at = ~std::uint64_t{0};  // merged: before, and after all
    std::uint64_t tag = 0;                                         // BpfLoad::tag as a big-endian number
    Ref<Text> program_name;                                        // BpfPrograms::program_name()
    std::uint32_t id = 0;                                          // merged: the least
    Ref<Text> symbol_name;                                         // BpfLoad::symbol_name
    std::uint32_t functions = 0;                                   // BpfLoad::function_count(); merged: the most
    LoadInfo info;                                                 // merged: the least
    std::vector<Problem> problem;                                  // BpfPrograms::problem(): none or one

    auto operator<=>(const Load&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.loaded_at, row.unloaded_at, row.tag, row.program_name, row.id, row.symbol_name, row.functions,
             row.info, row.problem);
    }
};

// Code is a Code of the timeline. Merged: one of each kind, symbol, load and subprogram. Rows are by time, as
// Timeline::code() is; code of one load is in the order of BpfLoad::functions by its subprogram.
struct Code {
    std::uint64_t from = 0, until = ~std::uint64_t{0};
    std::uint64_t address = 0;  // merged: the least
    CodeKindChoice kind;
    Ref<Text> symbol;
    Ref<Load> load;  // nothing: no program claims it
    std::uint32_t subprogram = 0;
    std::uint64_t size = 0;              // merged: the most
    Ref<Text> name, program, prototype;  // FunctionName of BpfPrograms::name()

    auto operator<=>(const Code&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.from, row.until, row.address, row.kind, row.symbol, row.load, row.subprogram, row.size, row.name,
             row.program, row.prototype);
    }
};

// SourcePlace is a SourceLine.
struct SourcePlace {
    Ref<Text> file;
    std::uint32_t line = 0, column = 0;
    Ref<Text> text;

    auto operator<=>(const SourcePlace&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.file, row.line, row.column, row.text);
    }
};

// Call is the outermost of some InlinedCalls, with those inside of it... read from the inside: `outer` is the call that
// contains this one. The table is a tree like that of Node: `outer` is an earlier row.
struct Call {
    Ref<Call> outer;
    Ref<Text> function;      // InlinedCall::function
    Ref<SourcePlace> place;  // InlinedCall::call

    auto operator<=>(const Call&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.outer, row.function, row.place);
    }
};

// Nameless is what is said of a frame without a symbol.
struct Nameless {
    CodeClassChoice kind;
    SymbolMissChoice miss;     // FrameName::miss
    bool wants_name = false;   // FunctionIndex::nameless() is not empty
    Ref<Text> reason, remedy;  // Symbolizer::why_unnamed()
    Ref<Text> object;          // FrameName::object

    auto operator<=>(const Nameless&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.kind, row.miss, row.wants_name, row.reason, row.remedy, row.object);
    }
};

// Function is a named function, without its versions. What it is named by depends on its kind:
//
//   kind      the place of its first byte                                  merged: one of each
//   object    `object`, `begin` in the file (of the kernel: behind base)   object, begin, symbol
//   code      `code`                                                       code
//   jit       `number` of the JIT function in the recording, `address`     symbol, code_hash
//   memory    `number` is the pid, `begin` the address                     symbol, object_name, size
//   nowhere   `number` is the Miss, `begin` the address                    symbol, object_name, size, number
struct Function {
    FrameKindChoice kind = frame_kind::object;  // never inlined
    Ref<Object> object;
    Ref<Code> code;
    std::uint32_t number = 0;      // merged: the least
    std::uint64_t begin = 0;       // likewise
    Ref<Text> symbol;              // FrameName::symbol
    std::string code_hash;         // of JIT code: SHA-256 of its bytes, 32 bytes; of other code empty
    std::uint64_t size = 0;        // FunctionExtent::size; merged: the most
    bool has_address = false;      // FunctionExtent::address is there
    std::uint64_t address = 0;     // merged: the least
    Ref<Text> object_name;         // FrameName::object; of the kernel's without a mapping too
    CodeClassChoice kind_of_code;  // FrameName::kind
    // CodePlace: `place_from` is equal for functions with equal CodeOrigin::id. Name it by what is read: a path.
    CodeOriginChoice place_kind;
    Ref<Text> place_from;
    std::uint64_t place_begin = 0;

    auto operator<=>(const Function&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.kind, row.object, row.code, row.number, row.begin, row.symbol, row.code_hash, row.size,
             row.has_address, row.address, row.object_name, row.kind_of_code, row.place_kind, row.place_from,
             row.place_begin);
    }
};

// Gap, Change, Relocation and Target are parts of an image.
struct Gap {
    std::uint64_t offset = 0, size = 0;

    auto operator<=>(const Gap&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.offset, row.size);
    }
};
struct Change {
    std::uint64_t offset = 0, time = 0;  // merged: at no time
    std::string before, after;

    auto operator<=>(const Change&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.offset, row.time, row.before, row.after);
    }
};
struct Relocation {
    std::uint64_t offset = 0;
    Ref<Text> symbol;
    std::uint64_t addend = 0;  // its bits
    RelocationBaseChoice base;

    auto operator<=>(const Relocation&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.offset, row.symbol, row.addend, row.base);
    }
};
// Target is what the listing of an image names at an address outside of it (ListingTargets). Sorted by address.
struct Target {
    std::uint64_t address = 0;  // as in the instruction
    bool constant = false;      // of function_at(), for constants; else of resolve()
    Ref<Text> name;             // never nothing: addresses without a name are not here
    std::uint64_t offset = 0;   // from the start of what is named

    auto operator<=>(const Target&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.address, row.constant, row.name, row.offset);
    }
};

// Image is a CodeImage, or why there is none.
struct Image {
    bool absent = false;  // not kept, or Symbolizer::image() failed: `problems` has the one reason
    std::string bytes;
    std::uint64_t address = 0;    // CodeImage::address
    std::vector<Gap> gaps;        // by offset
    std::vector<Change> changes;  // by time
    std::vector<Relocation> relocations;
    std::vector<Problem> problems;
    std::vector<Target> targets;
    Ref<Text> origin;  // CodeImage::origin

    auto operator<=>(const Image&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.absent, row.bytes, row.address, row.gaps, row.changes, row.relocations, row.problems, row.targets,
             row.origin);
    }
};

// Version is one version of a function's code. Each function has at least one, number 0; they follow each other.
// Merged: one of each function and number, with the least image; `differs` if there were others.
struct Version {
    Ref<Function> function;
    std::uint32_t number = 0;
    std::uint64_t from = 0, until = ~std::uint64_t{0};
    bool differs = false;  // bytes, or what they jump to, differ between the recordings
    Image image;

    auto operator<=>(const Version&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.function, row.number, row.from, row.until, row.differs, row.image);
    }
};

// LineStart is a LineStart of symbols.
struct LineStart {
    std::uint64_t offset = 0;  // ascending
    std::uint32_t instruction = 0;
    Ref<SourcePlace> place;
    Ref<Call> calls;  // the innermost of LineStart::inlined

    auto operator<=>(const LineStart&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.offset, row.instruction, row.place, row.calls);
    }
};

// Lines is what Symbolizer says of the lines of a function: of all of its bytes. Merged: one of each function, the
// least, those without a problem before others.
struct Lines {
    Ref<Function> function;
    bool failed = false;  // lines() failed: `problem` says why
    LinesOriginChoice origin;
    std::uint64_t at = 0;  // LinesOrigin::at
    std::vector<LineStart> starts;
    std::vector<Problem> problem;  // none or one: of lines(), else of lines_problem()
    Ref<Text> from;                // equal for functions with equal LinesOrigin::from. Name it by what is read: a path

    auto operator<=>(const Lines&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.function, row.failed, row.origin, row.at, row.starts, row.problem, row.from);
    }
};

}  // namespace perfdata::stored
