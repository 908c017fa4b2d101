// SPDX-License-Identifier: MIT
// The Symbolizer of a profile file: all that it says is in the file.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "catch.hpp"
#include "recording/stored/merge.hpp"
#include "recording/stored/problems.hpp"
#include "support/stored_model.hpp"
#include "timeline/stored_frames.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// StoredScene is an open profile file.
struct StoredScene {
    explicit StoredScene(const stored::Model& model)
        : bytes(written(model)),
          recording(Recording::from_memory(std::as_bytes(std::span(bytes))).value()),
          timeline(Timeline::build(recording).value()),
          symbolizer(Symbolizer::open(recording, timeline)) {}

    const stored::Model& model() const { return *recording.stored(); }
    // The object of that path.
    ObjectIndex object(std::string_view path) const {
        for (std::uint32_t index = 0; index < model().objects.size(); ++index) {
            if (model().text(model().objects[index].path) == path) return ObjectIndex{index};
        }
        return ObjectIndex{~0u};
    }
    Frame in(std::string_view path, std::uint64_t offset, CpuMode mode = CpuMode::user) const {
        return {offset, object(path), FrameKind::object, mode};
    }

    std::string bytes;
    Recording recording;
    Timeline timeline;
    Symbolizer symbolizer;
};

// SampledModel counts a sample in each frame that it adds.
struct SampledModel : StoredModel {
    SampledModel() : StoredModel("one"), cycles(event("cycles", 0)), thread(task("prog", 42)) {}

    void sample(stored::Ref<stored::Frame> at) { cell(thread, node(at), cycles, 1); }
    void sample_at(stored::Ref<stored::Object> object, std::uint64_t offset, stored::Ref<stored::Nameless> nameless) {
        sample_at(object, offset, nameless, {});
    }
    // `row` has what else is known of it.
    void sample_at(stored::Ref<stored::Object> object, std::uint64_t offset, stored::Ref<stored::Nameless> nameless,
                   stored::Frame row) {
        row.kind.value = stored::frame_kind::object;
        row.object = object;
        row.offset = offset;
        row.mode = CpuMode::user;
        row.nameless = nameless;
        sample(add(row));
    }
    stored::Ref<stored::Nameless> without_name(std::string_view object) {
        stored::Nameless row;
        row.object = text(object);
        row.kind = CodeClass::user;
        row.miss = SymbolMiss::no_symbols;
        row.wants_name = true;
        row.reason = text("its file has no symbols");
        row.remedy = text("install them");
        return add(row);
    }

    stored::Ref<stored::Event> cycles;
    stored::Ref<stored::Task> thread;
};

const std::string some_build_id(20, 'b');

}  // namespace

