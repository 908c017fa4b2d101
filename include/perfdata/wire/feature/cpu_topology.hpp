// SPDX-License-Identifier: MIT
// CPU_TOPOLOGY (13): which CPUs share a socket, a die, a core. write_cpu_topology in tools/perf/util/header.c.
#pragma once

#include <optional>

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

// CpuPlace is the location of one CPU; -1: not reported by the kernel (s390, offline CPUs).
struct CpuPlace {
    static constexpr std::size_t bytes = 8;  // size on disk

    std::int32_t core = -1;    // core_id of sysfs: unique within its socket or die
    std::int32_t socket = -1;  // physical_package_id of sysfs

    // decode(at, order) reads the two words at `at`.
    static CpuPlace decode(const std::byte* at, AnyOrder order) {
        return {static_cast<std::int32_t>(order.load<std::uint32_t>(at)),
                static_cast<std::int32_t>(order.load<std::uint32_t>(at + 4))};
    }
};

//     strings sockets . strings threads . [n x { s32 core . s32 socket } . [strings dies . n x u32 die]]
//
// n is the number of available CPUs (NRCPUS); older recorders end earlier: the rest of the section determines what is
// present. Strings are a u32 count and that many CPU lists like "0-3,8".
class CpuTopology {
  public:
    // decode(in, available_cpus): without the number of CPUs everything after the first two lists is undecoded().
    static Result<CpuTopology> decode(Cursor in, std::optional<std::uint32_t> available_cpus) {
        const auto sockets = skip_feature_strings(in);
        const auto threads = skip_feature_strings(in);
        if (!in.ok()) return in.failure("the lists of sockets and threads");
        CpuTopology topology(sockets, threads);
        if (in.remaining() == 0) return topology;
        if (!available_cpus) {
            topology.undecoded_ = in.rest();
            return topology;
        }
        const std::uint64_t cpus = *available_cpus;
        topology.cpus_ = FeatureArray<CpuPlace>(in.bytes(cpus * CpuPlace::bytes), in.order());
        if (!in.ok()) return in.failure("the places of " + std::to_string(cpus) + " CPUs");
        if (in.remaining() == 0) return topology;
        topology.dies_ = skip_feature_strings(in);
        topology.die_of_cpu_ = ArrayView<std::uint32_t>(in.bytes(cpus * 4), 4, in.order());
        if (!in.ok()) return in.failure("the dies of " + std::to_string(cpus) + " CPUs");
        return topology;
    }

    // sockets(), threads(): CPU lists, one per socket and one per core. dies() is empty if not recorded.
    FeatureStringList sockets() const { return sockets_; }
    FeatureStringList threads() const { return threads_; }
    std::optional<FeatureStringList> dies() const { return dies_; }
    // cpus() is the location of every available CPU, die_of_cpu() its die; empty if not recorded.
    const FeatureArray<CpuPlace>& cpus() const { return cpus_; }
    const ArrayView<std::uint32_t>& die_of_cpu() const { return die_of_cpu_; }
    Bytes undecoded() const { return undecoded_; }

  private:
    CpuTopology(FeatureStringList sockets, FeatureStringList threads) : sockets_(sockets), threads_(threads) {}

    FeatureStringList sockets_, threads_;
    std::optional<FeatureStringList> dies_;
    FeatureArray<CpuPlace> cpus_;
    ArrayView<std::uint32_t> die_of_cpu_;
    Bytes undecoded_;
};

}  // namespace perfdata
