// SPDX-License-Identifier: MIT
// core FILE: counts the records of a recording by type, with the decoders alone. Compiled without exceptions and RTTI.
#include "perfdata/core.hpp"

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "perfdata/version.hpp"
#include "perfdata/wire.hpp"

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this program is to show that the decoders need neither exceptions nor RTTI"
#endif
static_assert(PERFDATA_VERSION ==
              PERFDATA_VERSION_MAJOR * 10000 + PERFDATA_VERSION_MINOR * 100 + PERFDATA_VERSION_PATCH);

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    std::ifstream in(argv[1], std::ios::binary);
    const std::vector<char> file(std::istreambuf_iterator<char>(in), {});
    const perfdata::Bytes bytes = std::as_bytes(std::span(file));
    const auto header = perfdata::FileHeader::parse(bytes);
    if (!header) {
        std::fprintf(stderr, "%s\n", header.error().message().c_str());
        return 1;
    }
    if (header->pipe || header->data.offset > bytes.size()) return 1;
    auto rest = bytes.subspan(header->data.offset);
    if (header->data.size < rest.size()) rest = rest.first(header->data.size);
    std::map<std::string, int> records;
    while (rest.size() >= perfdata::RecordHeader::bytes) {
        const auto record = perfdata::RecordHeader::load(rest.data(), header->order);
        if (record.size < perfdata::RecordHeader::bytes || record.size > rest.size()) return 1;
        ++records[std::string(perfdata::record_type_name(record.type))];
        rest = rest.subspan(record.size);
    }
    const auto version = std::string(perfdata::header_version);
    std::printf("version %s\n", version.c_str());
    for (const auto& [name, count] : records) std::printf("%s %d\n", name.c_str(), count);
    return 0;
}