TEST_CASE("A profile names functions of files, and all of their bytes", "[symbols][stored]") {
    SampledModel made;
    const auto file = made.file("/bin/prog", some_build_id);
    auto& object = made.model.objects[file.number];
    object.file.path = made.text("/root/bin/prog");
    object.file.segments = {{0x1000, 0x100, 0x401000}};
    object.file.debug_name = made.text("prog.debug");
    const auto function = made.function(file, 0x1000, "main", std::string(16, '\x90'));
    made.model.functions[function.number].kind_of_code = CodeClass::user;
    made.sample(made.frame(function, 4));
    made.sample_at(file, 0x2000, made.without_name("/bin/prog"));
    const StoredScene scene(std::move(made).finish());
    const auto& symbols = scene.symbolizer;

    const auto place = scene.in("/bin/prog", 0x1004);
    const auto name = symbols.name(place);
    CHECK(name.symbol == "main");
    CHECK(name.offset == 4);
    CHECK(name.object == "/bin/prog");
    CHECK(name.kind == CodeClass::user);
    CHECK(symbols.function(place) == scene.in("/bin/prog", 0x1000));
    CHECK(symbols.extent(place).begin == scene.in("/bin/prog", 0x1000));
    CHECK(symbols.extent(place).size == 16);
    CHECK(symbols.functions().named(place));
    CHECK(symbols.functions().left_out(place, {{}, {}, {"main"}}) == CodePart::none);
    CHECK(symbols.functions().left_out(place, {{}, {}, {"other"}}) == CodePart::symbol);
    // No sample fell there.
    CHECK(symbols.name(scene.in("/bin/prog", 0x100f)).symbol == "main");
    CHECK(symbols.name(scene.in("/bin/prog", 0x1010)).symbol.empty());

    const auto nameless = scene.in("/bin/prog", 0x2000);
    CHECK(symbols.name(nameless).symbol.empty());
    CHECK(symbols.name(nameless).offset == 0x2000);
    CHECK(symbols.name(nameless).miss == SymbolMiss::no_symbols);
    CHECK(symbols.why_unnamed(nameless) == Unnamed{"its file has no symbols", "install them"});
    CHECK(symbols.function(nameless) == nameless);
    CHECK(symbols.extent(nameless).size == 0);
    REQUIRE(symbols.functions().nameless(nameless));
    CHECK(symbols.functions().nameless(nameless)->object == "/bin/prog");

    REQUIRE(symbols.file(place.index));
    CHECK((*symbols.file(place.index))->path == "/root/bin/prog");
    CHECK((*symbols.file(place.index))->file == nullptr);
    CHECK(symbols.file_address(place.index, 0x1004) == std::optional<std::uint64_t>(0x401004));
    CHECK_FALSE(symbols.file_address(place.index, 0x1100));
    CHECK(symbols.recorded_object(place.index).path == "/bin/prog");
    CHECK(symbols.recorded_object(place.index).build_id.size == 20);
    REQUIRE(symbols.missing_debug(place.index));
    CHECK(symbols.missing_debug(place.index)->name == "prog.debug");
    CHECK(symbols.has_kernel_names());
    CHECK(symbols.kernel() == nullptr);
    CHECK(symbols.objects_with("main") == std::vector<std::string>{"/bin/prog"});
    CHECK(symbols.objects_with("other").empty());
}

TEST_CASE("Code of a profile without a name says why it has no lines", "[symbols][stored]") {
    SampledModel made;
    const auto file = made.file("/bin/prog", some_build_id);
    stored::Frame row;
    row.lines_from = made.text("/bin/prog");
    stored::Problem problem;
    problem.where = made.text("/bin/prog");
    problem.detail = made.text("its debug file is damaged");
    problem.loss = true;
    row.line_problem.push_back(problem);
    made.sample_at(file, 0x2000, made.without_name("/bin/prog"), row);
    const auto other = made.file("/bin/other", some_build_id);
    made.sample_at(other, 0x2000, made.without_name("/bin/other"));
    const StoredScene scene(std::move(made).finish());
    const auto& symbols = scene.symbolizer;

    // The byte before a caller has no row of its own.
    for (const auto offset : {0x2000u, 0x1fffu}) {
        const auto place = scene.in("/bin/prog", offset);
        REQUIRE(symbols.lines(place, 1));
        CHECK(symbols.lines(place, 1)->empty());
        const auto told = symbols.lines_problem(place, {});
        REQUIRE(told);
        CHECK(told->detail == "its debug file is damaged");
        CHECK(symbols.is_line_loss(place, *told));
        CHECK(symbols.lines_origin(place).kind == LinesOrigin::Kind::file);
        CHECK(symbols.lines_origin(place).from != nullptr);
    }
    const auto silent = scene.in("/bin/other", 0x2000);
    CHECK_FALSE(symbols.lines_problem(silent, {}));
    CHECK(symbols.lines_origin(silent).kind == LinesOrigin::Kind::none);
}

TEST_CASE("Functions of a profile may lie in each other", "[symbols][stored]") {
    SampledModel made;
    const auto file = made.file("/bin/prog", some_build_id);
    const auto outer = made.function(file, 0x1000, "outer", std::string(64, '\x90'));
    const auto inner = made.function(file, 0x1010, "inner", std::string(8, '\x90'));
    made.sample(made.frame(outer, 0x12));  // as the symbols of the file said
    made.sample(made.frame(inner, 4));
    const StoredScene scene(std::move(made).finish());
    const auto symbol_at = [&](std::uint64_t offset) { return scene.symbolizer.name(scene.in("/bin/prog", offset)); };
    CHECK(symbol_at(0x1012).symbol == "outer");
    CHECK(symbol_at(0x1012).offset == 0x12);
    CHECK(symbol_at(0x1014).symbol == "inner");
    CHECK(symbol_at(0x1013).symbol == "inner");  // nobody was there: the innermost
    CHECK(symbol_at(0x1018).symbol == "outer");
    CHECK(symbol_at(0x0fff).symbol.empty());
    CHECK(symbol_at(0x1040).symbol.empty());
}

