// SPDX-License-Identifier: MIT
// What a store of files keeps when memory runs out, what it destroys, and whose symbols copies of a file have.
#include "symbols/elf/file_store.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "perfdata/symbols/elf/objects.hpp"

#include "catch.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::shared_ptr<const ElfFile> stored_file() {
    return std::make_shared<const ElfFile>(open_elf(Elf().blob()).value());
}

// ScarceContent needs memory that is not always there.
struct ScarceContent final : FileContent {
    static constexpr auto content_kind = Kind::unwinding;
    static inline bool scarce = false;

    ScarceContent() {
        if (scarce) throw std::bad_alloc();
    }
    std::uint64_t memory() const override { return 5; }
    bool intact() const override { return true; }
};

// AskingContent asks its store for something when it is destroyed, as what a user's file system opened may.
struct AskingContent final : FileContent {
    static constexpr auto content_kind = Kind::unwinding;

    ~AskingContent() override {
        if (store != nullptr) files = store->files();
    }
    AskingContent() = default;
    AskingContent(const AskingContent&) = delete;
    AskingContent& operator=(const AskingContent&) = delete;

    std::uint64_t memory() const override { return 0; }
    bool intact() const override { return whole; }

    const FileStore* store = nullptr;
    bool whole = true;
    static inline std::size_t files = 0;
};

}  // namespace

TEST_CASE("A store that had no memory for a content has none of it", "[symbols][cache]") {
    FileStore store(SymbolCacheOptions{.bytes = 1 << 20, .files = 10});
    const FileStore::Files files{stored_file()};
    ScarceContent::scarce = true;
    CHECK_THROWS_AS(store.content<ScarceContent>(files), std::bad_alloc);
    ScarceContent::scarce = false;
    const auto before = store.bytes();
    store.trim();
    const auto content = store.content<ScarceContent>(files);
    REQUIRE(content);
    CHECK(store.bytes() == before + content->memory());
    CHECK(store.content<ScarceContent>(files) == content);
}

TEST_CASE("What a store replaces is destroyed when it is free again", "[symbols][cache]") {
    FileStore store(SymbolCacheOptions{.bytes = 1 << 20, .files = 10});
    const FileStore::Files files{stored_file()};
    {
        const auto content = store.content<AskingContent>(files);
        content->store = &store;
        content->whole = false;
    }
    AskingContent::files = 0;
    CHECK(store.content<AskingContent>(files)->intact());
    CHECK(AskingContent::files == 1);
}

namespace {

// CopiesScene has two files with one debug file. Only the first has a symbol of its own.
struct CopiesScene {
    static Elf stripped(bool own) {
        Elf elf;
        elf.segments = {{0x600, 0x1600, 0x1000}};
        elf.build_id(id(1).bytes());
        if (own) elf.symbols({{"own", 0x1680, 0x10}}, ".dynsym");
        return elf;
    }
    // SlowFiles opens one of them late.
    class SlowFiles final : public Files {
      public:
        std::string slow;
        Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                                   Content what) const override {
            if (name.path == slow) std::this_thread::sleep_for(std::chrono::milliseconds(300));
            return Files::open(name, limits, what);
        }
        std::optional<FileIdentity> identity(const FileName& name) const override {
            const auto path = name.shown();
            if (!content.contains(path)) return {};
            return FileIdentity{1, std::hash<std::string>()(path), 3, 4, 5};
        }
    };

    CopiesScene() {
        files->content["/bin/a"] = stripped(true).blob();
        files->content["/bin/b"] = stripped(false).blob();
        auto debug = stripped(false);
        debug.symbols({});  // so the files' own count
        std::string path = "/usr/lib/debug/.build-id/";
        const auto one = id(1);
        for (const auto byte : one.bytes()) {
            constexpr std::string_view digits = "0123456789abcdef";
            const auto value = std::to_integer<unsigned>(byte);
            path += {digits[value / 16], digits[value % 16]};
            if (path.size() == 27) path += '/';
        }
        files->content[path + ".debug"] = debug.blob();
    }
    ObjectSymbols objects(const std::shared_ptr<FileStore>& store = {}) const {
        if (!store) return ObjectSymbols(ObjectFinder({}, files));
        return ObjectSymbols(ObjectFinder({}, files, store, store->realm(files, {}, true)));
    }

    std::shared_ptr<SlowFiles> files = std::make_shared<SlowFiles>();
};

}  // namespace

TEST_CASE("Symbols of a file that was stopped are not those of its copy", "[symbols][cache]") {
    const CopiesScene scene;
    for (unsigned most = 1; most < 40; ++most) {
        CAPTURE(most);
        const auto store = std::make_shared<FileStore>(SymbolCacheOptions{.bytes = 1 << 20, .files = 10});
        {
            auto first = scene.objects(store);
            const std::array one{first.add({"/bin/a", id(1)})};
            unsigned asked = 0;
            first.load_all(one, 1, StopToken([&] { return ++asked >= most; }));
            (void)first.name(first.add({"/bin/b", id(1)}), 0x680);
        }
        auto second = scene.objects(store);
        const auto name = second.name(second.add({"/bin/a", id(1)}), 0x680);
        REQUIRE(name);
        CHECK(name->name == "own");
    }
}

TEST_CASE("The first of the copies with one debug file says what symbols they have", "[symbols][cache]") {
    const CopiesScene scene;
    scene.files->slow = "/bin/a";
    auto objects = scene.objects();
    const std::array both{objects.add({"/bin/a", id(1)}), objects.add({"/bin/b", id(1)})};
    objects.load_all(both, 2);
    for (const auto index : both) {
        const auto name = objects.name(index, 0x680);
        REQUIRE(name);
        CHECK(name->name == "own");
    }
}
