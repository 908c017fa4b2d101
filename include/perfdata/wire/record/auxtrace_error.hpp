// SPDX-License-Identifier: MIT
// AUXTRACE_ERROR (72): AUX data could not be decoded. perf 4.2; auxtrace_synth_error in tools/perf/util/auxtrace.c.
#pragma once

#include <optional>

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      8 u32 type . 12 u32 code . 16 u32 cpu . 20 u32 pid . 24 u32 tid . 28 u32 fmt . 32 u64 ip
//     40 fmt 0:  msg, at most 64 bytes with its NUL
//        fmt 1:  u64 time . 48 msg, the same (perf 5.1)
//        fmt 2:  u64 time . 48 char msg[64] . 112 u32 machine_pid . 116 u32 vcpu (perf 6.0)
struct AuxtraceError {
    static constexpr auto type = RecordType::auxtrace_error;                  // in the record's header
    static constexpr std::string_view record_name = "record AUXTRACE_ERROR";  // in errors
    static constexpr std::size_t min_bytes = 41;                              // with the header, without a trailer
    static constexpr std::size_t message_bytes = 64;                          // of msg on disk, with its NUL

    // Guest is the virtual machine in whose trace the error is.
    struct Guest {
        std::uint32_t machine_pid = 0;  // pid of its host process; 0: the host itself
        std::uint32_t vcpu = 0;         // number of its virtual CPU
    };

    std::uint32_t kind = 0;      // 1: an instruction trace
    std::uint32_t code = 0;      // the decoder's own number
    std::uint32_t cpu = 0;       // all ones: unknown
    Pid pid;                     // all ones: unknown
    Tid tid;                     // all ones: unknown
    std::uint32_t format = 0;    // fmt: which of the three layouts above; later ones are read as 2
    Address ip;                  // where the trace was when it went wrong; 0: unknown
    std::optional<Time> time;    // since format 1
    std::string_view message;    // lives as long as the record
    std::optional<Guest> guest;  // since format 2

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<AuxtraceError> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        AuxtraceError error;
        error.kind = in.u32();
        error.code = in.u32();
        error.cpu = in.u32();
        error.pid = {in.u32()};
        error.tid = {in.u32()};
        error.format = in.u32();
        error.ip = {in.u64()};
        if (error.format >= 1) error.time = Time{in.u64()};
        if (error.format >= 2) {
            error.message = take_text(in, message_bytes);
            error.guest = Guest{.machine_pid = in.u32(), .vcpu = in.u32()};
        } else {
            error.message = in.terminated_string().substr(0, message_bytes - 1);
        }
        if (!in.ok()) return in.failure("the message");
        return error;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("type", kind);
        visit("code", code);
        visit("cpu", cpu);
        visit("pid", pid.value);
        visit("tid", tid.value);
        visit("fmt", format);
        visit("ip", ip);
        if (time) visit("time", *time);
        visit("msg", message);
        if (!guest) return;
        visit("machine_pid", guest->machine_pid);
        visit("vcpu", guest->vcpu);
    }
};

}  // namespace perfdata
