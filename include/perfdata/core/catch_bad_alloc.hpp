// SPDX-License-Identifier: MIT
// Turns running out of memory into an error, and calling from a callback for what is being read.
#pragma once

#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "perfdata/core/error.hpp"
#include "perfdata/core/reentered.hpp"

namespace perfdata {

namespace detail {

template <class T>
struct AsResult {
    using type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
    using type = Result<T>;
};

}  // namespace detail

// catch_bad_alloc(body) returns what `body` returns, as a Result, or the error out_of_memory if it throws bad_alloc;
// partial results are lost; the error busy if it throws Reentered. The entry points use it: Recording::open(),
// from_memory(), from_source() and read_feature(), walk(), Timeline::build(), Profile::count(), SampleCounts::count();
// of annotate those that can be stopped: annotate_all(), Report::make(), SourceHeat::make(), functions_at(),
// write_script(). Everything else throws bad_alloc and nothing else: wrap it in this function to survive running out of
// memory. Exceptions from callbacks pass through. Compiled without exceptions it only calls `body`: the decoders can be
// used so, where memory that runs out ends the program.
template <class Body>
auto catch_bad_alloc(Body&& body) -> typename detail::AsResult<std::invoke_result_t<Body>>::type {
    using Value = std::invoke_result_t<Body>;
#ifdef __cpp_exceptions
    try {
#endif
        if constexpr (std::is_void_v<Value>) {
            std::forward<Body>(body)();
            return {};
        } else {
            return std::forward<Body>(body)();
        }
#ifdef __cpp_exceptions
    } catch (const Reentered&) {
        return std::unexpected(Reentered::error());
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {  // more than any memory can hold
    }
    // Short strings need no allocation.
    return std::unexpected(Error{ErrorCode::out_of_memory, Error::no_offset, {}, "out of memory"});
#endif
}

}  // namespace perfdata