TEST_CASE("A profile has the kernel's functions at their addresses", "[symbols][stored]") {
    SampledModel made;
    stored::Object kernel;
    kernel.kind.value = stored::object_kind_number::kernel;
    kernel.path = made.text("[kernel.kallsyms]_text");
    kernel.build_id = some_build_id;
    kernel.base = 0xffffffff81000000;
    const auto object = made.add(kernel);
    const auto function = made.function(object, 0x100, "schedule", std::string(32, '\x90'));
    auto& row = made.model.functions[function.number];
    row.has_address = true;
    row.address = 0xffffffff81000100;
    made.version(function, 1, std::string(32, '\xcc'));
    made.model.versions.back().from = 5000;
    made.model.versions[made.model.versions.size() - 2].until = 5000;
    made.sample(made.frame(function, 8));
    const StoredScene scene(std::move(made).finish());
    const auto place = scene.in("[kernel.kallsyms]_text", 0xffffffff81000108, CpuMode::kernel);
    CHECK(scene.symbolizer.name(place).symbol == "schedule");
    CHECK(scene.symbolizer.name(place).offset == 8);
    CHECK(scene.symbolizer.extent(place).address == std::optional(Address{0xffffffff81000100}));
    CHECK(scene.symbolizer.recorded_kernel().build_id.size == 20);
    const auto versions = scene.symbolizer.versions().versions(place);
    REQUIRE(versions.size() == 2);
    CHECK(versions[1].from == Time{5000});
    const auto image = scene.symbolizer.image(versions[1]);
    REQUIRE(image);
    CHECK(image->bytes == std::vector(32, std::byte{0xcc}));
}

TEST_CASE("A profile has the code of functions, and what it names", "[symbols][stored]") {
    SampledModel made;
    const auto file = made.file("/bin/prog", some_build_id);
    const auto function = made.function(file, 0x1000, "main", "\x90\xc3");
    auto& image = made.model.versions.back().image;
    image.address = 0x401000;
    image.targets = {{0x5000, false, made.text("callee"), 3}, {0x6000, true, made.text("handler"), 0}};
    image.relocations = {{1, made.text("printk"), ~std::uint64_t{3}, RelocationBase::next_instruction}};
    const auto other = made.function(file, 0x3000, "other", "\x90\xc3");
    made.model.versions.back().differs = true;
    const auto absent = made.function(file, 0x4000, "absent", "\x90\xc3");
    stored::Problem why;
    why.code = ErrorCode::missing;
    why.where = made.text("absent");
    why.detail = made.text("was not kept");
    made.model.versions.back().image = {};
    made.model.versions.back().image.absent = true;
    made.model.versions.back().image.problems = {why};
    for (const auto one : {function, other, absent}) made.sample(made.frame(one, 0));
    const StoredScene scene(std::move(made).finish());
    const auto& symbols = scene.symbolizer;
    const auto version = symbols.versions().version(scene.in("/bin/prog", 0x1000), 0);
    const auto code = symbols.image(version);
    REQUIRE(code);
    CHECK(code->bytes == std::vector{std::byte{0x90}, std::byte{0xc3}});
    CHECK(code->address == Address{0x401000});
    CHECK(code->origin == "a file");
    REQUIRE(code->relocations.size() == 1);
    CHECK(code->relocations[0].symbol == "printk");
    CHECK(code->relocations[0].addend == -4);
    CHECK(code->problems.empty());

    CHECK(symbols.keeps_targets());
    const auto jump = symbols.target(version, Address{0x5000}, TargetUse::jump);
    REQUIRE(jump);
    CHECK(jump->name == "callee");
    CHECK(jump->offset == 3);
    CHECK_FALSE(symbols.target(version, Address{0x5000}, TargetUse::constant));
    CHECK(symbols.target(version, Address{0x6000}, TargetUse::constant)->name == "handler");
    CHECK_FALSE(symbols.target(version, Address{0x7000}, TargetUse::jump));

    const auto problem_of = [&](std::uint64_t offset) {
        return symbols.image(symbols.versions().version(scene.in("/bin/prog", offset), 0)).error();
    };
    CHECK(problem_of(0x4000).detail == "was not kept");
    const auto differs = symbols.image(symbols.versions().version(scene.in("/bin/prog", 0x3000), 0));
    REQUIRE(differs);
    REQUIRE(differs->problems.size() == 1);
    CHECK(differs->problems[0].code == ErrorCode::mismatch);
}

