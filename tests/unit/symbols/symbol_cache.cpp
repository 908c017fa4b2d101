// SPDX-License-Identifier: MIT
// Files that are read once for several recordings.
#include "perfdata/symbols/symbol_cache.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "perfdata/symbols/jit/perf_map.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"

#include "catch.hpp"
#include "support/looks.hpp"
#include "support/payload.hpp"
#include "symbols/elf/debug_lines.hpp"
#include "symbols/elf/file_store.hpp"
#include "unit/symbols/elf_case.hpp"
#include "unit/symbols/inlined_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// NumberedFiles has an identity for each path, and counts what is opened.
class NumberedFiles final : public FileSystem {
  public:
    explicit NumberedFiles(Shared<const FileSystem> of) : beneath(std::move(of)) {}

    Shared<const FileSystem> beneath;
    std::map<std::string, std::string> links;  // other names
    mutable std::atomic<unsigned> opened = 0;
    std::int64_t written = 1;

    std::string target(const FileName& name) const {
        const auto link = links.find(name.shown());
        return link == links.end() ? name.shown() : link->second;
    }
    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content) const override {
        auto result = beneath->open({"", target(name)}, limits, content);
        if (result) ++opened;
        return result;
    }
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override {
        return beneath->read_kernel_file(path, most);
    }
    std::optional<FileIdentity> identity(const FileName& name) const override {
        const auto path = target(name);
        if (!beneath->has({"", path})) return {};
        return FileIdentity{7, std::hash<std::string>()(path), path.size(), written, 0};
    }
};

struct CacheScene {
    CacheScene() {
        scene.chain({InlinedScene::turn, InlinedScene::after_middle, InlinedScene::main + 1});
        files = std::make_shared<NumberedFiles>(scene.sources().files);
    }

    // Answers opens a recording of the scene and says all that is known of its program.
    std::vector<std::string> answers(Shared<const SymbolCache> cache, SymbolizerOptions options) const {
        options.cache = std::move(cache);
        const auto file = built();
        const auto recording = Recording::from_memory(file).value();
        const auto timeline = Timeline::build(recording).value();
        const auto symbolizer = Symbolizer::open(recording, timeline, options);
        std::vector<std::string> all;
        for (auto at = InlinedScene::main; at < InlinedScene::end; at += 4) {
            const auto frame = InlinedScene::frame(at);
            const auto name = symbolizer.name(frame);
            all.push_back(std::string(name.symbol) + "+" + std::to_string(name.offset) + " in " +
                          std::string(name.object) + ", " + std::to_string(symbolizer.extent(frame).size));
            std::vector<Frame> calls;
            symbolizer.functions().add_inlined(frame, false, calls);
            for (const auto& call : calls) all.push_back(std::string(symbolizer.name(call).symbol) + "!");
        }
        for (const auto begin : {InlinedScene::main, InlinedScene::work, InlinedScene::leaf, InlinedScene::plain}) {
            const auto lines = symbolizer.lines(InlinedScene::frame(begin), 0x40);
            if (!lines) {
                all.push_back(lines.error().message());
                continue;
            }
            for (const auto& line : *lines) {
                auto text = std::to_string(line.offset) + " " + std::string(line.source.file) + ":" +
                            std::to_string(line.source.line);
                for (const auto& call : line.inlined) text += " <- " + std::string(call.function);
                all.push_back(text);
            }
        }
        const auto losses = symbolizer.losses();
        for (const auto& error : losses.kept()) all.push_back(error.message());
        return all;
    }
    std::vector<std::string> answers(Shared<const SymbolCache> cache = {}) const { return answers(cache, options()); }

    SymbolizerOptions options() const {
        auto options = scene.sources();
        options.files = files;
        return options;
    }
    // Returns how many files were opened since it was last asked.
    unsigned opened() const { return files->opened.exchange(0); }
    // Threads may call it: building a scene changes it.
    Blob built() const {
        static std::mutex building;
        const std::scoped_lock lock(building);
        return opened_scene().build();
    }
    Scene& opened_scene() const { return const_cast<InlinedScene&>(scene).scene(); }

    InlinedScene scene;
    std::shared_ptr<NumberedFiles> files;
};

