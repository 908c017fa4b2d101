// SPDX-License-Identifier: MIT
// BPF_METADATA (84): the variables bpf_metadata_* of a BPF program. perf 6.17; tools/perf/util/bpf-event.c.
#pragma once

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      8 char prog_name[512] . 520 u64 nr_entries . 528 nr x { char key[64] . char value[256] } [. trailer]
struct BpfMetadata {
    static constexpr auto type = RecordType::bpf_metadata;                  // in the record's header
    static constexpr std::string_view record_name = "record BPF_METADATA";  // in errors
    static constexpr std::size_t min_bytes = 528;                           // with the header, without a trailer
    static constexpr std::size_t name_bytes = 512;   // KSYM_NAME_LEN of the perf that wrote it: 512 in all so far
    static constexpr std::size_t key_bytes = 64;     // a key on disk, NUL-padded
    static constexpr std::size_t entry_bytes = 320;  // a key and its value on disk

    // Entry is one variable; both texts live as long as the record.
    struct Entry {
        std::string_view key;    // without bpf_metadata_
        std::string_view value;  // as perf printed the variable, without NUL
    };

    std::string_view program;  // as in kallsyms: bpf_prog_<tag>_<name>; lives as long as the record
    Bytes entries;             // entry_bytes each; lives as long as the record

    std::size_t size() const { return entries.size() / entry_bytes; }  // number of entries
    // The index must be below size().
    Entry entry(std::size_t index) const {
        const auto bytes = entries.subspan(index * entry_bytes, entry_bytes);
        return {until_nul(bytes.first(key_bytes)), until_nul(bytes.subspan(key_bytes))};
    }

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<BpfMetadata> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        BpfMetadata metadata;
        metadata.program = take_text(in, name_bytes);
        const auto count = in.u64();
        if (!in.fits(count, entry_bytes)) return in.failure("the entries");
        metadata.entries = in.bytes(count * entry_bytes);
        return metadata;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("prog_name", program);
        visit("nr_entries", std::uint64_t{size()});
        visit.list("entries", size(), [&](std::size_t index, auto&& element) {
            const auto one = entry(index);
            element("key", one.key);
            element("value", one.value);
        });
    }
};

}  // namespace perfdata
