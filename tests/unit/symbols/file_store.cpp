// SPDX-License-Identifier: MIT
// What a store of files keeps when memory runs out, and what it destroys.
#include "symbols/elf/file_store.hpp"

#include <memory>
#include <new>

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