Shared<const SymbolCache> cache_of(const SymbolCacheOptions& options = {}) {
    return std::make_shared<const SymbolCache>(options);
}

}  // namespace

TEST_CASE("A second recording opens no file again, and says the same", "[symbols][cache]") {
    const CacheScene scene;
    const auto plain = scene.answers();
    CHECK(std::ranges::count_if(plain, [](const auto& text) { return text.contains("!"); }) >= 4);
    CHECK(std::ranges::count_if(plain, [](const auto& text) { return text.contains(" <- "); }) >= 2);
    REQUIRE(scene.opened() == 1);
    const auto cache = cache_of();
    CHECK(scene.answers(cache) == plain);
    CHECK(scene.opened() == 1);
    CHECK(cache->files() == 1);
    CHECK(cache->bytes() > 1000);
    for (int again = 0; again < 3; ++again) {
        CHECK(scene.answers(cache) == plain);
        CHECK(scene.opened() == 0);
    }
    CHECK(scene.answers() == plain);  // without it
    CHECK(scene.opened() == 1);
}

TEST_CASE("What was read ahead is not read again", "[symbols][cache]") {
    CacheScene scene;
    Blob id;
    for (unsigned byte = 1; byte <= 20; ++byte) id.push_back(std::byte(byte));  // as in the records
    auto program = InlinedScene::program();
    program.build_id(id);
    scene.scene.replace_program(program);
    constexpr auto user = static_cast<std::uint16_t>(CpuMode::user);
    constexpr auto order = std::endian::little;
    auto table = build_id_record(order, {.misc = user, .name = "/bin/absent"});
    const auto second = build_id_record(order, {.misc = user, .name = "/bin/nest"});
    table.insert(table.end(), second.begin(), second.end());
    scene.opened_scene().feature(Feature::build_id, table);
    const auto file = scene.built();
    const auto recording = Recording::from_memory(file).value();
    const auto plain = scene.answers();
    REQUIRE(scene.opened() == 1);

    auto options = scene.options();
    Symbolizer::read_ahead(recording, options);  // without a cache
    CHECK(scene.opened() == 0);
    const auto cache = cache_of();
    options.cache = cache;
    options.stop = StopToken([] { return true; });
    Symbolizer::read_ahead(recording, options);
    CHECK(scene.opened() == 0);
    options.stop = {};
    Symbolizer::read_ahead(recording, options);
    CHECK(scene.opened() == 1);
    CHECK(cache->files() == 1);
    CHECK(scene.answers(cache) == plain);
    CHECK(scene.opened() == 0);
}

TEST_CASE("What is read for other limits or other names is kept apart", "[symbols][cache]") {
    const CacheScene scene;
    const auto plain = scene.answers();
    const auto cache = cache_of();
    scene.answers(cache);
    scene.opened();
    auto raw = scene.options();
    raw.demangle = false;
    CHECK(scene.answers(cache, raw) == scene.answers({}, raw));
    CHECK(scene.opened() == 2);
    auto small = scene.options();
    small.finder.limits.section_bytes = 64;  // too little for its symbols
    const auto limited = scene.answers({}, small);
    CHECK(limited != plain);
    scene.opened();
    for (int again = 0; again < 2; ++again) {
        CHECK(scene.answers(cache, small) == limited);
        CHECK(scene.answers(cache) == plain);
    }
    CHECK(scene.opened() == 1);
    // Identities of another file system are other files.
    CacheScene other;
    other.answers(cache);
    CHECK(other.opened() == 1);
}

TEST_CASE("A file that was written since is read again", "[symbols][cache]") {
    CacheScene scene;
    const auto cache = cache_of();
    const auto before = scene.answers(cache);
    scene.scene.replace_program([] {
        Elf elf;
        elf.section(Elf::text).address = InlinedScene::main;
        elf.section(Elf::text).content = Blob(InlinedScene::end - InlinedScene::main, std::byte{0x90});
        elf.segments = {{InlinedScene::main - 0x1000, InlinedScene::main, InlinedScene::end - InlinedScene::main}};
        elf.symbols({{"rewritten", InlinedScene::main, 0x100}});
        return elf;
    }());
    scene.files->written = 2;
    scene.opened();
    const auto after = scene.answers(cache);
    CHECK(scene.opened() == 1);
    CHECK(after != before);
    CHECK(after == scene.answers());
    CHECK(cache->files() == 2);
}

