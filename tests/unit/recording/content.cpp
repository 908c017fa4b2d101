// SPDX-License-Identifier: MIT
// Packed files with the wrong content are not unpacked completely.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/recording/recording.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/jitdump.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// The limit is below the unpacked size: unpacking more than the beginning hits it.
Limits few_bytes() {
    Limits limits;
    limits.unpacked_bytes = 1 << 20;
    return limits;
}

Blob long_file(Blob start) {
    start.resize(3 << 20);
    return start;
}

}  // namespace

TEST_CASE("Packed input that begins otherwise is refused before it is unpacked", "[recording][content]") {
    const auto content = GENERATE(Content::recording, Content::records, Content::elf, Content::jitdump,
                                  Content::archive, Content::perf_map, Content::text);
    const auto compression = GENERATE(Compression::gzip, Compression::xz, Compression::zstd);
    CAPTURE(static_cast<int>(content));
    const TempDir directory;
    const auto path = directory.write("zeros", compressed(compression, long_file({})));
    for (const auto& source :
         {open_source(path, few_bytes(), content), open_named_file({"", path}, few_bytes(), {.content = content})}) {
        REQUIRE_FALSE(source);
        CHECK(source.error().code == (content == Content::recording ? ErrorCode::not_perf_data : ErrorCode::malformed));
    }
    CHECK(open_source(path, few_bytes()).error().code == ErrorCode::limit);
}

TEST_CASE("Packed input that begins as it should is unpacked", "[recording][content]") {
    const auto recording = content_of_file(PERFDATA_FIXTURES "/bpf/bpf_many.data");
    struct Case {
        Content content;
        Blob start;
    };
    const std::vector<Case> cases{
        {Content::recording, recording},
        {Content::records, blob_of(std::string("\x09\0\0\0\0\0\x08\0", 8))},
        {Content::records, blob_of(std::string("\0\0\0\x09\0\0\0\x08", 8))},
        {Content::elf, blob_of("\177ELF\2\1\1")},
        {Content::jitdump, JitDumpWriter(std::endian::little).blob()},
        {Content::jitdump, JitDumpWriter(std::endian::big).blob()},
        {Content::perf_map, blob_of("1000 10 name\n")},
        {Content::perf_map, blob_of("\n1000 10 name\n")},
        {Content::text, blob_of("ffffffff81000000 T _text\n")},
    };
    const TempDir directory;
    for (const auto& [content, start] : cases) {
        CAPTURE(static_cast<int>(content));
        const auto source = open_source(directory.write("file", compressed(Compression::zstd, start)), {}, content);
        REQUIRE(source);
        CHECK((*source)->size() == start.size());
        CHECK(open_source(directory.write("cut", compressed(Compression::zstd, {})), {}, content).has_value() ==
              (content == Content::records || content == Content::perf_map || content == Content::text));
    }
    CHECK(open_source(directory.write("nul", compressed(Compression::gzip, blob_of(std::string("a\0b", 3)))), {},
                      Content::text)
              .error()
              .code == ErrorCode::malformed);
}

TEST_CASE("A packed file that is no recording fails at once, with what an unpacked one says", "[recording][content]") {
    const TempDir directory;
    const auto text = blob_of(
        "This is a text that is no recording, and it is long enough for a header of one hundred and "
        "four bytes, which this is not.");
    const auto plain = Recording::open(directory.write("plain", text));
    const auto packed = Recording::open(directory.write("packed", compressed(Compression::gzip, long_file(text))),
                                        {.limits = few_bytes()});
    REQUIRE_FALSE(plain);
    REQUIRE_FALSE(packed);
    CHECK(packed.error().code == ErrorCode::not_perf_data);
    CHECK(packed.error().message() == plain.error().message());
}

// The writer never stops; opening must end nevertheless.
TEST_CASE("A pipe that brings no recording is not read to its end", "[recording][content]") {
    const TempDir directory;
    const auto path = (directory.path() / "pipe").string();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    std::jthread writer([&] {
        std::signal(SIGPIPE, SIG_IGN);
        if (std::FILE* out = std::fopen(path.c_str(), "w")) {
            const std::string zeros(65536, '\0');
            while (std::fwrite(zeros.data(), 1, zeros.size(), out) == zeros.size()) {
            }
            std::fclose(out);
        }
    });
    const auto recording = Recording::open(path);
    REQUIRE_FALSE(recording);
    CHECK(recording.error().code == ErrorCode::not_perf_data);
}

TEST_CASE("Files of the kernel are read by the user's word though they say that they are empty",
          "[recording][content]") {
    const auto source = open_source("/proc/self/status", {});
    if (!source) return;  // no /proc here
    CHECK((*source)->size() > 10);
    CHECK(read_whole(**source, 1 << 20)->starts_with("Name:"));
}

TEST_CASE("Members of a recording's directory do not lead out of it", "[recording][content]") {
    const auto fixture = content_of_file(PERFDATA_FIXTURES "/bpf/bpf_many.data");
    const TempDir directory;
    const auto outside = directory.write("outside.data", fixture);
    const auto inside = directory.path() / "recording";
    std::filesystem::create_directory(inside);
    for (const auto& target : {outside, std::string("../outside.data")}) {
        std::filesystem::remove(inside / "data");
        std::filesystem::create_symlink(target, inside / "data");
        const auto recording = Recording::open(inside.string());
        REQUIRE_FALSE(recording);
        CHECK(recording.error().code == ErrorCode::io);
        CHECK(recording.error().detail.find("no regular file") != std::string::npos);
    }
    std::filesystem::remove(inside / "data");
    directory.write("recording/real", fixture);
    std::filesystem::create_symlink("real", inside / "data");
    CHECK(Recording::open(inside.string()));
    CHECK(Recording::open(outside));
}
