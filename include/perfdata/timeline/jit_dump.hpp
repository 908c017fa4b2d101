// SPDX-License-Identifier: MIT
// A jitdump file, read record by record.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/wire/jitdump/header.hpp"

namespace perfdata {

// JitDump is an open jitdump file. It holds the header and the file, no records: memory does not grow with the file.
// Copies share the file. Const use from many threads is safe.
class PERFDATA_EXPORT JitDump {
  public:
    // open(path) reads the header. `name` names the file in errors. Errors: io, truncated, malformed (not a jitdump),
    // unsupported (a later version).
    static Result<JitDump> open(const std::string& path, const Limits& limits = {});
    static Result<JitDump> open(std::shared_ptr<const Source> source, std::string name, const Limits& limits = {});

    const JitDumpHeader& header() const { return header_; }  // as decoded by open()
    const std::string& name() const { return name_; }        // of the file, for errors
    const Limits& limits() const { return limits_; }         // as passed to open()
    const Source& source() const { return *source_; }        // the bytes; live as long as any copy of the dump

    // walk(completeness, visit) is in jit_dump_walk.hpp. It calls visit(const JitRecordView&, const R&) for each record
    // in file order, where R is JitCodeLoad, JitCodeMove, JitDebugInfo, JitCodeClose or JitUnwindingInfo. The arguments
    // live until the next call.
    //
    // Records of other types and damaged ones are skipped: both are counted in `completeness` (by JitRecordType), and
    // its byte counts are those of this file. A truncated record ends the file, as when the compiler still runs or was
    // killed: its bytes are unread, with a diagnostic `truncated`.
    template <class Visit>
    void walk(Completeness& completeness, Visit&& visit) const {
        walk(completeness, visit, [] {});
    }
    // walk(completeness, visit, look) calls look() before each record, also before those that it skips. It may throw.
    template <class Visit, class Look>
    void walk(Completeness& completeness, Visit&& visit, Look&& look) const;

    // read(offset, size) returns that part of the file, for code_at and the like. Errors: io, truncated, limit.
    Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size) const;

  private:
    JitDump(std::shared_ptr<const Source> source, std::string name, const Limits& limits, const JitDumpHeader& header)
        : source_(std::move(source)), name_(std::move(name)), limits_(limits), header_(header) {}

    std::shared_ptr<const Source> source_;
    std::string name_;
    Limits limits_;
    JitDumpHeader header_;
};

}  // namespace perfdata