TEST_CASE("A profile has the lines of functions, and of places without one", "[symbols][stored]") {
    SampledModel made;
    const auto file = made.file("/bin/prog", some_build_id);
    const auto place = [&](std::uint32_t line) {
        return made.add(stored::SourcePlace{made.text("main.c"), line, 1, made.text("x = 1;")});
    };
    const auto outer = made.add(stored::Call{{}, made.text("middle"), place(10)});
    const auto inner = made.add(stored::Call{outer, made.text("leaf"), place(20)});
    const auto function = made.function(file, 0x1000, "main", std::string(16, '\x90'));
    stored::Lines lines;
    lines.function = function;
    lines.origin = LinesOrigin::Kind::file;
    lines.from = made.text("/bin/prog");
    lines.starts = {{0, 0, place(1), {}}, {4, 0, place(30), inner}, {8, 0, place(2), {}}};
    stored::Problem missing;
    missing.code = ErrorCode::missing;
    missing.where = made.text("/bin/prog");
    missing.detail = made.text("some are missing");
    missing.loss = true;
    lines.problem = {missing};
    made.add(lines);
    made.sample(made.frame(function, 6));
    stored::Frame bare;
    bare.kind.value = stored::frame_kind::object;
    bare.object = file;
    bare.offset = 0x3000;
    bare.nameless = made.without_name("/bin/prog");
    bare.place = place(7);
    made.sample(made.add(bare));
    const StoredScene scene(std::move(made).finish());
    const auto& symbols = scene.symbolizer;

    const auto some = symbols.lines(scene.in("/bin/prog", 0x1006), 4);
    REQUIRE(some);
    REQUIRE(some->size() == 2);
    CHECK((*some)[0].offset == 0);
    CHECK((*some)[0].source.line == 30);
    CHECK((*some)[0].source.file == "main.c");
    CHECK((*some)[0].source.text == "x = 1;");
    REQUIRE((*some)[0].inlined.size() == 2);
    CHECK((*some)[0].inlined.data()[0].function == "leaf");  // innermost first
    CHECK((*some)[0].inlined.data()[0].call.line == 20);
    CHECK((*some)[0].inlined.data()[1].function == "middle");
    CHECK((*some)[1].offset == 2);
    CHECK((*some)[1].source.line == 2);
    const auto all = symbols.lines_without_texts(scene.in("/bin/prog", 0x1000), 16);
    REQUIRE(all);
    CHECK(all->size() == 3);
    const auto origin = symbols.lines_origin(scene.in("/bin/prog", 0x1006));
    CHECK(origin.kind == LinesOrigin::Kind::file);
    CHECK(origin.from != nullptr);
    const auto problem = symbols.lines_problem(scene.in("/bin/prog", 0x1000), *all);
    REQUIRE(problem);
    CHECK(problem->detail == "some are missing");
    CHECK(symbols.is_line_loss(scene.in("/bin/prog", 0x1000), *problem));

    const auto one = symbols.lines(scene.in("/bin/prog", 0x3000), 1);
    REQUIRE(one);
    REQUIRE(one->size() == 1);
    CHECK((*one)[0].source.line == 7);
    CHECK(symbols.lines_origin(scene.in("/bin/prog", 0x3000)).kind == LinesOrigin::Kind::file);
    CHECK(symbols.lines(scene.in("/bin/prog", 0x4000), 1)->empty());
}

