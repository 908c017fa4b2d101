// SPDX-License-Identifier: MIT
// mutants FOLDER COUNT [SEED] [LARGEST]: damages random files below FOLDER of at most LARGEST bytes (default 262144),
// COUNT times, and does everything with each that the library can do. Child processes run them: if one crashes or takes
// more than 30 seconds, its number is printed and the others continue. Exits with 1 if there was any. Equal arguments
// give equal mutants; MUTANT=N in the environment runs only that one, in this process.
//
// Not part of the tests: 100 000 take a while.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "damage/allocations.hpp"
#include "damage/examine.hpp"
#include "support/files.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Shared holds the results of all children.
struct Shared {
    std::uint64_t next = 0, opened = 0, samples = 0;
    std::uint64_t slowest_ns = 0, slowest = 0;
    std::uint64_t most_bytes = 0, most = 0, most_at_once = 0;
};

using Files = std::vector<std::pair<std::string, Blob>>;

Files files_below(const std::string& folder, std::uintmax_t largest) {
    Files files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file() || entry.file_size() > largest || entry.file_size() < 16) continue;
        auto content = content_of_file(entry.path().string());
        const std::string_view start(reinterpret_cast<const char*>(content.data()), 8);
        if (start == "PERFILE2" || start == "2ELIFREP" || start == "PERFFILE") {
            files.emplace_back(entry.path().string(), std::move(content));
        }
    }
    std::ranges::sort(files);
    return files;
}

std::uint64_t interesting(Random& random, std::uint64_t own) {
    switch (random.below(8)) {
        case 0: return 0;
        case 1: return 1;
        case 2: return ~std::uint64_t{0};
        case 3: return ~std::uint64_t{0} >> 1;
        case 4: return own + 1;
        case 5: return own - 1;
        case 6: return own ^ std::uint64_t{1} << random.below(64);
        default: return random.u64();
    }
}

void damage(Blob& file, Random& random) {
    for (auto times = 1 + random.below(4); times != 0 && file.size() > 16; --times) {
        // Half of the damage hits the first 4 KiB, with the header and the attrs.
        const auto reach = random.one_in(2) ? std::min<std::size_t>(file.size(), 4096) : file.size();
        const auto at = random.size(reach);
        const auto from = file.begin() + static_cast<std::ptrdiff_t>(at);
        const auto length = std::min<std::size_t>(file.size() - at, 1 + random.size(64));
        switch (random.below(6)) {
            case 0: file.resize(at); break;
            case 1: file.erase(from, from + static_cast<std::ptrdiff_t>(length)); break;
            case 2: {
                const auto noise = random.bytes(length);
                file.insert(from, noise.begin(), noise.end());
                break;
            }
            case 3: {  // copy a piece from elsewhere
                const auto source = random.size(file.size() - length + 1);
                std::memmove(file.data() + at, file.data() + source, length);
                break;
            }
            default: {
                const auto size = std::min<std::size_t>(file.size() - at, std::size_t{1} << random.below(4));
                std::uint64_t value = 0;
                std::memcpy(&value, file.data() + at, size);
                value = interesting(random, value);
                std::memcpy(file.data() + at, &value, size);
            }
        }
    }
}

void run(const Files& files, std::uint64_t seed, std::uint64_t number, Shared& shared) {
    Random random(seed * 0x9e3779b97f4a7c15 + number);
    auto mutant = files[random.size(files.size())].second;
    damage(mutant, random);
    const auto begin = std::chrono::steady_clock::now();
    const AllocationCounts counts;
    const auto examined = examine(mutant);
    const auto took = static_cast<std::uint64_t>((std::chrono::steady_clock::now() - begin).count());
    if (examined) {
        ++shared.opened;
        shared.samples += examined->samples;
    }
    if (took > shared.slowest_ns) {
        shared.slowest_ns = took;
        shared.slowest = number;
    }
    if (counts.peak() > shared.most_bytes) {
        shared.most_bytes = counts.peak();
        shared.most = number;
    }
    shared.most_at_once = std::max<std::uint64_t>(shared.most_at_once, counts.largest());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s FOLDER COUNT [SEED] [LARGEST]\n", argv[0]);
        return 2;
    }
    const auto count = std::strtoull(argv[2], nullptr, 10);
    const auto seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    const auto files = files_below(argv[1], argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 262144);
    if (files.empty()) {
        std::fprintf(stderr, "no recordings below %s\n", argv[1]);
        return 2;
    }
    void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 2;
    auto& shared = *new (memory) Shared;
    if (const char* one = std::getenv("MUTANT"); one != nullptr) {
        run(files, seed, std::strtoull(one, nullptr, 10), shared);
        return 0;
    }

    std::uint64_t crashes = 0, hangs = 0;
    while (shared.next < count) {
        constexpr std::uint64_t of_one_child = 500;
        const auto until = std::min<std::uint64_t>(count, shared.next + of_one_child);
        std::fflush(stdout);
        const auto child = ::fork();
        if (child < 0) return 2;
        if (child == 0) {
            while (shared.next < until) {
                ::alarm(30);
                run(files, seed, shared.next, shared);
                ++shared.next;
            }
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (shared.next < until) {
            const bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
            ++(hang ? hangs : crashes);
            std::printf("mutant %llu of seed %llu: %s (status %d)\n", static_cast<unsigned long long>(shared.next),
                        static_cast<unsigned long long>(seed), hang ? "takes too long" : "crashed", status);
            ++shared.next;
        }
    }
    std::printf(
        "%llu mutants of %zu recordings: %llu crashed, %llu took too long; %llu could be read, %llu samples; "
        "slowest %llu ms (mutant %llu); most memory %llu KiB (mutant %llu), %llu KiB at once\n",
        static_cast<unsigned long long>(count), files.size(), static_cast<unsigned long long>(crashes),
        static_cast<unsigned long long>(hangs), static_cast<unsigned long long>(shared.opened),
        static_cast<unsigned long long>(shared.samples), static_cast<unsigned long long>(shared.slowest_ns / 1000000),
        static_cast<unsigned long long>(shared.slowest), static_cast<unsigned long long>(shared.most_bytes >> 10),
        static_cast<unsigned long long>(shared.most), static_cast<unsigned long long>(shared.most_at_once >> 10));
    return crashes + hangs == 0 ? 0 : 1;
}
