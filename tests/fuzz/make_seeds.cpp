// SPDX-License-Identifier: MIT
// make_seeds DIRECTORY: writes small crafted recordings, one a container and a byte order, from which fuzzing of
// `decode` begins. Run it again when the containers or the records change, and keep what it wrote in corpus/decode.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/compressor.hpp"
#include "support/crafted.hpp"

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

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: make_seeds DIRECTORY\n");
        return 2;
    }
    std::filesystem::create_directories(argv[1]);
    write_seeds(argv[1], "little", std::endian::little);
    write_seeds(argv[1], "big", std::endian::big);
    return 0;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
}
