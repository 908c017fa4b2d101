// SPDX-License-Identifier: MIT
// Profile files: what a table of n rows costs when it is read, shown, merged and compared. A file describes more than a
// recording of its size could: rows share texts, callers and code.
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cost/case.hpp"
#include "support/sketch.hpp"
#include "support/stored_model.hpp"

namespace perfdata::test {
namespace {

// Profile is a model with an event, a task, an object and a function of 4096 bytes that was hit once.
struct Profile {
    explicit Profile(std::string_view content = "recording") : made(content) {
        made.model.events.reserve(1);
        event = made.event("cycles", 0);
        made.model.facts.max_stack = 127;
        object = made.file("/usr/bin/prog", std::string(20, 'a'));
        function = made.function(object, 0x1000, "busy", std::string(64, '\x90'));
        frame = made.frame(function, 0);
        node = made.node(frame);
        task = made.task("prog", 1);
        made.cell(task, node, event, 1);
    }

    // hit(function, offset) counts a sample there.
    void hit(stored::Ref<stored::Function> where, std::uint64_t offset) {
        made.cell(task, made.node(made.frame(where, offset)), event, 1);
    }
    std::string file(const Files& files, const std::string& name = "perf.profile.pb") && {
        const auto bytes = written(std::move(made).finish());
        return files.write(name, std::as_bytes(std::span(bytes)));
    }

