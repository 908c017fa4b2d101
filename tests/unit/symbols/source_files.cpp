// SPDX-License-Identifier: MIT
// Text of source lines, by the file names in debug information.
#include "symbols/source_files.hpp"

#include <filesystem>

#include "catch.hpp"
#include "support/files.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// DatedFiles has files with modification times.
class DatedFiles final : public FileSystem {
  public:
    Files files;
    std::map<std::string, FileTime> times;
    mutable unsigned opened = 0;

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content) const override {
        ++opened;
        return files.open(name, limits, content);
    }
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override {
        return files.read_kernel_file(path, most);
    }
    std::optional<FileTime> modified(const FileName& name) const override {
        const auto found = times.find(name.shown());
        return found == times.end() ? std::nullopt : std::optional(found->second);
    }
};

struct SourceScene {
    std::shared_ptr<DatedFiles> files = std::make_shared<DatedFiles>();
    SourceFileOptions options;
    FinderOptions finder;

    void add(const std::string& path, std::string_view text) {
        const auto bytes = as_bytes(text);
        files->files.content[path] = Blob(bytes.begin(), bytes.end());
    }
    SourceFiles make() const { return {options, finder, files}; }
};

}  // namespace

TEST_CASE("Source paths stay below the root", "[symbols][lines]") {
    CHECK(source_path("/usr/src/a.c") == "usr/src/a.c");
    CHECK(source_path("/usr/src/build/../x/./a.c") == "usr/src/x/a.c");
    CHECK(source_path("../../etc/passwd") == "etc/passwd");
    CHECK(source_path("/a/../../../b") == "b");
    CHECK(source_path("..").empty());
    CHECK(source_path("").empty());
}

TEST_CASE("Source text is held once, whatever paths lead to it", "[symbols][lines]") {
    const TempDir folder;
    folder.write("a.c", blob_of("first\nsecond"));
    std::filesystem::create_symlink("a.c", folder.path() / "b.c");
    SourceFileOptions options;
    options.source_dirs = {folder.path().string()};
    SourceFiles sources(options, {}, std::make_shared<LocalFiles>());
    const auto text = sources.text("/one/a.c", 2, {});
    CHECK(text == "second");
    for (const auto* path : {"/other/a.c", "a.c", "/one/b.c"}) {
        INFO(path);
        CHECK(sources.text(path, 2, {}).data() == text.data());
    }
}

TEST_CASE("Source directories are searched by ever shorter paths", "[symbols][lines]") {
    SourceScene scene;
    scene.options.source_dirs = {"/one", "/two"};
    scene.add("/one/a.c", "of one");
    scene.add("/two/src/a.c", "of two");
    scene.add("/two/usr/src/b.c", "first\r\nsecond\n\nlast");
    scene.add("/usr/src/c.c", "local");
    auto sources = scene.make();
    CHECK(sources.text("/usr/src/a.c", 1, {}) == "of one");
    CHECK(sources.text("/usr/src/b.c", 1, {}) == "first");
    CHECK(sources.text("/usr/src/b.c", 2, {}) == "second");
    CHECK(sources.text("/usr/src/b.c", 3, {}).empty());
    CHECK(sources.text("/usr/src/b.c", 4, {}) == "last");
    CHECK(sources.text("/usr/src/b.c", 5, {}).empty());
    CHECK(sources.text("/usr/src/b.c", 0, {}).empty());
    CHECK(sources.text("/usr/src/c.c", 1, {}).empty());
    const auto opened = scene.files->opened;
    CHECK(sources.text("/usr/src/c.c", 1, {}).empty());
    CHECK(sources.text("/usr/src/b.c", 1, {}) == "first");
    CHECK(scene.files->opened == opened);
}

TEST_CASE("Local source files are read only if asked for, and only if older than the code", "[symbols][lines]") {
    SourceScene scene;
    scene.add("/src/a.c", "local");
    scene.add("/sys/src/a.c", "of symfs");
    CHECK(scene.make().text("/src/a.c", 1, {}).empty());
    scene.options.local_sources = true;
    CHECK(scene.make().text("/src/a.c", 1, {}) == "local");
    scene.files->times["/src/a.c"] = {10, 0};
    scene.files->times["/bin/a"] = {9, 0};
    CHECK(scene.make().text("/src/a.c", 1, "/bin/a").empty());
    scene.files->times["/bin/a"] = {11, 0};
    CHECK(scene.make().text("/src/a.c", 1, "/bin/a") == "local");
    scene.finder.offline = true;
    CHECK(scene.make().text("/src/a.c", 1, "/bin/a").empty());
    for (const bool offline : {true, false}) {
        scene.finder.offline = offline;
        scene.finder.symfs = "/sys";
        CHECK(scene.make().text("/src/a.c", 1, "/bin/a") == "of symfs");
        scene.finder.symfs = "/elsewhere";
        CHECK(scene.make().text("/src/a.c", 1, "/bin/a").empty());
    }
}

