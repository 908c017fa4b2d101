// SPDX-License-Identifier: MIT
// Replays KSYMBOL and BPF_EVENT records in order of time into the versions of a Timeline.
//
// What an adversary can make it cost: each record is one change of the maps by address, which are trees; it ends what
// was registered before it, and that only once. A load looks at the functions of its program once, however often the
// program is loaded, and else at what was registered since the load before. So time is n log n of the records and of
// the functions in BPF_PROG_INFO, and memory a constant for each of them: names are kept once, and shared.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
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

    // take_build_ids(recording) takes those of the feature BUILD_ID.
    void take_build_ids(const Recording& recording);

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
        bool program;           // the name is one of a BPF program
        std::string_view name;  // empty for unregister
    };
    struct Program {
        std::uint16_t kind;
        ProgramId id;
        BpfTag tag;
    };
    struct Change {
        Time time;
        std::uint32_t sequence;  // in the file
        Writer writer;
        std::variant<Symbol, Program> what;
    };

    template <class Map>
    void take_mapping(const RecordContext& context, const Map& map);
    // Function is code, and which function of a program it is.
    struct Function {
        CodeIndex code;
        std::uint32_t subprogram;
    };
    // Places is the functions of a program by address; of those at one address the first.
    using Places = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

    bool room_for_more(std::uint64_t offset, std::size_t known, std::size_t name_size);
    void take_change(const RecordContext& context, std::variant<Symbol, Program> what);

    void replay(Time time, const Writer& writer, const Symbol& symbol);
    void replay(Time time, const Writer& writer, const Program& program);
    void load(Time time, const Writer& writer, const Program& program);
    void unload(Time time, const Program& program);

    bool is_live(CodeIndex index);
    bool still_there(std::uint32_t load);
    std::vector<CodeIndex> still_live(std::vector<CodeIndex> written);
    std::vector<Function> functions_of(const Writer& writer, const Program& program, const BpfProgramInfo* info);
    std::vector<Function> functions_by_address(const BpfProgramInfo& info, const std::vector<CodeIndex>& written);
    std::uint32_t add_load(BpfLoad load);
    void attach(Time time, CodeIndex code, std::uint32_t load, std::uint32_t subprogram);
    CodeIndex add_code(VersionedMap<CodeIndex>::Builder& map, Time time, Code code);
    void add_programs_without_records();
    void claim_by_info();
    void close_intervals();
    void end_forgotten_loads();
    void name_loads();
    void sort_loads();

    Timeline& timeline_;
    const Limits& limits_;
    std::vector<Change> changes_;
    TextPatchesBuilder patches_;
    VersionedMap<CodeIndex>::Builder programs_{Overlap::ends};
    VersionedMap<CodeIndex>::Builder images_{Overlap::hides};
    std::map<Writer, std::vector<CodeIndex>> unclaimed_;  // registered by a writer since its last BPF_EVENT
    std::map<std::uint32_t, std::uint32_t> loads_by_id_;  // the latest load of a program id
    std::vector<std::size_t> gone_;                       // of each load: how many of its first functions ended
    std::map<std::uint32_t, Places> places_;              // of programs that were loaded, by id
    bool full_ = false;
    bool build_ids_full_ = false;
};

}  // namespace perfdata
