// SPDX-License-Identifier: MIT
// perfdata_cost_unwind FILE: finds the rows of addresses as an unwinder does: all rows of a function at once, when an
// address of another function comes. The file has three sizes of 8 bytes, of .eh_frame at 0x10000000, of .eh_frame_hdr
// at 0x8000000, and of the addresses; then these.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "symbols/unwind/cfi_section.hpp"

int main(int argc, char** argv) try {
    using namespace perfdata;
    if (argc != 2) return 2;
    std::ifstream file(argv[1], std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    Cursor in(as_bytes(content), AnyOrder(std::endian::little), {"input"});
    const auto section_bytes = in.u64(), table_bytes = in.u64(), address_bytes = in.u64();
    CfiInput input;
    input.order = in.order();
    input.section = in.bytes(section_bytes);
    input.address = 0x10000000;
    input.table = in.bytes(table_bytes);
    input.table_address = 0x8000000;
    Cursor addresses(in.bytes(address_bytes), in.order(), {"addresses"});
    const auto target = UnwindTarget::of(ArchFamily::x86, 8).value();
    const auto section = CfiSection::open(input, target).value();
    RuleSpill spill;
    std::size_t rows = 0, errors = 0;
    std::uint32_t last = UINT32_MAX;
    while (addresses.remaining() != 0) {
        const auto found = section.find(addresses.u64());
        if (!found) ++errors;
        if (!found || !*found || (*found)->offset == last) continue;
        last = (*found)->offset;
        const auto all = section.rows(**found, spill, [&](const UnwindRow&) { return ++rows != 0; });
        if (!all) ++errors;
    }
    std::printf("%zu rows, %zu errors\n", rows, errors);
    return 0;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "perfdata_cost_unwind: %s\n", problem.what());
    return 1;
}