TEST_CASE("A profile has what was inlined at its places", "[symbols][stored]") {
    SampledModel made;
    const auto file = made.file("/bin/prog", some_build_id);
    const auto function = made.function(file, 0x1000, "main", std::string(16, '\x90'));
    const auto at = made.frame(function, 4);
    const auto inlined = [&](std::string_view name) {
        stored::Inlined row;
        row.name = made.text(name);
        row.object = file;
        row.object_name = made.text("/bin/prog");
        row.kind_of_code = CodeClass::user;
        return made.add(row);
    };
    const auto middle = inlined("middle"), leaf = inlined("leaf");
    made.model.frames[at.number].inlined = {middle, leaf};
    made.model.frames[at.number].inlined_at_return = {middle};
    made.sample(at);
    const StoredScene scene(std::move(made).finish());
    const auto names_at = [&](std::uint64_t offset, bool returns) {
        std::vector<Frame> calls;
        scene.symbolizer.functions().add_inlined(scene.in("/bin/prog", offset), returns, calls);
        std::vector<std::string> names;
        for (const auto& call : calls) {
            CHECK(scene.symbolizer.name(call).inlined);
            CHECK(scene.symbolizer.name(call).object == "/bin/prog");
            names.emplace_back(scene.symbolizer.name(call).symbol);
        }
        return names;
    };
    CHECK(names_at(0x1004, false) == std::vector<std::string>{"middle", "leaf"});
    CHECK(names_at(0x1004, true) == std::vector<std::string>{"middle"});
    CHECK(names_at(0x1005, false).empty());
    // Numbers in a file may be any.
    CHECK(scene.symbolizer.name({99, 0, FrameKind::inlined, CpuMode::user}).symbol.empty());
}

TEST_CASE("Functions at one place of a merged profile keep their names", "[symbols][stored]") {
    SampledModel made;
    made.model.facts.merged = true;
    const auto file = made.file("/tmp/a.out", {});
    const auto first = made.function(file, 0x1000, "first", std::string(16, '\x90'));
    const auto second = made.function(file, 0x1000, "second", std::string(32, '\x90'));
    const auto third = made.function(file, 0x1800, "third", std::string(16, '\x90'));
    for (const auto function : {first, second, third}) made.sample(made.frame(function, 4));
    made.sample_at(file, 0x1804, made.without_name("/tmp/a.out"));
    const StoredScene scene(std::move(made).finish());
    const StoredFrames frames(scene.model());
    std::vector<std::string> symbols;
    for (const auto& row : scene.model().frames) {
        const auto frame = frames.frame(row);
        const auto name = scene.symbolizer.name(frame);
        symbols.emplace_back(name.symbol);
        if (row.function) {
            CHECK(name.symbol == scene.model().text(scene.model().at(row.function).symbol));
            CHECK(name.offset == 4);
            CHECK(scene.symbolizer.function(frame).offset + 4 == frame.offset);
            CHECK(scene.symbolizer.image(scene.symbolizer.versions().version(frame, 0)));
        } else {
            // It is shown by its address.
            CHECK(frame.offset == 0x1804);
        }
    }
    CHECK(symbols.size() == 4);
}

TEST_CASE("Every place of a profile has the function that it was counted in", "[symbols][stored]") {
    const auto check = [](const stored::Model& model) {
        const StoredScene scene(model);
        const StoredFrames frames(scene.model());
        for (const auto& row : scene.model().frames) {
            const auto frame = frames.frame(row);
            const auto name = scene.symbolizer.name(frame);
            const auto symbol = row.function ? scene.model().at(row.function).symbol : stored::Ref<stored::Text>();
            CHECK(name.symbol == scene.model().text(symbol));
            const auto version = scene.symbolizer.versions().version(frame, 0);
            const auto lines = scene.symbolizer.lines(frame, 64);
            const auto problem = scene.symbolizer.lines_problem(frame, {});
            if (problem) CHECK_FALSE(problem->message().empty());
            CHECK((scene.symbolizer.image(version) || !scene.symbolizer.image(version).error().detail.empty() ||
                   row.function));
            std::vector<Frame> calls;
            scene.symbolizer.functions().add_inlined(frame, row.inlined.empty(), calls);
            for (const auto& call : calls) CHECK_FALSE(scene.symbolizer.name(call).symbol.empty());
            CHECK(scene.symbolizer.extent(frame).begin == scene.symbolizer.function(frame));
        }
        for (CodeIndex code = 0; code < scene.model().codes.size(); ++code) {
            const auto name = scene.symbolizer.bpf().name(code);
            CHECK(name.name == scene.model().text(scene.model().codes[code].name));
            CHECK(name.program == scene.model().text(scene.model().codes[code].program));
        }
        CHECK(scene.symbolizer.losses().count() ==
              scene.model().facts.losses.count + stored::lacks(scene.model()).size());
    };
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        INFO("seed " << seed);
        check(random_model(seed));
        const auto both = stored::merge({{"one", random_model(seed)}, {"other", random_model(seed + 100)}});
        if (both) check(*both);
    }
}
