// SPDX-License-Identifier: MIT
// Replays KSYMBOL and BPF_EVENT records in order of time into the versions of a Timeline.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "text_patches_builder.hpp"

namespace perfdata {

class TimelineBuilder {
  public:
    TimelineBuilder(Timeline& timeline, const Limits& limits)
        : timeline_(timeline), limits_(limits), patches_(limits) {}

    // Visitor of the walk: takes in what it needs of each record.
    void operator()(const RecordContext& context, const Ksymbol& symbol);
    void operator()(const RecordContext& context, const BpfEvent& event);
    void operator()(const RecordContext& context, const TextPoke& poke);
    void operator()(const RecordContext& context, const HeaderBuildId& header);
    void operator()(const RecordContext& context, const Mmap& map) { take_mapping(context, map); }
    void operator()(const RecordContext& context, const Mmap2& map) { take_mapping(context, map); }

    // finish() replays what was taken in and completes the timeline.
    void finish();

  private:
    // Who wrote a record: one load writes its KSYMBOLs and then its BPF_EVENT from one thread on one CPU, so that
    // they can be told from those of another load at the same time. All zero for synthesized records.
    using Writer = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

    struct Symbol {
        Address address;
        std::uint32_t size;
        std::uint16_t kind;
        bool unregister;
        std::string name;
    };
    struct Program {
        std::uint16_t kind;
        ProgramId id;
        BpfTag tag;
    };
    struct Change {
        Time time;
        std::size_t sequence;  // in the file
        Writer writer;
        std::variant<Symbol, Program> what;
    };

    template <class Map>
    void take_mapping(const RecordContext& context, const Map& map);
    bool room_for_more(std::uint64_t offset);
    void take_change(const RecordContext& context, std::variant<Symbol, Program> what);

    void replay(Time time, const Writer& writer, const Symbol& symbol);
    void replay(Time time, const Writer& writer, const Program& program);
    void load(Time time, const Writer& writer, const Program& program);
    void unload(Time time, const Program& program);

    bool is_live(CodeIndex index);
    bool still_there(const BpfLoad& load);
    std::vector<CodeIndex> still_live(std::vector<CodeIndex> written);
    std::vector<CodeIndex> functions_of(const Writer& writer, const Program& program, const BpfProgramInfo* info);
    void attach(Time time, CodeIndex code, std::uint32_t load, std::uint32_t subprogram);
    CodeIndex add_code(VersionedMap<CodeIndex>::Builder& map, Time time, Code code);
    void add_programs_without_records();
    void claim_by_info();
    void close_intervals();
    void end_forgotten_loads();
    void sort_loads();

    Timeline& timeline_;
    const Limits& limits_;
    std::vector<Change> changes_;
    TextPatchesBuilder patches_;
    VersionedMap<CodeIndex>::Builder programs_{Overlap::ends};
    VersionedMap<CodeIndex>::Builder images_{Overlap::hides};
    std::map<Writer, std::vector<CodeIndex>> unclaimed_;  // registered by a writer since its last BPF_EVENT
    std::map<std::uint32_t, std::uint32_t> loads_by_id_;  // the latest load of a program id
    bool full_ = false;
    bool build_ids_full_ = false;
};

}  // namespace perfdata
