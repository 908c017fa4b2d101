// SPDX-License-Identifier: MIT
// Replays the process records in time order into Tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/history_builder.hpp"
#include "perfdata/timeline/tasks.hpp"

#include "keyed_table.hpp"
#include "recording/look_out.hpp"

namespace perfdata {

class TasksBuilder {
  public:
    TasksBuilder(DiagnosticLog& diagnostics, const Limits& limits) : diagnostics_(diagnostics), limits_(limits) {}

    // expect(bytes) makes room for the records of a recording of that size, so that tables seldom move (4 % of the
    // first pass of 151 MB). Room that stays empty takes no memory, only addresses.
    void expect(std::uint64_t bytes);

    // Visitor of the walk: takes what it needs from each record.
    void operator()(const RecordContext& context, const Mmap& map);
    void operator()(const RecordContext& context, const Mmap2& map);
    void operator()(const RecordContext& context, const Comm& comm);
    void operator()(const RecordContext& context, const Fork& fork);
    void operator()(const RecordContext& context, const Exit& exit);
    void operator()(const RecordContext& context, const Namespaces& namespaces);
    void operator()(const RecordContext& context, const Cgroup& cgroup);
    void operator()(const RecordContext& context, const IdIndex& index);

    // finish(look) replays the records taken.
    Tasks finish(LookOut& look) &&;

  private:
    enum class Kind : std::uint8_t { map, kernel_map, name, exec, fork, synthesized_fork, exit, namespaces };
    // Change is one record: `index` is its place in mappings_ or events_.
    struct Change {
        Time time;
        std::uint32_t index;
        Machine machine;
        Kind kind;
    };
    // Event is a record other than MMAP. `value`: index of the name or of the namespaces.
    struct Event {
        Pid pid;
        Tid tid;
        Pid parent_pid;
        Tid parent_tid;
        std::uint32_t value = 0;
    };
    // State of one thread during the replay.
    struct State {
        static constexpr std::uint32_t no_comm = ~std::uint32_t{0};
        std::uint32_t life = 0;  // index in Tasks::threads()
        std::uint32_t comm = no_comm;
        Pid pid;
    };

    template <class Map>
    void take_mapping(const RecordContext& context, const Map& map, Mapping mapping, Object object);
    bool room_for_more(std::uint64_t offset);
    void take(const RecordContext& context, Kind kind, const Event& event);
    Machine machine_of(const RecordContext& context) const;
    ObjectIndex intern(std::string_view path, bool kernel, Object object);
    std::uint32_t intern(std::string_view comm);

    void replay(const Change& change);
    void fork(const Change& change, const Event& event);
    void exit(const Change& change, const Event& event);
    void set_comm(const Change& change, const Event& event);
    SpaceIndex space_of(Machine machine, Pid pid);
    SpaceIndex kernel_space_of(Machine machine);
    void start(Machine machine, Pid pid, Time time, SpaceIndex space, bool exec);
    State& thread_of(Machine machine, Pid pid, Tid tid);
    State& begin_thread(Machine machine, Time time, const Event& event);

    DiagnosticLog& diagnostics_;
    const Limits& limits_;
    Tasks tasks_;
    std::vector<Change> changes_;
    std::vector<Mapping> mappings_;
    std::vector<Event> events_;
    // Keyed hashes: a search takes constant time. The other maps are trees: log n.
    std::unordered_multimap<std::uint64_t, ObjectIndex, KeyedHash> objects_;  // by hash
    ObjectIndex last_object_ = 0;
    std::vector<ObjectIndex> followers_;  // by object: the one that was mapped next after it, the last time
    std::map<std::string, std::uint32_t, std::less<>> comms_;
    std::map<std::vector<std::pair<std::uint64_t, std::uint64_t>>, std::uint32_t> namespace_sets_;
    std::unordered_map<EventId, Machine, KeyedHash> guests_;  // keyed: a constant for each search
    bool full_ = false;

    // State of the replay, by Tasks::key().
    AddressSpaces::Builder spaces_;
    KeyedTable<SpaceIndex> space_now_;
    KeyedTable<State> threads_;
    History<Tasks::Start>::Builder starts_;
    History<std::uint32_t>::Builder comm_history_, thread_history_, namespace_history_;
};

}  // namespace perfdata
