// SPDX-License-Identifier: MIT
#include "perfdata/recording/source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <sys/stat.h>
#include <thread>

#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/file_state.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint8_t six_bits = 0x3f;  // of each byte: it packs to three quarters

Blob whole(const Source& source) {
    const auto text = read_whole(source, ~std::uint64_t{0});
    REQUIRE(text);
    return blob_of(*text);
}

}  // namespace

TEST_CASE("A file is read at any offset, short only at its end", "[recording][source]") {
    const TempDir directory;
    const auto source = open_source(directory.write("data", blob_of("0123456789")), {});
    REQUIRE(source);
    CHECK((*source)->size() == 10);
    CHECK((*source)->in_memory().empty());
    Blob out(4);
    CHECK((*source)->read_at(3, out) == std::size_t{4});
    CHECK(as_text(out) == "3456");
    CHECK((*source)->read_at(8, out) == std::size_t{2});
    CHECK(as_text(out).substr(0, 2) == "89");
    CHECK((*source)->read_at(10, out) == std::size_t{0});
    CHECK((*source)->read_at(~std::uint64_t{0} - 2, out) == std::size_t{0});
}

TEST_CASE("What others do to an open file is seen", "[recording][source]") {
    const TempDir directory;
    const auto path = directory.write("data", blob_of("0123456789"));
    const auto source = open_source(path, {});
    REQUIRE(source);
    const auto change = [&] {
        const auto state = file_state(**source);
        REQUIRE(state);
        CHECK(state->path == path);
        return state->change;
    };
    CHECK(change() == FileState::Change::none);
    std::filesystem::rename(path, path + ".old");
    CHECK(change() == FileState::Change::none);
    std::filesystem::resize_file(path + ".old", 20);
    CHECK(change() == FileState::Change::grown);
    std::filesystem::resize_file(path + ".old", 5);
    CHECK(change() == FileState::Change::changed);
    // The same size again, and another time.
    std::filesystem::resize_file(path + ".old", 10);
    std::filesystem::last_write_time(path + ".old", {});
    CHECK(change() == FileState::Change::changed);
    CHECK(!file_state(*memory_source({})));
}

TEST_CASE("Sources are equal if all bytes are", "[recording][source]") {
    Blob one(1 << 20, std::byte{7});
    auto other = one;
    CHECK(equal_bytes(*memory_source(one), *memory_source(other), {}) == true);
    CHECK(equal_bytes(*memory_source({}), *memory_source({}), {}) == true);
    CHECK(equal_bytes(*memory_source(one), *memory_source({}), {}) == false);
    other.back() = std::byte{8};
    CHECK(equal_bytes(*memory_source(one), *memory_source(other), {}) == false);
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = equal_bytes(*memory_source(one), *memory_source(one), {stop.get_token(), {}});
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("Memory is read like a file, and is given as a view", "[recording][source]") {
    const auto blob = blob_of("0123456789");
    const auto source = memory_source(blob);
    CHECK(source->size() == 10);
    CHECK(source->in_memory().data() == blob.data());
    Blob out(4);
    CHECK(source->read_at(3, out) == std::size_t{4});
    CHECK(as_text(out) == "3456");
    CHECK(source->read_at(8, out) == std::size_t{2});
    CHECK(source->read_at(10, out) == std::size_t{0});
    CHECK(source->read_at(~std::uint64_t{0} - 2, out) == std::size_t{0});
}

TEST_CASE("A file that is not there is an io error with the system's words", "[recording][source]") {
    const TempDir directory;
    const auto path = (directory.path() / "nowhere.data").string();
    const auto source = open_source(path, {});
    REQUIRE_FALSE(source);
    CHECK(source.error().code == ErrorCode::io);
    CHECK(source.error().where == path);
    CHECK(source.error().offset == Error::no_offset);
    CHECK(source.error().detail.find("No such file or directory") != std::string::npos);
}

TEST_CASE("A directory is refused with advice", "[recording][source]") {
    const TempDir directory;
    const auto source = open_source(directory.path().string(), {});
    REQUIRE_FALSE(source);
    CHECK(source.error().code == ErrorCode::unsupported);
    CHECK(source.error().detail.find("directory") != std::string::npos);
}

TEST_CASE("An empty file is an empty source", "[recording][source]") {
    const TempDir directory;
    const auto source = open_source(directory.write("empty", {}), {});
    REQUIRE(source);
    CHECK((*source)->size() == 0);
}

TEST_CASE("A file compressed as a whole is unpacked, whatever its name", "[recording][source]") {
    const auto compression = GENERATE(Compression::gzip, Compression::xz, Compression::zstd);
    const std::size_t size = GENERATE(0u, 1u, 100u, 65535u, 65536u, 65537u, 1000000u);
    CAPTURE(size);
    const auto want = noise(size, six_bits);
    const TempDir directory;
    const auto source = open_source(directory.write("perf.data", compressed(compression, want)), {});
    REQUIRE(source);
    CHECK((*source)->size() == size);
    CHECK(whole(**source) == want);
    // Random access works as in a plain file.
    if (size >= 100) {
        Blob out(50);
        CHECK((*source)->read_at(50, out) == std::size_t{50});
        CHECK(out == Blob(want.begin() + 50, want.begin() + 100));
    }
}

TEST_CASE("A compressed file that breaks off gives what could be unpacked", "[recording][source]") {
    struct Case {
        const char* name;
        Compression compression;
        std::size_t size;
    };
    // The small one is unpacked in one read: what precedes the break must not be lost with it.
    const auto one = GENERATE(Case{"gzip", Compression::gzip, 2000000}, Case{"small gzip", Compression::gzip, 20000},
                              Case{"xz", Compression::xz, 2000000}, Case{"zstd", Compression::zstd, 2000000});
    CAPTURE(one.name);
    const auto want = noise(one.size, six_bits);
    auto packed = compressed(one.compression, want);
    packed.resize(packed.size() * 3 / 4);
    const TempDir directory;
    const auto source = open_source(directory.write("broken", packed), {});
    REQUIRE(source);
    const auto got = whole(**source);
    CHECK(got.size() > one.size / 2);
    REQUIRE(got.size() < one.size);
    REQUIRE((*source)->damage());
    CHECK((*source)->damage()->detail.starts_with("cannot be unpacked any further"));
    CHECK(std::equal(got.begin(), got.end(), want.begin()));
}

TEST_CASE("What only begins like a compressed file is an error, not an empty recording", "[recording][source]") {
    const std::string magic = GENERATE(as<std::string>(), "\x1f\x8b\x08", "\x28\xb5\x2f\xfd",
                                       std::string("\xfd"
                                                   "7zXZ\0",
                                                   6));
    const TempDir directory;
    const auto source = open_source(directory.write("liar", blob_of(magic + std::string(200, '\xff'))), {});
    REQUIRE_FALSE(source);
    CHECK(source.error().code == ErrorCode::malformed);
}

TEST_CASE("Unpacking stops at the limit", "[recording][source]") {
    const auto compression = GENERATE(Compression::gzip, Compression::xz, Compression::zstd);
    const TempDir directory;
    const auto path = directory.write("bomb", compressed(compression, Blob(10000000)));
    Limits limits;
    limits.unpacked_bytes = 9999999;
    const auto refused = open_source(path, limits);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit);
    limits.unpacked_bytes = 10000000;
    CHECK(open_source(path, limits));
}

