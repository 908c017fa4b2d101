// SPDX-License-Identifier: MIT
// core_alone FILE: walks the records of a recording with the decoders alone, and prints how many samples it has.
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/wire/file_header.hpp"
#include "perfdata/wire/record.hpp"

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    std::ifstream in(argv[1], std::ios::binary);
    const std::vector<char> file(std::istreambuf_iterator<char>(in), {});
    const perfdata::Bytes bytes = std::as_bytes(std::span(file));
    const auto header = perfdata::FileHeader::parse(bytes);
    if (!header || header->pipe || header->data.offset > bytes.size()) return 1;
    auto rest = bytes.subspan(header->data.offset);
    if (header->data.size < rest.size()) rest = rest.first(header->data.size);
    int samples = 0;
    while (rest.size() >= perfdata::RecordHeader::bytes) {
        const auto record = perfdata::RecordHeader::load(rest.data(), header->order);
        if (record.size < perfdata::RecordHeader::bytes || record.size > rest.size()) return 1;
        if (perfdata::RecordType{record.type} == perfdata::RecordType::sample) ++samples;
        rest = rest.subspan(record.size);
    }
    std::printf("%d samples\n", samples);
    return 0;
}
