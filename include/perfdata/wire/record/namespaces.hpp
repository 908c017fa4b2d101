// SPDX-License-Identifier: MIT
// NAMESPACES (16): the namespaces of a thread. Linux 4.12; perf_event_namespaces_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/identities.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

// namespace_kind(index) returns the kind of the namespace at that index; empty for a newer kernel's.
constexpr std::string_view namespace_kind(std::size_t index) {
    constexpr std::string_view kinds[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
    return index < std::size(kinds) ? kinds[index] : std::string_view{};
}

//      8 u32 pid . 12 u32 tid . 16 u64 nr_namespaces . 24 nr x { u64 dev . u64 ino } . trailer
struct Namespaces {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::namespaces;
    static constexpr std::string_view record_name = "record NAMESPACES";
    static constexpr std::size_t min_bytes = 24;

    using Link = NamespaceLink;  // see wire/identities.hpp

    Pid pid;                  // process of the thread
    Tid tid;                  // the thread that is in these namespaces from now on
    U64View<AnyOrder> links;  // two words each; lives as long as the record

    std::size_t size() const { return links.size() / 2; }  // 7 so far
    // link(index) is of kind namespace_kind(index). The index must be below size().
    Link link(std::size_t index) const { return {links[2 * index], links[2 * index + 1]}; }

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Namespaces> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Namespaces namespaces;
        namespaces.pid = {in.u32()};
        namespaces.tid = {in.u32()};
        const auto count = in.u64();
        if (!in.fits(count, 16)) return in.failure("the namespaces");
        namespaces.links = take_words(in, 2 * count);
        return namespaces;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("pid", pid.value);
        visit("tid", tid.value);
        visit("nr_namespaces", std::uint64_t{size()});
        visit.list("link_info", size(), [&](std::size_t index, auto&& element) {
            element("dev", link(index).device);
            element("ino", link(index).inode);
        });
    }
};

}  // namespace perfdata