TEST_CASE("Why a source file has no text is known once it was looked for", "[symbols][lines]") {
    SourceScene scene;
    scene.add("/src/a.c", "local");
    scene.add("/src/large.c", std::string(200, 'x'));
    scene.options.local_sources = true;
    scene.finder.limits.source_file_bytes = 100;
    scene.files->times["/src/a.c"] = {10, 0};
    scene.files->times["/bin/old"] = {9, 0};
    scene.files->times["/bin/new"] = {11, 0};
    auto sources = scene.make();
    CHECK(sources.miss("/src/a.c", "/bin/old") == TextMiss::none);
    CHECK(sources.miss("/src/gone.c", "/bin/old") == TextMiss::none);
    for (const auto* file : {"/src/a.c", "/src/gone.c", "/src/large.c"})
        CHECK(sources.text(file, 1, "/bin/old").empty());
    CHECK(sources.miss("/src/a.c", "/bin/old") == TextMiss::newer);
    CHECK(sources.miss("/src/a.c", "/bin/new") == TextMiss::none);
    CHECK(sources.miss("/src/a.c", {}) == TextMiss::none);
    CHECK(sources.miss("/src/gone.c", "/bin/old") == TextMiss::not_here);
    CHECK(sources.miss("/src/large.c", "/bin/old") == TextMiss::none);  // problem() says why
    REQUIRE(sources.problem());

    scene.options.source_dirs = {"/given"};
    scene.add("/given/a.c", "given");
    scene.files->times["/given/a.c"] = {99, 0};
    auto given = scene.make();
    CHECK(given.text("/src/a.c", 1, "/bin/old") == "given");
    CHECK(given.miss("/src/a.c", "/bin/old") == TextMiss::none);
}

TEST_CASE("All source files together have a limit, of their text and of where their lines begin", "[symbols][lines]") {
    SourceScene scene;
    scene.options.source_dirs = {"/dir"};
    scene.add("/dir/a.c", "12345678");
    scene.add("/dir/b.c", "1\n\r\n3");
    scene.add("/dir/c.c", std::string(100, '\n'));
    auto all = scene.make();
    CHECK(all.text("a.c", 1, {}) == "12345678");
    CHECK(all.text("b.c", 1, {}) == "1");
    CHECK(all.text("b.c", 2, {}).empty());
    CHECK(all.text("b.c", 3, {}) == "3");
    CHECK(all.text("b.c", 4, {}).empty());
    CHECK_FALSE(all.problem());

    scene.finder.limits.source_file_bytes = 11;  // 8 bytes, and 4 for its one line
    auto none = scene.make();
    CHECK(none.text("a.c", 1, {}).empty());
    REQUIRE(none.problem());
    CHECK(none.problem()->code == ErrorCode::limit);

    scene.finder.limits.source_file_bytes = 12 + 5 + 3 * 4;
    auto two = scene.make();
    CHECK(two.text("a.c", 1, {}) == "12345678");
    CHECK(two.text("b.c", 3, {}) == "3");
    CHECK(two.text("c.c", 1, {}).empty());
    REQUIRE(two.problem());
    CHECK(two.problem()->detail.starts_with("the text of 1 is left out"));
}

TEST_CASE("The last 64 parts of a path are looked for in directories of sources", "[symbols][lines]") {
    SourceScene scene;
    scene.options.source_dirs = {"/dir"};
    std::string deep;
    for (int part = 0; part < 62; ++part) deep += "x/";
    scene.add("/dir/" + deep + "near/a.c", "near");
    scene.add("/dir/y/" + deep + "near/a.c", "far");
    CHECK(scene.make().text("y/" + deep + "near/a.c", 1, {}) == "near");
    CHECK(scene.make().text(deep + "near/a.c", 1, {}) == "near");
}
