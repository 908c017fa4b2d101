// SPDX-License-Identifier: MIT
// CPU_DOMAIN_INFO (32): the scheduling domains of each CPU. write_cpu_domain_info in tools/perf/util/header.c.
#pragma once

#include <optional>

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

// SchedDomain is one scheduling domain of a CPU: a set of CPUs among which the kernel balances the load.
struct SchedDomain {
    std::uint32_t domain = 0;   // 0 is the innermost
    std::string_view name;      // "SMT", "MC", ...; empty before schedstat version 17. All live as long as the section
    std::string_view cpu_mask;  // hexadecimal
    std::string_view cpus;      // the same as a list like "0-3"
};

//     count x { u32 domain . [string name, if schedstat version >= 17] . string mask . string cpus }, packed
class SchedDomainReader {
  public:
    // Reads `count` domains, with names if `named`. CpuDomainReader makes it.
    SchedDomainReader(Cursor in, std::uint32_t count, bool named)
        : in_(in), count_(count), left_(count), named_(named) {}

    // count() returns the count as written: not checked.
    std::uint32_t count() const { return count_; }
    // cursor() returns the position behind what was read.
    const Cursor& cursor() const { return in_; }

    // next() returns the next domain, empty at the end. After an error the rest of the section cannot be framed.
    Result<std::optional<SchedDomain>> next() {
        if (!in_.ok()) return in_.failure("a domain");
        if (left_ == 0) return std::nullopt;
        if (!in_.fits(left_, named_ ? 16 : 12)) return in_.failure(std::to_string(left_) + " domains");
        --left_;
        SchedDomain domain;
        domain.domain = in_.u32();
        if (named_) domain.name = read_feature_string(in_);
        domain.cpu_mask = read_feature_string(in_);
        domain.cpus = read_feature_string(in_);
        if (!in_.ok()) return in_.failure("a domain");
        return domain;
    }

  private:
    Cursor in_;
    std::uint32_t count_;
    std::uint32_t left_;
    bool named_;
};

// CpuDomains has the domains of one CPU.
struct CpuDomains {
    std::uint32_t cpu = 0;      // its number
    SchedDomainReader domains;  // innermost first
};

//     0 u32 schedstat_version . 4 u32 max_domains . one for each online CPU, until the section ends:
//     { u32 cpu . u32 count . count x domain }, packed
class CpuDomainReader {
  public:
    static constexpr std::uint32_t first_named_version = 17;  // of /proc/schedstat: since then domains have names here

    // `in` is the section
    explicit CpuDomainReader(Cursor in) : in_(in), version_(in_.u32()), max_domains_(in_.u32()) {}

    // schedstat_version() returns the version of /proc/schedstat.
    std::uint32_t schedstat_version() const { return version_; }
    std::uint32_t max_domains() const { return max_domains_; }
    // ok() returns true if both could be read.
    bool ok() const { return in_.ok(); }

    // next() returns the next CPU, empty at the end. After an error the rest of the section cannot be framed.
    Result<std::optional<CpuDomains>> next() {
        if (!in_.ok()) return in_.failure("a CPU or what is before it");
        if (in_.remaining() == 0) return std::nullopt;
        const auto cpu = in_.u32();
        const auto count = in_.u32();
        if (!in_.ok()) return in_.failure("a CPU");
        const SchedDomainReader domains(in_, count, version_ >= first_named_version);
        auto walk = domains;
        for (;;) {
            const auto domain = walk.next();
            in_ = walk.cursor();
            if (!domain) return fail(domain.error());
            if (!*domain) return CpuDomains{cpu, domains};
        }
    }

  private:
    Cursor in_;
    std::uint32_t version_;
    std::uint32_t max_domains_;
};

}  // namespace perfdata