TEST_CASE("A pipe, which cannot be read twice, is copied and then read at any offset", "[recording][source]") {
    const bool packed = GENERATE(false, true);
    const auto want = noise(300000, six_bits);
    const auto bytes = packed ? compressed(Compression::gzip, want) : want;
    const TempDir directory;
    const auto path = (directory.path() / "fifo").string();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    std::jthread writer([&] {
        std::ofstream out(path, std::ios::binary);
        out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    });
    const auto source = open_source(path, {});
    REQUIRE(source);
    CHECK((*source)->size() == want.size());
    CHECK(whole(**source) == want);
}

TEST_CASE("read_whole refuses what is larger than its limit", "[recording][source]") {
    const auto blob = blob_of("0123456789");
    const auto source = memory_source(blob);
    CHECK(read_whole(*source, 10) == std::string("0123456789"));
    const auto refused = read_whole(*source, 9);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit);
}

TEST_CASE("A file that shrinks while it is read is a loss that is told", "[recording][source]") {
    const auto fixture = content_of_file(PERFDATA_FIXTURES "/bpf/bpf_many.data");
    const TempDir directory;
    for (const std::uintmax_t left : {0u, 50u, 424u, 20000u, 88584u, 95000u}) {
        INFO(left << " bytes are left");
        const auto path = directory.write("perf.data", fixture);
        const auto recording = Recording::open(path);
        REQUIRE(recording);
        std::filesystem::resize_file(path, left);
        Completeness completeness;
        REQUIRE(walk(*recording, completeness, [](const RecordContext&, const auto&) {}));
        const auto feature = recording->read_feature(Feature::bpf_prog_info);
        if (left < 88584) {
            CHECK_FALSE(completeness.lossless());
            REQUIRE_FALSE(completeness.diagnostics.empty());
            CHECK(completeness.diagnostics.kept()[0].code == ErrorCode::truncated);
        }
        REQUIRE_FALSE(feature);
        CHECK(feature.error().code == ErrorCode::truncated);
    }
}

