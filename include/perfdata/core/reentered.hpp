// SPDX-License-Identifier: MIT
// Why a callback gets no answer.
#pragma once

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"

namespace perfdata {

// Reentered leaves a call that a callback makes for what the call around it, on the same thread, is about to read: it
// would wait for itself. Functions that return a Result turn it into the error `busy`.
struct PERFDATA_EXPORT Reentered {
    // Returns that error.
    static Error error() {
        return {ErrorCode::busy, Error::no_offset, {}, "a callback asks for what the call around it is reading"};
    }
};

}  // namespace perfdata
