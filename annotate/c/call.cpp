// SPDX-License-Identifier: MIT
#include "call.hpp"

#include <algorithm>
#include <array>

#include "perfdata/build_info.hpp"
#include "perfdata/core/utf8.hpp"

namespace perfdata::c {
namespace {

// Copies as much of a text as there is room for, in whole characters of UTF-8.
template <std::size_t room>
void copy(char (&out)[room], std::string_view text) noexcept {
    std::size_t used = 0;
    while (!text.empty()) {
        auto length = utf8_length(text);
        constexpr std::string_view replacement = "\xef\xbf\xbd";
        const bool bad = length == 0 || text.front() == '\0';
        const auto character = bad ? replacement : text.substr(0, length);
        if (used + character.size() >= room) break;
        for (const char byte : character) out[used++] = byte;
        text.remove_prefix(bad ? 1 : length);
    }
    out[used] = '\0';
}

}  // namespace

perfdata_status status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::io: return PERFDATA_IO;
        case ErrorCode::not_perf_data: return PERFDATA_NOT_PERF_DATA;
        case ErrorCode::truncated: return PERFDATA_TRUNCATED;
        case ErrorCode::malformed: return PERFDATA_MALFORMED;
        case ErrorCode::unsupported: return PERFDATA_UNSUPPORTED;
        case ErrorCode::limit: return PERFDATA_LIMIT;
        case ErrorCode::missing: return PERFDATA_MISSING;
        case ErrorCode::mismatch: return PERFDATA_MISMATCH;
        case ErrorCode::cancelled: return PERFDATA_CANCELLED;
        case ErrorCode::out_of_memory: return PERFDATA_OUT_OF_MEMORY;
        case ErrorCode::busy: return PERFDATA_BUSY;
    }
    return PERFDATA_INTERNAL;
}

void refuse(perfdata_status code, std::string section, std::string text) {
    throw Failure{code, {ErrorCode::malformed, Error::no_offset, std::move(section), std::move(text)}};
}
void refuse(perfdata_status code, const char* section, const char* text) {
    throw Refusal{code, section, text};
}
void refuse_argument(std::string name, std::string text) {
    refuse(PERFDATA_INVALID_ARGUMENT, std::move(name), std::move(text));
}
void refuse_argument(const char* name, const char* text) {
    refuse(PERFDATA_INVALID_ARGUMENT, name, text);
}

void tell(perfdata_error* error, perfdata_status code, std::uint64_t offset, std::string_view section,
          std::string_view text) noexcept {
    if (error == nullptr || error->size < first_size<perfdata_error>) return;
    error->code = code;
    error->reserved = 0;
    error->offset = offset;
    copy(error->section, section);
    copy(error->text, text);
}

std::size_t size_given(const void* given, const char* name) {
    constexpr std::size_t most = std::size_t{1} << 16;  // nobody has such a struct: the size was not set
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof(size));
    if (size < sizeof(size) || size > most) refuse_argument(name, "its size is not set");
    return size;
}

void check_list(const void* list, std::size_t count, const char* name) {
    constexpr std::size_t most = std::size_t{1} << 20;
    if (list == nullptr && count != 0) refuse_argument(name, "is null, but has a count");
    if (count > most) refuse_argument(name, "has a count of more than a million");
}

std::vector<std::string> texts_of(const char* const* list, std::size_t count, const char* name) {
    check_list(list, count, name);
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < count; ++at) {
        if (list[at] == nullptr) refuse_argument(name, "has a text that is null");
        texts.emplace_back(list[at]);
    }
    return texts;
}

}  // namespace perfdata::c

using namespace perfdata::c;

const char* perfdata_status_name(perfdata_status status) {
    static constexpr std::array<const char*, 17> names{
        "end",      "ok",      "io",       "not_perf_data", "truncated",     "malformed",        "unsupported",
        "limit",    "missing", "mismatch", "cancelled",     "out_of_memory", "invalid_argument", "invalid_handle",
        "callback", "busy",    "internal"};
    const auto index = std::int64_t{status} - PERFDATA_END;
    return index >= 0 && index < std::int64_t{names.size()} ? names[static_cast<std::size_t>(index)] : "unknown";
}

uint32_t perfdata_c_version(void) {
    return PERFDATA_C_VERSION;
}

const char* perfdata_version(void) {
    return perfdata::build_info().version.data();  // a literal: it ends with a zero
}
