// SPDX-License-Identifier: MIT
// The room core: the bounded cursor, endian loads, errors, limits and strong types. Header-only. The tools that the
// other rooms are made with (callback, parallel, range_index, small_algorithms, text_arena) come with what needs them.
#pragma once

#include "perfdata/core/arch.hpp"
#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/core/cursor.hpp"
#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/memory_limits.hpp"
#include "perfdata/core/reentered.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/core/utf8.hpp"
#include "perfdata/version.hpp"
