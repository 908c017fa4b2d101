// SPDX-License-Identifier: MIT
// Runs a fuzz target on files and directories given as arguments, once each, with any compiler. Every input is copied
// to a heap block of exactly its size, so that AddressSanitizer detects reads beyond its end.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

// files_under(path) returns the file itself, or all regular files of the directory by name.
std::vector<fs::path> files_under(const fs::path& path) {
    if (!fs::is_directory(path)) return {path};
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

bool replay(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> content(std::istreambuf_iterator<char>(file), {});
    if (!file) {
        std::fprintf(stderr, "cannot read %s\n", path.c_str());
        return false;
    }
    const auto exact = std::make_unique<std::uint8_t[]>(content.size());
    std::ranges::copy(content, exact.get());
    std::printf("%s: %zu bytes\n", path.c_str(), content.size());
    std::fflush(stdout);  // names the input if the target crashes or hangs
    LLVMFuzzerTestOneInput(exact.get(), content.size());
    return true;
}

}  // namespace

int main(int argc, char** argv) try {
    std::size_t replayed = 0;
    for (int index = 1; index < argc; ++index) {
        for (const auto& path : files_under(argv[index])) {
            if (!replay(path)) return 1;
            ++replayed;
        }
    }
    std::printf("%zu inputs replayed\n", replayed);
    return replayed == 0 ? 1 : 0;
} catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
}
