// SPDX-License-Identifier: MIT
#include "symbol_cache_object.hpp"

using namespace perfdata;
using namespace perfdata::c;

perfdata_status perfdata_symbol_cache_new(const perfdata_symbol_cache_options* options, perfdata_symbol_cache** made,
                                          perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        const auto given = options_of(options, "options");
        SymbolCacheOptions bounds;
        if (given.bytes != 0) bounds.bytes = given.bytes;
        if (given.files != 0) bounds.files = static_cast<std::size_t>(std::min<std::uint64_t>(given.files, SIZE_MAX));
        return hand_out(place, std::make_shared<SymbolCacheObject>(bounds));
    });
}

perfdata_status perfdata_symbol_cache_free(perfdata_symbol_cache* cache) {
    return free_handle<SymbolCacheObject>(cache);
}

perfdata_status perfdata_symbol_cache_clear(perfdata_symbol_cache* cache, perfdata_error* error) {
    return guarded(error, [&] {
        object_of<SymbolCacheObject>(cache)->cache->clear();
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_symbol_cache_get_info(const perfdata_symbol_cache* cache, perfdata_symbol_cache_info* info,
                                               perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<SymbolCacheObject>(cache);
        perfdata_symbol_cache_info made{};
        made.bytes = object->cache->bytes();
        made.files = object->cache->files();
        fill(info, made, "info");
        return PERFDATA_OK;
    });
}