TEST_CASE("A cache keeps what was used last, within its bounds", "[symbols][cache]") {
    const CacheScene scene;
    const auto plain = scene.answers();
    for (const auto& bounds :
         {SymbolCacheOptions{.bytes = 1, .files = 100}, SymbolCacheOptions{.bytes = 1 << 20, .files = 0}}) {
        const auto cache = cache_of(bounds);
        scene.opened();
        CHECK(scene.answers(cache) == plain);
        CHECK(scene.answers(cache) == plain);
        CHECK(scene.opened() == 2);
        CHECK(cache->files() == 0);
        CHECK(cache->bytes() == 0);
    }
    const auto cache = cache_of({.bytes = 1 << 30, .files = 1});
    CacheScene other;
    scene.answers(cache);
    other.answers(cache);
    CHECK(cache->files() == 1);
    scene.opened();
    other.opened();
    other.answers(cache);
    CHECK(other.opened() == 0);
    scene.answers(cache);
    CHECK(scene.opened() == 1);
    other.answers(cache);
    CHECK(other.opened() == 1);

    // clear() drops all; who uses it has it still.
    const auto recording = scene.opened_scene().open();
    const auto timeline = Timeline::build(recording).value();
    auto options = scene.options();
    options.cache = cache;
    const auto symbolizer = Symbolizer::open(recording, timeline, options);
    const auto name = symbolizer.name(InlinedScene::frame(InlinedScene::work));
    cache->clear();
    CHECK(cache->files() == 0);
    CHECK(cache->bytes() == 0);
    CHECK(name.symbol == "work");
    CHECK(symbolizer.lines(InlinedScene::frame(InlinedScene::work), 0x40)->size() > 1);
}

TEST_CASE("Debug information that is damaged says the same with a cache and without", "[symbols][cache]") {
    CacheScene scene;
    auto program = InlinedScene::program();
    const auto number = GENERATE(range(0, 12));
    auto& section = program.section(static_cast<std::uint16_t>(3 + number % 4));
    const auto at = section.content.size() * static_cast<std::size_t>(number / 4 + 1) / 4;
    if (at < section.content.size()) section.content[at] ^= std::byte{0x5a};
    scene.scene.replace_program(program);
    const auto plain = scene.answers();
    const auto cache = cache_of();
    for (int again = 0; again < 3; ++again) CHECK(scene.answers(cache) == plain);
}

TEST_CASE("Many threads share a cache", "[symbols][cache]") {
    const CacheScene scene;
    const auto plain = scene.answers();
    const auto cache = cache_of({.bytes = 1 << 20, .files = GENERATE(std::size_t{0}, std::size_t{100})});
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int number = 0; number < 8; ++number) {
            threads.emplace_back([&] {
                for (int again = 0; again < 5; ++again) wrong += scene.answers(cache) == plain ? 0 : 1;
            });
        }
    }
    CHECK(wrong == 0);
    if (cache->files() != 0) CHECK(scene.opened() <= 1 + 8);
}

TEST_CASE("What was stopped while it was read is not kept", "[symbols][cache]") {
    const CacheScene scene;
    const auto plain = scene.answers();
    const auto cache = cache_of();
    const auto detail = GENERATE(CodeDetail::names, CodeDetail::inlined, CodeDetail::lines);
    {
        const auto recording = scene.opened_scene().open();
        const auto timeline = Timeline::build(recording).value();
        auto options = scene.options();
        options.cache = cache;
        const auto symbolizer = Symbolizer::open(recording, timeline, options);
        const auto frame = InlinedScene::frame(InlinedScene::work);
        Looks some;
        some.most = 1;
        const auto stopped = symbolizer.load(frame, detail, some.watch());
        REQUIRE_FALSE(stopped);
        CHECK(stopped.error().code == ErrorCode::cancelled);
        CHECK(some.asked == 1);
        CHECK(cache->files() == 0);
        Looks second;
        second.most = 2;
        CHECK_FALSE(symbolizer.load(frame, detail, second.watch()));
        CHECK(symbolizer.name(frame).symbol == "work");
        Looks never;
        CHECK(symbolizer.load(frame, detail, never.watch()));
        scene.opened();
        CHECK(symbolizer.lines(frame, 0x40)->size() > 1);
        CHECK(scene.opened() == 0);
    }
    CHECK(scene.answers(cache) == plain);
}

