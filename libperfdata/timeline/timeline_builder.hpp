// SPDX-License-Identifier: MIT
// Replays KSYMBOL and BPF_EVENT records in time order into the versions of a Timeline:
//
//     record                  writer    code_                     unclaimed_[w]    loads_
//     KSYMBOL f               w         f begins                  f
//     KSYMBOL g               w         g begins                  f g
//     BPF_EVENT load          w         f and g belong to it      -                begins, has f and g
//     KSYMBOL f, unregister             f ends
//     KSYMBOL g, unregister             g ends
//     BPF_EVENT unload                  what is left of it ends                    ends
//
// If BPF_PROG_INFO has the addresses of a program's functions, its load claims the live code there instead. A load
// whose unload is missing ends with the last of its code. Code that no load claimed goes to programs in BPF_PROG_INFO
// without a load, by place and time: see claim_by_info().
//
// What bounds its cost: each record is one change of the maps by address, which are trees; it ends earlier
// registrations, each of them only once. A load searches the functions of its program once, however often the program
// is loaded, and otherwise only what was registered since the load before. So time is n log n in the number of records
// and of functions in BPF_PROG_INFO, and memory a constant for each: names are stored once, and shared.
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
#include "perfdata/timeline/versioned_map_builder.hpp"

#include "recording/look_out.hpp"
#include "text_patches_builder.hpp"

namespace perfdata {

class TimelineBuilder {
  public:
    TimelineBuilder(Timeline& timeline, const Limits& limits)
        : timeline_(timeline), limits_(limits), patches_(limits) {}

    // take_build_ids(recording) takes those of the feature BUILD_ID.
    void take_build_ids(const Recording& recording);

    // Visitor of the walk: takes what it needs from each record.
    void operator()(const RecordContext& context, const Ksymbol& symbol);
    void operator()(const RecordContext& context, const BpfEvent& event);
    void operator()(const RecordContext& context, const TextPoke& poke);
    void operator()(const RecordContext& context, const HeaderBuildId& header);
    void operator()(const RecordContext& context, const Mmap& map) { take_mapping(context, map); }
    void operator()(const RecordContext& context, const Mmap2& map) { take_mapping(context, map); }

    // finish(look) replays the records taken and completes the timeline.
    void finish(LookOut& look);

  private:
    // The writer of a record: one load writes its KSYMBOLs and then its BPF_EVENT from one thread on one CPU, which
    // separates them from those of another load at the same time. All zero for synthesized records.
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
    // Function is code and its function number in the program.
    struct Function {
        CodeIndex code;
        std::uint32_t subprogram;
    };
    // Places is the functions of a program by address; the first of those at one address.
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
    void close_intervals(LookOut& look);
    void end_forgotten_loads();
    void name_loads();
    void sort_loads();

    Timeline& timeline_;
    const Limits& limits_;
    std::vector<Change> changes_;
    TextPatchesBuilder patches_;
    VersionedMap<CodeIndex>::Builder programs_{Overlap::ends};
    VersionedMap<CodeIndex>::Builder images_{Overlap::hides};
    std::map<Writer, std::vector<CodeIndex>> unclaimed_;  // code registered by a writer since its last BPF_EVENT
    std::map<std::uint32_t, std::uint32_t> loads_by_id_;  // the latest load of a program id
    std::vector<std::size_t> gone_;                       // of each load: how many of its first functions have ended
    std::map<std::uint32_t, Places> places_;              // of programs that were loaded, by id
    bool full_ = false;
    bool build_ids_full_ = false;
};

}  // namespace perfdata