    StoredModel made;
    stored::Ref<stored::Event> event;
    stored::Ref<stored::Object> object;
    stored::Ref<stored::Function> function;
    stored::Ref<stored::Frame> frame;
    stored::Ref<stored::Node> node;
    stored::Ref<stored::Task> task;
};

std::string name_of(std::string_view what, std::size_t at) {
    return std::string(what) + std::to_string(at);
}

Command shown(std::string_view command, std::string file, std::initializer_list<std::string_view> options = {}) {
    Command words{std::string(command), "--offline"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(std::move(file));
    return words;
}

// n functions of a file, each with code, a sample and a version; begin(at) says where they lie.
Profile with_functions(std::size_t n, std::uint64_t step, std::string_view content = "recording") {
    Profile profile(content);
    for (std::size_t at = 0; at < n; ++at) {
        const auto function = profile.made.function(profile.object, 0x10000 + step * at, name_of("f", at), "1234");
        profile.hit(function, 1);
    }
    return profile;
}

Command functions(const Files& files, std::size_t n) {
    return shown("report", with_functions(n, 16).file(files));
}
// All begin at one place, so that nothing but their names tells them apart.
Command functions_at_one_place(const Files& files, std::size_t n) {
    return shown("report", with_functions(n, 0).file(files));
}
// Each contains all that follow.
Command nested_functions(const Files& files, std::size_t n) {
    auto profile = with_functions(n, 16);
    for (auto& function : profile.made.model.functions) function.size = std::uint64_t{1} << 40;
    return shown("report", std::move(profile).file(files));
}
Command annotated_functions(const Files& files, std::size_t n) {
    return shown("annotate", with_functions(n, 16).file(files), {"--json"});
}

// One function with n versions of its code.
Command versions(const Files& files, std::size_t n) {
    Profile profile;
    for (std::uint32_t at = 1; at < n; ++at) {
        profile.made.version(profile.function, at, std::string(64, '\x90'));
        profile.made.model.versions.back().from = at;
    }
    return shown("annotate", std::move(profile).file(files), {"--json"});
}

// n patches of one function.
Command changes(const Files& files, std::size_t n) {
    Profile profile;
    auto& image = profile.made.model.versions.front().image;
    for (std::size_t at = 0; at < n; ++at) image.changes.push_back({at % 64, at, "\x90", "\x90"});
    return shown("annotate", std::move(profile).file(files), {"--json"});
}

// n lines in a function of n bytes, each in a call of its own that was inlined into one that was inlined before.
Command lines(const Files& files, std::size_t n) {
    Profile profile;
    auto& model = profile.made.model;
    const auto function = profile.made.function(profile.object, 0x10000, "long", std::string(n + 1, '\x90'));
    stored::Lines lines;
    lines.function = function;
    for (std::uint32_t at = 0; at < n; ++at) {
        stored::SourcePlace place;
        place.file = profile.made.text("file.c");
        place.line = at + 1;
        const auto where = profile.made.add(place);
        stored::Call call;
        call.function = profile.made.text(name_of("inlined", at % 7));
        call.place = where;
        stored::LineStart start;
        start.offset = at;
        start.place = where;
        start.calls = profile.made.add(call);
        lines.starts.push_back(start);
    }
    model.lines.push_back(std::move(lines));
    profile.hit(function, n / 2);
    return shown("annotate", std::move(profile).file(files), {"--json"});
}

// n callers in a row, each sampled too: n rows describe n * n / 2 frames. A new chain begins after `deepest` callers.
Profile deep_chain(std::size_t n, std::size_t deepest = ~std::size_t{0}) {
    Profile profile;
    auto caller = profile.node;
    for (std::size_t at = 0; at < n; ++at) {
        if (at % deepest == 0) caller = profile.node;
        const auto function = profile.made.function(profile.object, 0x10000 + 16 * at, name_of("f", at), "1234");
        caller = profile.made.node(profile.made.frame(function, 1), caller);
        profile.made.cell(profile.task, caller, profile.event, 1);
    }
    profile.made.model.facts.max_stack = 70'000;
    return profile;
}
Command deep_chains(const Files& files, std::size_t n) {
    return shown("report", deep_chain(n).file(files));
}
Command deep_chains_flat(const Files& files, std::size_t n) {
    return shown("report", deep_chain(n).file(files), {"--no-children", "-g", "none"});
}
Command deep_chains_compared(const Files& files, std::size_t n) {
    const auto file = deep_chain(n).file(files);
    return shown("diff", file, {file});
}

// n callers of one function.
Command callers(const Files& files, std::size_t n) {
    Profile profile;
    for (std::size_t at = 0; at < n; ++at) {
        const auto function = profile.made.function(profile.object, 0x10000 + 16 * at, name_of("f", at), "1234");
        const auto caller = profile.made.node(profile.made.frame(function, 1));
        profile.made.cell(profile.task, profile.made.node(profile.frame, caller), profile.event, 1);
    }
    return shown("report", std::move(profile).file(files));
}

// n tasks hit one place.
Command tasks(const Files& files, std::size_t n) {
    Profile profile;
    for (std::uint32_t at = 0; at < n; ++at) {
        profile.made.cell(profile.made.task(name_of("c", at), 100 + at), profile.node, profile.event, 1);
    }
    return shown("report", std::move(profile).file(files), {"--sort", "comm,pid,symbol"});
}

// n functions are called by one name of 60,000 bytes.
Command long_name(const Files& files, std::size_t n) {
    Profile profile;
    const std::string name(60'000, 'x');
    for (std::size_t at = 0; at < n; ++at) {
        profile.hit(profile.made.function(profile.object, 0x10000 + 16 * at, name, "1234"), 1);
    }
    return shown("report", std::move(profile).file(files), {"--sort", "symbol"});
}

// BPF programs of one name, with n tags: each is a version of one function.
Profile with_programs(std::size_t n, bool one_tag) {
    Profile profile;
    auto& made = profile.made;
    for (std::size_t at = 0; at < n; ++at) {
        stored::Load load;
        load.tag = one_tag ? 1 : 0x9e3779b97f4a7c15 * (at + 1);
        load.program_name = made.text("program");
        load.id = static_cast<std::uint32_t>(at + 1);
        load.loaded_at = at + 1;
        load.functions = 1;
        load.info.known = true;
        load.info.function_tags = {load.tag};
        stored::Code code;
        code.load = made.add(load);
        code.from = load.loaded_at;
        code.symbol = code.name = made.text("bpf_prog_program");
        code.program = load.program_name;
        code.address = 0xffffffffc0000000;
        code.size = 64;
        stored::Function function;
        function.kind.value = stored::frame_kind::code;
        function.code = made.add(code);
        function.symbol = code.symbol;
        function.object_name = made.text("[bpf]");
        function.has_address = true;
        function.address = code.address;
        function.size = 64;
        function.kind_of_code.value = 2;
        const auto ref = made.add(function);
        made.version(ref, 0, std::string(64, '\x90'));
        profile.hit(ref, 0);
    }
    return profile;
}
Command programs(const Files& files, std::size_t n) {
    return shown("report", with_programs(n, false).file(files));
}
Command programs_of_one_tag(const Files& files, std::size_t n) {
    return shown("report", with_programs(n, true).file(files));
}
Command tags_compared(const Files& files, std::size_t n) {
    const auto file = with_programs(n, false).file(files);
    return shown("diff", file, {file});
}

// The same of a recording: n programs of one name are loaded, with tags in no order.
Command loads_compared(const Files& files, std::size_t n) {
    Sketch sketch;
    Clock time;
    sketch.sample(0x1000, 1, time());
    for (std::uint32_t at = 0; at < n; ++at) {
        const auto tag = 0x9e3779b97f4a7c15 * (at + 1);
        const auto address = 0xffffffffc0000000 + 128 * std::uint64_t{at};
        sketch.symbol(address, 64, "bpf_prog_0123456789abcdef_name", time());
        sketch.bpf(BpfEvent::Kind::load, at + 1, tag, time());
        sketch.sample(address, 1, time(), Sketch::kernel);
    }
    const auto file = files.write("perf.data", sketch.build());
    return shown("diff", file, {file});
}

// Two profiles are merged.
template <class Make>
Command merged(const Files& files, Make make) {
    return {"merge", "-o", "/dev/null", make("one").file(files, "one.pb"), make("another").file(files, "another.pb")};
}
Command merged_functions(const Files& files, std::size_t n) {
    return merged(files, [n](std::string_view content) { return with_functions(n, 16, content); });
}
// Objects have one path and n build-ids, on each machine others.
Command merged_objects(const Files& files, std::size_t n) {
    return merged(files, [n](std::string_view content) {
        Profile profile(content);
        for (std::size_t at = 0; at < n; ++at) {
            const auto object = profile.made.file("/usr/bin/prog", std::string(content) + std::to_string(100'000 + at));
            profile.hit(profile.made.function(object, 0x1000, "busy", "1234"), 1);
        }
        return profile;
    });
}
// JIT functions have one name and n bodies.
Command merged_jit(const Files& files, std::size_t n) {
    return merged(files, [n](std::string_view content) {
        Profile profile(content);
        for (std::uint32_t at = 0; at < n; ++at) {
            stored::Function function;
            function.kind.value = stored::frame_kind::jit;
            function.number = at;
            function.symbol = profile.made.text("jitted");
            function.code_hash = std::string(24, 'h') + std::to_string(10'000'000 + at);
            function.object_name = profile.made.text("[jit]");
            function.size = 4;
            const auto ref = profile.made.add(function);
            profile.made.version(ref, 0, "1234");
            profile.hit(ref, 1);
        }
        return profile;
    });
}
// The part for pprof has each stack whole, up to most_public_places frames of all: deeper chains cost more per row.
Command merged_chains(const Files& files, std::size_t n) {
    return merged(files, [n](std::string_view content) {
        auto profile = deep_chain(n, 100);
        profile.made.model.sources.front().content.replace(0, content.size(), content);
        return profile;
    });
}

// A recording with n stacks becomes a profile.
Command written_stacks(const Files& files, std::size_t n) {
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    Clock time;
    for (std::uint32_t at = 0; at < n; ++at) {
        const auto own = 0x1000 + 64 * std::uint64_t{at};
        const std::array<std::uint64_t, 6> frames{static_cast<std::uint64_t>(-512), own, 0x900, 0x800, own + 8, 0x700};
        sketch.comm(100 + at, time(), name_of("c", at)).chain(own, 100 + at, time(), frames);
    }
    const std::array<std::uint64_t, 2> frames{static_cast<std::uint64_t>(-512), 0x1000};
    const auto file = files.write("perf.data", sketch.chain(0x1000, 1, time(), frames).build());
    return {"profile", "--offline", "-o", "/dev/null", file};
}

}  // namespace

CostCases profile_cases() {
    return {
        {"functions", 1000, functions},
        {"functions_at_one_place", 1000, functions_at_one_place},
        {"nested_functions", 1000, nested_functions},
        {"annotated_functions", 500, annotated_functions},
        {"versions", 500, versions},
        {"changes", 1000, changes},
        {"inlined_lines", 1000, lines},
        {"deep_chains", 1000, deep_chains},
        {"deep_chains_flat", 1000, deep_chains_flat},
        {"deep_chains_compared", 1000, deep_chains_compared},
        {"callers", 1000, callers},
        {"tasks_by_name", 1000, tasks},
        {"one_long_name", 500, long_name},
        {"programs", 1000, programs},
        {"programs_of_one_tag", 1000, programs_of_one_tag},
        {"tags_compared", 2000, tags_compared},
        {"loads_compared", 2000, loads_compared},
        {"merged_functions", 1000, merged_functions},
        {"merged_objects", 1000, merged_objects},
        {"merged_jit", 1000, merged_jit},
        {"merged_chains", 1000, merged_chains},
        {"written_stacks", 1000, written_stacks},
    };
}

}  // namespace perfdata::test
