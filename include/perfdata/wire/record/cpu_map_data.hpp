// SPDX-License-Identifier: MIT
// A set of CPUs, in CPU_MAP and EVENT_UPDATE: a list, a bitmap or a range, whichever was shortest.
// cpu_map_data__alloc in tools/perf/util/synthetic-events.c.
#pragma once

#include <bit>

#include "perfdata/core/cursor.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      0 u16 type
//        0 CPUS:   2 u16 nr . 4 u16 cpu[nr]
//        1 MASK:   2 u16 nr . 4 u16 long_size . 6 u32 mask[nr] if that is 4, 10 u64 mask[nr] if it is 8
//        2 RANGE:  2 u8 any_cpu . 3 u8 0 . 4 u16 start_cpu . 6 u16 end_cpu, inclusive (perf 6.0)
struct CpuMapData {
    // Kind is which of the three forms it has: PERF_CPU_MAP__* of libperf.
    enum class Kind : std::uint16_t { cpus = 0, mask = 1, range = 2 };

    static constexpr int any_cpu = -1;  // what for_each_cpu() passes for "no CPU selected"

    // Range is what kind `range` has.
    struct Range {
        bool any = false;                   // any_cpu belongs to the set, too
        std::uint16_t first = 0, last = 0;  // CPU numbers; the last one is included
    };

    std::uint16_t kind = 0;           // Kind, or a newer perf's: then only `unknown` is filled, else the kind's member
    std::uint16_t long_size = 0;      // bytes of a word of the mask: 4 or 8; 0 if it is no mask
    ArrayView<std::uint16_t> cpus;    // 0xffff: any
    ArrayView<std::uint32_t> mask32;  // bit n of word i: CPU 32 * i + n; empty unless long_size is 4
    U64View<AnyOrder> mask64;         // bit n of word i: CPU 64 * i + n; empty unless long_size is 8
    Range range;                      // valid if kind is `range`
    Bytes unknown;                    // the body of a kind that we do not know; lives as long as the record

    // for_each_cpu(visit) calls visit(int) for each CPU; any_cpu among them means that no CPU was selected.
    template <class Visit>
    void for_each_cpu(Visit&& visit) const {
        for (std::size_t index = 0; index < cpus.size(); ++index) visit(cpus[index] == 0xffff ? any_cpu : cpus[index]);
        for_each_bit(mask32, visit);
        for_each_bit(mask64, visit);
        if (static_cast<Kind>(kind) != Kind::range) return;
        if (range.any) visit(any_cpu);
        for (int cpu = range.first; cpu <= range.last; ++cpu) visit(cpu);
    }

    // take(in) reads one. The cursor's place names the record in errors.
    static Result<CpuMapData> take(Cursor& in) {
        CpuMapData data;
        data.kind = in.u16();
        switch (static_cast<Kind>(data.kind)) {
            case Kind::cpus: data.cpus = take_array<std::uint16_t>(in, in.u16()); break;
            case Kind::mask: {
                const auto count = in.u16();
                data.long_size = in.u16();
                if (data.long_size == 4) {
                    data.mask32 = take_array<std::uint32_t>(in, count);
                } else if (data.long_size == 8) {
                    in.skip(4);
                    data.mask64 = take_words(in, count);
                } else if (in.ok()) {
                    return in.contradiction("the size of a word of the CPU mask");
                }
                break;
            }
            case Kind::range:
                data.range.any = in.u8() != 0;
                in.skip(1);
                data.range.first = in.u16();
                data.range.last = in.u16();
                if (in.ok() && data.range.last < data.range.first) return in.contradiction("the range of CPUs");
                break;
            default: data.unknown = in.rest();
        }
        if (!in.ok()) return in.failure("the CPUs");
        return data;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("type", kind);
        switch (static_cast<Kind>(kind)) {
            case Kind::cpus:
                visit("nr", static_cast<std::uint16_t>(cpus.size()));
                visit("cpu", cpus);
                return;
            case Kind::mask:
                visit("nr", static_cast<std::uint16_t>(mask32.size() + mask64.size()));
                visit("long_size", long_size);
                if (long_size == 4) visit("mask", mask32);
                if (long_size == 8) visit("mask", mask64);
                return;
            case Kind::range:
                visit("any_cpu", range.any);
                visit("start_cpu", range.first);
                visit("end_cpu", range.last);
                return;
        }
        visit("data", unknown);
    }

  private:
    template <class Mask, class Visit>
    static void for_each_bit(const Mask& mask, Visit& visit) {
        for (std::size_t index = 0; index < mask.size(); ++index) {
            constexpr auto width = 8 * sizeof(mask[0]);
            for (auto bits = mask[index]; bits != 0; bits &= bits - 1) {
                visit(static_cast<int>(index * width) + std::countr_zero(bits));
            }
        }
    }
};

}  // namespace perfdata
