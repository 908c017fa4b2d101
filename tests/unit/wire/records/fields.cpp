// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

// Fields of the records whose decoders have other tests in separate files.

namespace {

Writer mmap2_head(std::endian order) {
    Writer body(order);
    return std::move(body.u32(1).u32(2).u64(0x7f0000000000).u64(4096).u64(0x1122334455667788));
}

}  // namespace

TEST_CASE("Fields of MMAP", "[wire][fields]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<Mmap>(
        order, mmap2_head(order).padded_text("/bin/sh").take(),
        {"pid=1", "tid=2", "addr=0x7f0000000000", "len=4096", "pgoff=1234605616436508552", "filename='/bin/sh'"});
}

TEST_CASE("Fields of MMAP2 are of the form that the record has", "[wire][fields]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto inode = mmap2_head(order).u32(3).u32(4).u64(5).u64(6).u32(7).u32(8).padded_text("/bin/sh").take();
    check_fields<Mmap2>(order, inode,
                        {"pid=1", "tid=2", "addr=0x7f0000000000", "len=4096", "pgoff=1234605616436508552", "maj=3",
                         "min=4", "ino=5", "ino_generation=6", "prot=7", "flags=8", "filename='/bin/sh'"});
    const auto build_id =
        mmap2_head(order).u8(3).u8(0).u16(0).fill(20, 0xab).u32(7).u32(8).padded_text("/bin/sh").take();
    check_fields<Mmap2>(order, build_id,
                        {"pid=1", "tid=2", "addr=0x7f0000000000", "len=4096", "pgoff=1234605616436508552",
                         "build_id=<ababab>", "prot=7", "flags=8", "filename='/bin/sh'"},
                        misc_bit(14));
}

TEST_CASE("Fields of COMM", "[wire][fields]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u32(1).u32(2).padded_text("sh").take();
    check_fields<Comm>(order, body, {"pid=1", "tid=2", "comm='sh'", "comm_exec=false"});
    check_fields<Comm>(order, body, {"pid=1", "tid=2", "comm='sh'", "comm_exec=true"}, misc_bit(13));
}

TEST_CASE("Fields of LOST and LOST_SAMPLES", "[wire][fields]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<Lost>(order, Writer(order).u64(1).u64(2).take(), {"id=1", "lost=2"});
    const auto body = Writer(order).u64(3).take();
    check_fields<LostSamples>(order, body, {"lost=3", "lost_samples_bpf=false"});
    check_fields<LostSamples>(order, body, {"lost=3", "lost_samples_bpf=true"}, misc_bit(15));
}

TEST_CASE("Fields of KSYMBOL", "[wire][fields]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<Ksymbol>(order, Writer(order).u64(0xffffffffc0000000).u32(2).u16(3).u16(4).padded_text("f").take(),
                          {"addr=0xffffffffc0000000", "len=2", "ksym_type=3", "flags=4", "name='f'"});
}

TEST_CASE("Fields of BPF_EVENT", "[wire][fields]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<BpfEvent>(order, Writer(order).u16(1).u16(2).u32(3).fill(8, 0xcd).take(),
                           {"type=1", "flags=2", "id=3", "tag=<cdcdcdcdcdcdcdcd>"});
}