TEST_CASE("A kallsyms is read once for several recordings", "[symbols][cache]") {
    const auto plain = std::make_shared<Files>();
    const auto text = [](std::string_view name) {
        const auto all = "ffffffff81000000 T _text\nffffffff81000100 T " + std::string(name) + "\nno line of it\n";
        return Blob(as_bytes(all).begin(), as_bytes(all).end());
    };
    plain->content["/k"] = text("do_work");
    const auto files = std::make_shared<NumberedFiles>(plain);
    FinderOptions options;
    options.kallsyms = "/k";
    const auto store = std::make_shared<FileStore>(SymbolCacheOptions{.bytes = 1 << 20, .files = 10});
    const auto name = [&](bool cached) {
        const auto realm = store->realm(files, options.limits, true);
        const auto finder = cached ? ObjectFinder(options, files, store, realm) : ObjectFinder(options, files);
        const auto names = KernelNames::load({}, finder);
        if (!names) return names.error().message();
        const auto found = names->find({0xffffffff81000104});
        return std::string(found ? found->name : "none") + " of " + names->origin() + ": " +
               (names->damage() ? names->damage()->message() : "whole");
    };
    const auto expected = name(false);
    CHECK(expected.starts_with("do_work of /k: /k: 1 of its lines"));
    files->opened = 0;
    for (int again = 0; again < 3; ++again) CHECK(name(true) == expected);
    CHECK(files->opened == 1);
    CHECK(store->files() == 1);
    CHECK(store->bytes() >= 50);

    // Another state of the file, other limits, a file that cannot be read.
    plain->content["/k"] = text("other_work");
    files->written = 2;
    CHECK(name(true) == name(false));
    CHECK(name(true).starts_with("other_work"));
    options.limits.kallsyms_bytes = 10;
    CHECK(name(true) == name(false));
    options.limits = {};
    files->written = 3;
    plain->locked.insert("/k");
    const auto locked = name(false);
    CHECK(name(true) == locked);
    plain->locked.clear();
    CHECK(name(true) == name(false));
    CHECK(name(true) != locked);

    // Bounds hold for them, too.
    store->clear();
    CHECK(store->files() == 0);
    const auto none = std::make_shared<FileStore>(SymbolCacheOptions{.bytes = 1, .files = 10});
    const ObjectFinder small(options, files, none, none->realm(files, options.limits, true));
    CHECK(KernelNames::load({}, small));
    CHECK(none->files() == 0);
}

TEST_CASE("What the user may open is not kept for what a recording names", "[symbols][cache]") {
    const auto plain = std::make_shared<Files>();
    plain->content["/m"] = Blob();
    const auto files = std::make_shared<NumberedFiles>(plain);
    FileStore store(SymbolCacheOptions{.bytes = 1 << 20, .files = 10});
    const auto realm = store.realm(files, {}, true);
    const auto ask = [&](bool given) {
        const auto read = [&]() -> Result<PerfMap> {
            if (!given) return fail(ErrorCode::mismatch, Error::no_offset, "/m", "belongs to another user");
            return PerfMap::parse("10 10 f\n");
        };
        const FileName name{"", "/m"};
        return store.value<FileContent::Kind::perf_map, PerfMap>(realm, *files, name, given, LookOut(), read);
    };
    for (int again = 0; again < 2; ++again) {
        CHECK(ask(true).value()->size() == 1);
        CHECK(ask(false).error().code == ErrorCode::mismatch);
    }
}

TEST_CASE("A store does not keep an alternate whose file it dropped", "[symbols][cache]") {
    FileStore store(SymbolCacheOptions{.bytes = 1 << 20, .files = 10});
    std::weak_ptr<const ElfFile> known;
    {
        const auto file = std::make_shared<const ElfFile>(open_elf(Elf().blob()).value());
        known = file;
        (void)store.content<OpenedLines>({nullptr, file});
        store.clear();  // by another thread, just before this one opens the alternate
        LookOut nobody;
        (void)store.alternates().open(file, {}, nobody);
    }
    store.trim();
    CHECK(known.expired());
}
