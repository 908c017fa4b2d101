// SPDX-License-Identifier: MIT
#include "damage/salvage.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "damage/allocations.hpp"
#include "support/files.hpp"

namespace perfdata::test {

const std::vector<Fixture>& fixtures() {
    static const auto all = [] {
        std::vector<Fixture> found;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(PERFDATA_FIXTURES)) {
            const auto& path = entry.path();
            if (path.extension() != ".data") continue;
            auto file = content_of_file(path.string());
            auto frames = frames_of(file);
            // x86_plain.data is of what is below x86/.
            auto name = path.stem().string();
            const auto folder = path.parent_path() / name.substr(0, name.find('_'));
            const auto symfs = std::filesystem::is_directory(folder) ? folder.string() : std::string();
            found.push_back({std::move(name), std::move(file), std::move(frames), symfs});
        }
        std::ranges::sort(found, {}, &Fixture::name);
        return found;
    }();
    return all;
}

bool everything() {
    const char* wanted = std::getenv("PERFDATA_DAMAGE");
    return wanted != nullptr && std::string_view(wanted) == "full";
}

std::vector<std::uint64_t> thinned(std::uint64_t count, std::uint64_t most) {
    const auto kept = everything() ? count : std::min(count, most);
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t index = 0; index < kept; ++index) {
        numbers.push_back(kept == count ? index : index * (count - 1) / (kept - 1));
    }
    return numbers;
}

std::uint64_t seed_of(std::uint64_t test) {
    const char* other = std::getenv("PERFDATA_DAMAGE_SEED");
    return test + (other != nullptr ? 1000 * std::strtoull(other, nullptr, 10) : 0);
}

Samples count_samples(Bytes file) {
    const auto recording = Recording::from_memory(file);
    if (!recording) return {};
    Completeness completeness;
    REQUIRE(walk(*recording, completeness, [](const RecordContext&, const auto&) {}));
    const auto& bytes = completeness.bytes;
    REQUIRE(bytes.total == file.size());
    REQUIRE(bytes.total == bytes.records + bytes.outside_records + bytes.unread);
    const auto counts = completeness.records[static_cast<std::uint32_t>(RecordType::sample)];
    return {true, counts.total(), counts.decoded};
}

Salvage::Salvage(std::string damage) : damage_(std::move(damage)) {}

Salvage::~Salvage() {
    const auto percent = intact_ == 0 ? 100.0 : 100.0 * static_cast<double>(saved_) / static_cast<double>(intact_);
    std::printf("salvage: %-44s %7llu runs, %10llu of %10llu intact samples (%.3f %%), slowest %lld ms, %zu KiB\n",
                damage_.c_str(), static_cast<unsigned long long>(runs_), static_cast<unsigned long long>(saved_),
                static_cast<unsigned long long>(intact_), percent,
                static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(slowest_).count()),
                memory_ >> 10);
}

void Salvage::run(std::size_t memory, const std::function<void()>& body) {
    const auto begin = std::chrono::steady_clock::now();
    const AllocationCounts counts;
    body();
    const auto peak = counts.peak();
    const auto took = std::chrono::steady_clock::now() - begin;
    ++runs_;
    slowest_ = std::max<std::chrono::nanoseconds>(slowest_, took);
    memory_ = std::max(memory_, peak);
    REQUIRE(took < std::chrono::seconds(10));
    REQUIRE(peak <= memory);
}

Samples Salvage::check(Bytes file, const Expectation& expected, std::uint64_t intact, std::uint64_t most) {
    constexpr auto most_memory = std::size_t{2} << 20;
    Samples got;
    run(most_memory, [&] { got = count_samples(file); });
    if (expected.exact) {
        REQUIRE(got.framed == expected.framed);
    } else {
        REQUIRE(got.framed >= expected.framed);
        // zstd frames have no checksum here: damaged bytes may unpack to apparent samples.
        REQUIRE(got.framed <= 2 * most);
    }
    intact_ += intact;
    saved_ += expected.saved;
    return got;
}

}  // namespace perfdata::test
