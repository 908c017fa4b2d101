// SPDX-License-Identifier: MIT
// STAT_CONFIG (75): the settings of perf stat. perf 4.5; perf_event__synthesize_stat_config in
// tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

// stat_config_name(tag) returns the name of a term of STAT_CONFIG; empty for a newer perf's.
constexpr std::string_view stat_config_name(std::uint64_t tag) {
    constexpr std::string_view names[] = {"aggr_mode", "interval", "scale", "aggr_level"};
    return tag < std::size(names) ? names[tag] : std::string_view{};
}

//      8 u64 nr . 16 nr x { u64 tag . u64 val }
struct StatConfig {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::stat_config;
    static constexpr std::string_view record_name = "record STAT_CONFIG";
    static constexpr std::size_t min_bytes = 16;

    // Term is one setting.
    struct Term {
        std::uint64_t tag = 0;    // see stat_config_name()
        std::uint64_t value = 0;  // its meaning and unit depend on the tag: `interval` is in milliseconds
    };

    U64View<AnyOrder> terms;  // two words each; lives as long as the record

    std::size_t size() const { return terms.size() / 2; }  // number of terms
    // The index must be below size().
    Term term(std::size_t index) const { return {terms[2 * index], terms[2 * index + 1]}; }

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<StatConfig> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        const auto count = in.u64();
        if (!in.fits(count, 16)) return in.failure("the terms");
        return StatConfig{take_words(in, 2 * count)};
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h, and `tag_text` behind a tag
    // that has a name; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("nr", std::uint64_t{size()});
        visit.list("data", size(), [&](std::size_t index, auto&& element) {
            const auto [tag, value] = term(index);
            element("tag", tag);
            if (const auto name = stat_config_name(tag); !name.empty()) element("tag_text", name);
            element("val", value);
        });
    }
};

}  // namespace perfdata
