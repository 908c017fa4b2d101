// SPDX-License-Identifier: MIT
// What each function of the C API does: checks what it is given, and lets no exception out.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/reentered.hpp"
#include "perfdata/core/thread_end.hpp"
#include "perfdata/perfdata.h"

#include "first_size.hpp"
#include "handle_table.hpp"

namespace perfdata::c {

// Failure ends a call. guarded() turns it into a status.
struct Failure {
    perfdata_status code = PERFDATA_INTERNAL;
    Error error;  // its own code does not count
};

// Refusal is a Failure of literals: it is told even where there is no memory.
struct Refusal {
    perfdata_status code = PERFDATA_INTERNAL;
    const char* section = "";
    const char* text = "";
};

perfdata_status status_of(ErrorCode code);
[[noreturn]] void refuse(perfdata_status code, std::string section, std::string text);
[[noreturn]] void refuse(perfdata_status code, const char* section, const char* text);  // both live for ever
[[noreturn]] void refuse_argument(std::string name, std::string text);
[[noreturn]] void refuse_argument(const char* name, const char* text);

// Returns the value, or ends the call.
template <class T>
T taken(Result<T>&& result) {
    if (!result) throw Failure{status_of(result.error().code), std::move(result.error())};
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Fills an error, if there is one. Takes no memory.
void tell(perfdata_error* error, perfdata_status code, std::uint64_t offset, std::string_view section,
          std::string_view text) noexcept;
inline void tell(perfdata_error* error, const Error& problem) noexcept {
    tell(error, status_of(problem.code), problem.offset, problem.where, problem.detail);
}

// Returns what `body` returns, or why it failed. Lets pass nothing but the end of the thread.
template <class Body>
perfdata_status guarded(perfdata_error* error, Body&& body) {
    const auto failed = [&](perfdata_status code, std::string_view text) {
        tell(error, code, PERFDATA_NO_OFFSET, {}, text);
        return code;
    };
    try {
        return body();
    } catch (const ThreadEnd&) {
        throw;
    } catch (const Refusal& refusal) {
        tell(error, refusal.code, PERFDATA_NO_OFFSET, refusal.section, refusal.text);
        return refusal.code;
    } catch (const Failure& failure) {
        tell(error, failure.code, failure.error.offset, failure.error.where, failure.error.detail);
        return failure.code;
    } catch (const Reentered&) {
        return failed(PERFDATA_BUSY, "a callback asks for what the call around it is reading");
    } catch (const std::bad_alloc&) {
        return failed(PERFDATA_OUT_OF_MEMORY, "out of memory");
    } catch (const std::length_error&) {
        return failed(PERFDATA_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception& problem) {
        return failed(PERFDATA_INTERNAL, problem.what());
    } catch (...) {
        return failed(PERFDATA_INTERNAL, "an exception of unknown type");
    }
}

// Structs of the API begin with their size. All members of options are as large as a pointer or a multiple of it, so
// that a size which ends between two of them is a whole number of pointers.
std::size_t size_given(const void* given, const char* name);

// Returns options with defaults for members that the caller does not have.
template <class Options>
Options options_of(const Options* given, const char* name) {
    static_assert(std::is_trivially_copyable_v<Options> && std::is_standard_layout_v<Options>);
    Options options{};
    if (given == nullptr) return options;
    const auto size = size_given(given, name);
    if (size % sizeof(void*) != 0) refuse_argument(name, "its size ends in the middle of a member");
    std::memcpy(&options, given, size < sizeof(Options) ? size : sizeof(Options));
    options.size = sizeof(Options);
    return options;
}

// Ends the call before it does anything if the struct cannot be filled. Returns its size.
template <class Filled>
std::size_t check_filled(const Filled* out, const char* name) {
    static_assert(first_size<Filled> > sizeof(std::size_t) && first_size<Filled> <= sizeof(Filled));
    if (out == nullptr) refuse_argument(name, "is null");
    const auto size = size_given(out, name);
    if (size < first_size<Filled>) refuse_argument(name, "its size is less than that of the struct");
    return size;
}
// Fills a struct of the caller, but for its size. Callers that know fewer members get fewer.
template <class Filled>
void fill(Filled* out, const Filled& made, const char* name) {
    static_assert(std::is_trivially_copyable_v<Filled> && std::is_standard_layout_v<Filled>);
    const auto size = check_filled(out, name);
    constexpr auto begin = sizeof(std::size_t);
    std::memcpy(reinterpret_cast<std::byte*>(out) + begin, reinterpret_cast<const std::byte*>(&made) + begin,
                (size < sizeof(Filled) ? size : sizeof(Filled)) - begin);
}

// Returns what a handle stands for, or ends the call.
template <class T>
std::shared_ptr<T> object_of(const typename T::Handle* handle) {
    auto found = HandleTable::process().find(reinterpret_cast<std::uintptr_t>(handle), T::handle_kind);
    if (!found) {
        refuse(PERFDATA_INVALID_HANDLE, T::handle_name,
               handle == nullptr ? "the handle is null" : "the handle was freed, is of another type, or was never one");
    }
    return std::static_pointer_cast<T>(std::move(found));
}

// Returns the place where a new handle goes, which is null until then.
template <class Handle>
Handle*& place_for(Handle** made) {
    if (made == nullptr) refuse_argument("made", "is null");
    *made = nullptr;
    return *made;
}
template <class T>
perfdata_status hand_out(typename T::Handle*& place, std::shared_ptr<T> object) {
    place = reinterpret_cast<typename T::Handle*>(HandleTable::process().add(std::move(object)));
    return PERFDATA_OK;
}

template <class T>
perfdata_status free_handle(const typename T::Handle* handle) {
    return guarded(nullptr, [&]() -> perfdata_status {
        if (handle == nullptr) return PERFDATA_OK;
        const auto object = HandleTable::process().take(reinterpret_cast<std::uintptr_t>(handle), T::handle_kind);
        return object ? PERFDATA_OK : PERFDATA_INVALID_HANDLE;
    });
}

// Returns the element of a list, or ends the call.
template <class List>
const auto& element(const List& list, std::uint64_t index, const char* name) {
    if (index >= list.size()) {
        refuse_argument(name, std::to_string(index) + " is beyond the last of " + std::to_string(list.size()));
    }
    return list[static_cast<std::size_t>(index)];
}

// Check a list of the caller, and return it.
void check_list(const void* list, std::size_t count, const char* name);
template <class T>
std::vector<T> list_of(const T* list, std::size_t count, const char* name) {
    check_list(list, count, name);
    return count == 0 ? std::vector<T>() : std::vector<T>(list, list + count);
}
std::vector<std::string> texts_of(const char* const* list, std::size_t count, const char* name);
inline std::string text_of(const char* text) {
    return text == nullptr ? std::string() : std::string(text);
}

}  // namespace perfdata::c
