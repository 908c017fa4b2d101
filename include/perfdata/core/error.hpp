// SPDX-License-Identifier: MIT
// Errors are values: a code for programs, the place in the file, and a message for humans.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace perfdata {

// ErrorCode is the kind of an error. The names of to_string() are those of the JSON documents.
enum class ErrorCode : std::uint8_t {
    io,             // the operating system refused to open or read
    not_perf_data,  // the input does not begin like a perf.data recording
    truncated,      // something extends beyond the end of its section or of the file
    malformed,      // the bytes are there but contradict the format
    unsupported,    // well formed, but this version does not read it
    limit,          // the caller reached a limit it set (see Limits)
    missing,        // the recording does not contain what was requested
    mismatch,       // two sources contradict each other (another boot's kallsyms, for example)
    cancelled,      // the caller asked to stop
    out_of_memory,  // the input needs more memory than there is
    busy,           // a callback asks for what the call around it is reading
};

// to_string(code) returns the code's own name; static storage. "unknown" for a value that is none of them.
constexpr std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::io: return "io";
        case ErrorCode::not_perf_data: return "not_perf_data";
        case ErrorCode::truncated: return "truncated";
        case ErrorCode::malformed: return "malformed";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::limit: return "limit";
        case ErrorCode::missing: return "missing";
        case ErrorCode::mismatch: return "mismatch";
        case ErrorCode::cancelled: return "cancelled";
        case ErrorCode::out_of_memory: return "out_of_memory";
        case ErrorCode::busy: return "busy";
    }
    return "unknown";
}

// Error says what went wrong and where. `offset` is from the start of the (unpacked) file; no_offset if there is none.
// `where` names the section or record, `detail` says what was found there.
struct Error {
    static constexpr std::uint64_t no_offset = ~std::uint64_t{0};  // it has none

    ErrorCode code = ErrorCode::malformed;  // what kind of failure it is
    std::uint64_t offset = no_offset;       // bytes from the start of the unpacked file
    std::string where;                      // the section, record or file
    std::string detail;                     // what was found there

    bool operator==(const Error&) const = default;

    // message() returns one line: "where: detail", followed by "(malformed, at byte offset)" if there is an offset.
    std::string message() const {
        std::string text = where.empty() ? detail : where + ": " + detail;
        if (offset == no_offset) return text;
        text += " (";
        text += to_string(code);
        text += ", at byte " + std::to_string(offset);
        text += ")";
        return text;
    }
};

// A Diagnostic is an Error that did not stop the reading: something was lost, the rest is intact.
using Diagnostic = Error;

// Result<T> is a value, or the error that it has none for.
template <class T>
using Result = std::expected<T, Error>;

// fail(...) returns an error, as what a Result is made of.
inline std::unexpected<Error> fail(ErrorCode code, std::uint64_t offset, std::string where, std::string detail) {
    return std::unexpected(Error{code, offset, std::move(where), std::move(detail)});
}
// fail(error) passes on an error that another Result holds.
inline std::unexpected<Error> fail(Error error) {
    return std::unexpected(std::move(error));
}

}  // namespace perfdata
