// SPDX-License-Identifier: MIT
// Which events of a recording were counted together, as GROUP_DESC tells: perf record -e '{a,b}'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// EventGroups is the groups of a recording. Each event is in one group at most.
class PERFDATA_EXPORT EventGroups {
  public:
    // Group is events that follow each other in recording.events(), the leader first.
    struct Group {
        std::string name;          // as given to perf record; empty: none was given
        std::uint32_t leader = 0;  // index in recording.events()
        std::uint32_t size = 0;    // number of events, at least 2

        // contains(event) returns true if the event with that index is one of them.
        bool contains(std::uint32_t event) const { return event >= leader && event - leader < size; }
        bool operator==(const Group&) const = default;
    };

    // read(recording) reads what is sound; the rest is in diagnostics(). Without the feature there are no groups.
    // Takes no more groups than there are events. A profile has those that its recordings share.
    static EventGroups read(const Recording& recording);

    const std::vector<Group>& groups() const { return groups_; }            // by leader
    const std::vector<Error>& diagnostics() const { return diagnostics_; }  // what could not be read, at most a few
    bool empty() const { return groups_.empty(); }                          // there are none
    // of(event) returns the index in groups() of the group with the event; nothing if it is in none.
    std::optional<std::size_t> of(std::uint32_t event) const;

  private:
    void restore(const stored::Model& model);
    // Takes a group with so many members, of so many events, if it is sound.
    void add(Group group, std::uint32_t members, std::size_t events);

    std::vector<Group> groups_;
    std::vector<Error> diagnostics_;
    std::uint64_t unsound_ = 0;
};

}  // namespace perfdata
