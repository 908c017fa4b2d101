// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Writer named(std::endian order, std::string_view program, std::uint64_t count) {
    Writer body(order);
    return std::move(body.padded_text(program, 512).u64(count));
}

}  // namespace

TEST_CASE("BPF_METADATA gives keys and values", "[wire][bpf_metadata]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = named(order, "bpf_prog_0011_x", 2)
                          .padded_text("author", 64)
                          .padded_text("someone", 256)
                          .text(std::string(64, 'k'))
                          .text(std::string(256, 'v'))
                          .take();
    check_fields<BpfMetadata>(
        order, body,
        {"prog_name='bpf_prog_0011_x'", "nr_entries=2", "entries[0].key='author'", "entries[0].value='someone'",
         "entries[1].key='" + std::string(64, 'k') + "'", "entries[1].value='" + std::string(256, 'v') + "'"});
    const RecordCase<BpfMetadata> got(order, body);
    CHECK(got->size() == 2);
    CHECK(got->entry(0).value == "someone");
    for (const auto size : std::initializer_list<std::size_t>{8, 527, 528, 528 + 320, 528 + 639}) {
        check_refused<BpfMetadata>(order, Blob(body.begin(), body.begin() + static_cast<long>(size - 8)));
    }
}

TEST_CASE("BPF_METADATA needs 528 bytes; a name may fill its field", "[wire][bpf_metadata]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::string full(512, 'p');
    const auto body = Writer(order).text(full).u64(0).take();
    check_fields<BpfMetadata>(order, body, {"prog_name='" + full + "'", "nr_entries=0"});
    check_needs<BpfMetadata>(order, body, 528);
    CHECK(BpfMetadata::min_bytes == 528);
}

TEST_CASE("BPF_METADATA of more entries than the record holds is refused", "[wire][bpf_metadata]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto count : wild_counts) check_refused<BpfMetadata>(order, named(order, "p", count).zeros(640).take());
    check_refused<BpfMetadata>(order, named(order, "p", 3).zeros(959).take());
}
