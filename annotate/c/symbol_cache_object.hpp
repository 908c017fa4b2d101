// SPDX-License-Identifier: MIT
// A cache of symbols behind a handle.
#pragma once

#include <algorithm>
#include <memory>

#include "perfdata/core/shared.hpp"
#include "perfdata/symbols/symbol_cache.hpp"

#include "call.hpp"

namespace perfdata::c {

class SymbolCacheObject final : public Object {
  public:
    using Handle = perfdata_symbol_cache;
    static constexpr auto handle_kind = Kind::symbol_cache;
    static constexpr const char* handle_name = "perfdata_symbol_cache";

    explicit SymbolCacheObject(const SymbolCacheOptions& bounds)
        : Object(handle_kind), cache(std::make_shared<const SymbolCache>(bounds)) {}

    const Shared<const SymbolCache> cache;
};

}  // namespace perfdata::c