TEST_CASE("A callback is read like a file, whatever pieces it gives", "[recording][source]") {
    const auto blob = blob_of("0123456789");
    std::size_t most = 3;
    const auto source = callback_source(
        10,
        [&](std::uint64_t offset, std::span<std::byte> out) -> Result<std::size_t> {
            const auto count = std::min({out.size(), most, blob.size() - static_cast<std::size_t>(offset)});
            std::copy_n(blob.begin() + static_cast<std::ptrdiff_t>(offset), count, out.begin());
            return count;
        },
        "remote");
    CHECK(source->size() == 10);
    Blob out(8);
    CHECK(source->read_at(1, out) == std::size_t{8});
    CHECK(as_text(out) == "12345678");
    CHECK(source->read_at(7, out) == std::size_t{3});
    CHECK(source->read_at(10, out) == std::size_t{0});
    CHECK(source->read_at(~std::uint64_t{0}, out) == std::size_t{0});
    most = 0;  // it has shrunk
    CHECK(source->read_at(1, out) == std::size_t{0});
}

TEST_CASE("A callback that fails, or claims too much, is an error", "[recording][source]") {
    Blob out(4);
    const auto failing = callback_source(
        10, [](std::uint64_t offset, std::span<std::byte>) { return fail(ErrorCode::io, offset, "net", "gone"); }, "r");
    CHECK(failing->read_at(2, out).error() == Error{ErrorCode::io, 2, "net", "gone"});
    const auto greedy = callback_source(
        10, [](std::uint64_t, std::span<std::byte> of) { return Result<std::size_t>(of.size() + 1); }, "r");
    const auto got = greedy->read_at(2, out);
    REQUIRE(!got);
    CHECK(got.error() == Error{ErrorCode::io, 2, "r", "its reader claims 5 bytes where 4 were asked for"});
    CHECK(callback_source(10, {}, "r")->read_at(0, out).error().code == ErrorCode::io);
    CHECK(Recording::from_source(failing, "r").error().code == ErrorCode::io);
    CHECK(Recording::from_source(greedy, "r").error().code == ErrorCode::io);
    CHECK(Recording::from_source(nullptr, "r").error().code == ErrorCode::io);
}

TEST_CASE("A recording is read through a callback, packed or not", "[recording][source]") {
    const auto plain = content_of_file(fixture("bpf/bpf_many.data"));
    const auto count = [](const Recording& recording) {
        Completeness seen;
        std::uint64_t samples = 0;
        const auto take = [&]<class Order>(const RecordContext&, const BasicSample<Order>&) { ++samples; };
        REQUIRE(walk(recording, seen, take));
        return samples;
    };
    const auto reader = [&](std::uint64_t offset, std::span<std::byte> out) -> Result<std::size_t> {
        const auto rest = Bytes(plain).subspan(static_cast<std::size_t>(offset));
        const auto part = std::min(rest.size(), out.size());
        std::copy_n(rest.begin(), part, out.begin());
        return part;
    };
    const auto recording = Recording::from_source(callback_source(plain.size(), reader, "far"), "far");
    REQUIRE(recording);
    CHECK(recording->path() == "far");
    CHECK(count(*recording) == 1230);
    CHECK(recording->reopen().error().code == ErrorCode::unsupported);
    // A reader that breaks off in the middle is damage, no failure.
    const auto half = plain.size() / 2;
    const auto breaking = [&](std::uint64_t offset, std::span<std::byte> out) -> Result<std::size_t> {
        if (offset >= half) return fail(ErrorCode::io, offset, "far", "connection reset");
        return reader(offset, out);
    };
    const auto broken = Recording::from_source(callback_source(plain.size(), breaking, "far"), "far");
    if (broken) {
        Completeness seen;
        REQUIRE(walk(*broken, seen, []<class Order>(const RecordContext&, const BasicSample<Order>&) {}));
        CHECK(!seen.lossless());
    }
}

TEST_CASE("A recording that grows is opened again as it is then", "[recording][source]") {
    const auto whole = content_of_file(fixture("records/pipe.data"));
    const TempDir directory;
    const auto half = Blob(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * 3 / 4));
    const auto path = directory.write("growing", half);
    const auto count = [](const Recording& recording) {
        Completeness seen;
        REQUIRE(walk(recording, seen, []<class Order>(const RecordContext&, const BasicSample<Order>&) {}));
        return seen.bytes.total;
    };
    const auto before = Recording::open(path).value();
    CHECK(count(before) == half.size());
    const auto same = directory.write("growing", whole);
    REQUIRE(same == path);
    const auto after = before.reopen();
    REQUIRE(after);
    CHECK(count(*after) == whole.size());
    CHECK(count(before) == half.size());
    CHECK(after->limits().events == before.limits().events);
    std::filesystem::remove(path);
    CHECK(before.reopen().error().code == ErrorCode::io);
    CHECK(Recording::from_memory(whole).value().reopen().error().code == ErrorCode::unsupported);
}
