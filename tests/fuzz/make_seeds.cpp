// SPDX-License-Identifier: MIT
// make_seeds DIRECTORY: writes small crafted files from which fuzzing begins, one a container and a byte order:
// recordings in DIRECTORY/decode, jitdump files in DIRECTORY/jitdump. Run it again when the containers or the records
// change, and keep what it wrote in corpus.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/compressor.hpp"
#include "support/crafted.hpp"
#include "support/jitdump.hpp"

namespace {

using namespace perfdata;
using namespace perfdata::test;

void write(const std::filesystem::path& path, const Blob& content) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path.string());
}

// A few records of each kind are enough to begin from.
Crafted small(std::uint64_t seed, std::endian order, std::uint32_t attr_bytes) {
    auto crafted = craft(seed, order, attr_bytes);
    crafted.records.resize(20);
    crafted.plain.resize(crafted.plain.size() / 3);
    return crafted;
}

void write_seeds(const std::filesystem::path& directory, const std::string& order_name, std::endian order) {
    const auto path = [&](const std::string& name) { return directory / ("seed-" + order_name + "-" + name); };
    const auto crafted = small(1, order, 128);
    write(path("file"), builder_of(crafted, all_records(crafted)).build());
    write(path("pipe"), as_pipe(crafted, all_records(crafted)));
    for (const auto type : {RecordType::compressed, RecordType::compressed2}) {
        Random random(1);
        const auto data = joined(
            {Crafted::bytes_of(crafted.synthesized), packed(order, type, Crafted::bytes_of(crafted.records), random)});
        const std::string name = type == RecordType::compressed ? "compressed" : "compressed2";
        write(path(name), builder_of(crafted, data, false).build());
    }
    const auto old = small(2, order, 64);
    auto legacy = builder_of(old, all_records(old), false);
    legacy.layout.legacy = true;
    legacy.layout.header_size = 72;
    write(path("legacy"), legacy.build());
}

// One record of each type, and one of none.
void write_jitdump_seed(const std::filesystem::path& path, std::endian order, std::uint64_t flags) {
    JitHeaderValues header;
    header.flags = flags;
    JitDumpWriter dump(order, header);
    dump.debug_info(1, 0x1000, {{0x1040, 1, 0, "file"}, {0x1044, 2, 1, "\xff"}}, 3);
    dump.unwinding(2, 16, 8, 0);
    dump.load({3, 0x1000, "function", "\x31\xc0\x90\x90\x90\xc3", 1});
    dump.load({4, 0x1004, "other", "\x31\xc0\x90\x90\x90\xc3", 2});
    dump.move(5, 0x1004, 0x2000, 6, 2);
    dump.other(9, 24);
    dump.close(6);
    write(path, dump.blob());
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: make_seeds DIRECTORY\n");
        return 2;
    }
    const auto recordings = std::filesystem::path(argv[1]) / "decode";
    const auto jitdumps = std::filesystem::path(argv[1]) / "jitdump";
    std::filesystem::create_directories(recordings);
    std::filesystem::create_directories(jitdumps);
    write_seeds(recordings, "little", std::endian::little);
    write_seeds(recordings, "big", std::endian::big);
    write_jitdump_seed(jitdumps / "seed-little", std::endian::little, 0);
    write_jitdump_seed(jitdumps / "seed-big", std::endian::big, 0);
    write_jitdump_seed(jitdumps / "seed-ticks", std::endian::little, 1);
    return 0;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
}
