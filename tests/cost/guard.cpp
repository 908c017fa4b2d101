// SPDX-License-Identifier: MIT
#include "cost/guard.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "cost/callgrind.hpp"
#include "cost/case.hpp"
#include "support/elf.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "support/sketch.hpp"

namespace perfdata::test {
namespace {

constexpr double most_difference = 0.03;
constexpr std::uint64_t kernel_text = 0xffffffff81000000, user_text = 0x10000000, text_size = 1 << 20;
constexpr std::uint64_t functions = 2000, function_size = 256;

// A process calls functions of its program from functions of its program, and the kernel from the innermost. A library
// without frame pointers gives some chains an address where nothing is.
std::vector<std::uint64_t> call_chain(Random& random, bool in_kernel) {
    constexpr std::uint64_t kernel_mark = ~std::uint64_t{0} - 127, user_mark = ~std::uint64_t{0} - 511;
    std::vector<std::uint64_t> chain;
    if (in_kernel) {
        chain.push_back(kernel_mark);
        for (int depth = 0; depth < 5; ++depth) chain.push_back(kernel_text + function_size * random.below(300) + 16);
    }
    chain.push_back(user_mark);
    if (random.one_in(4)) chain.push_back(random.u64() >> 20);
    // Outer callers are fewer.
    for (std::uint64_t callers = 256; callers != 0; callers /= 4) {
        chain.push_back(user_text + function_size * random.below(callers) + 32);
    }
    return chain;
}

// Many short processes, as a build has them.
Blob storm() {
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(~std::uint32_t{0}, kernel_text, text_size, "[kernel.kallsyms]_text", 1);
    Random random(1);
    Clock clock{1};
    for (std::uint32_t pid = 100; pid < 300; ++pid) {
        sketch.fork(pid, 1, clock()).comm(pid, clock(), pid % 3 != 0 ? "ls" : "sh", true);
        sketch.mmap(pid, user_text, text_size, "/bin/x", clock());
        for (std::uint64_t library = 1; library < 5; ++library) {
            sketch.mmap(pid, library << 40 | random.below(1 << 20) << 12, text_size, "/lib/none.so", clock());
        }
        for (int samples = 0; samples < 100; ++samples) {
            const bool in_kernel = random.one_in(2);
            const auto chain = call_chain(random, in_kernel);
            sketch.chain(chain[1], pid, clock(), chain, in_kernel ? Sketch::kernel : Sketch::user);
        }
        sketch.exit(pid, clock());
    }
    return sketch.build();
}

Elf guarded_program() {
    Elf elf;
    elf.section(Elf::text).only_size = text_size;
    elf.segments.push_back({0, 0, text_size, 5, 1});
    std::vector<Elf::Symbol> symbols;
    for (std::uint64_t at = 0; at < functions; ++at) {
        symbols.push_back({"function_" + std::to_string(at), function_size * at, function_size});
    }
    elf.symbols(symbols);
    return elf;
}

std::string kernel_names() {
    std::string names;
    for (std::uint64_t at = 0; at < functions; ++at) {
        std::array<char, 80> line{};
        std::snprintf(line.data(), line.size(), "%016llx t kernel_function_%llu\n",
                      static_cast<unsigned long long>(kernel_text + function_size * at),
                      static_cast<unsigned long long>(at));
        names += line.data();
    }
    return names;
}

struct Guarded {
    std::string name;
    Command command;
};

std::vector<Guarded> guarded(const Files& files) {
    files.write("root/bin/x", guarded_program().blob());
    const auto names = kernel_names();
    const auto kallsyms = files.write("kallsyms", std::as_bytes(std::span(names)));
    const auto recording = files.write("perf.data", storm());
    const auto with_names = [&](Command command) {
        for (const auto& word : {std::string("--offline"), std::string("--symfs"), files.folder() + "/root",
                                 std::string("--kallsyms"), kallsyms, std::string("-j"), std::string("1"), recording}) {
            command.push_back(word);
        }
        return command;
    };
    return {
        {"info", {"info", recording}},
        {"report by symbol", with_names({"report", "--no-children", "-g", "none"})},
        {"report with callers", with_names({"report"})},
        {"report callers of each", with_names({"report", "--no-children"})},
        {"report JSON", with_names({"report", "--json"})},
        {"script chains", with_names({"script"})},
        {"script tracepoints", {"script", "--offline", "-j", "1", fixture("records/tp.data")}},
        {"annotate BPF", {"annotate", "--offline", "-j", "1", fixture("bpf/bpf_turns.data")}},
        {"dump by time", {"dump", "--order", "time", recording}},
    };
}

// What made the tool: figures of another compiler differ.
std::string maker(const std::string& folder) {
    const auto file = folder + "/version";
    const auto command = "'" + cost_tool() + "' --version >'" + file + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("the tool has no version");
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("built by ")) return line;
    }
    throw std::runtime_error("the tool does not say what built it");
}

using Figures = std::map<std::string, double>;

// Each line has instructions and a name; the first says what built the tool.
Figures read_figures(std::string& built_by) {
    Figures figures;
    std::ifstream lines(PERFDATA_FIGURES);
    std::getline(lines, built_by);
    for (std::string line; std::getline(lines, line);) {
        const auto blank = line.find(' ');
        if (blank != std::string::npos) figures[line.substr(blank + 1)] = std::strtod(line.c_str(), nullptr);
    }
    return figures;
}

}  // namespace

int guard(const std::string& folder, bool write) {
    const Files files(folder + "/guard");
    std::filesystem::create_directories(files.folder());
    // What else differs between machines: sizes of caches, which the C library asks for.
    ::setenv("GLIBC_TUNABLES",
             "glibc.cpu.x86_rep_movsb_threshold=1048576:glibc.cpu.x86_non_temporal_threshold=16777216", 1);
    const auto built_by = maker(files.folder());
    ::setenv("LD_PRELOAD", PERFDATA_FIXED_RANDOM, 1);
    std::string known_maker;
    auto known = read_figures(known_maker);
    if (!write && built_by != known_maker) {
        std::printf("skipped: the figures are of a tool \"%s\", this one is \"%s\"\n", known_maker.c_str(),
                    built_by.c_str());
        return 77;
    }
    std::string text = built_by + "\n";
    bool bad = false;
    for (const auto& [name, command] : guarded(files)) {
        const auto count = instructions(cost_tool(), command, files.folder());
        text += std::to_string(static_cast<std::uint64_t>(count)) + " " + name + "\n";
        const auto figure = known[name];
        const auto difference = figure == 0 ? 1 : count / figure - 1;
        const bool good = std::abs(difference) <= most_difference;
        bad = bad || !good;
        std::printf("%-24s %8.2f million, %+.1f %%  %s\n", name.c_str(), count / 1e6, 100 * difference,
                    good             ? "fine"
                    : difference > 0 ? "SLOWER"
                                     : "FASTER");
        std::fflush(stdout);
    }
    if (write) {
        std::ofstream(PERFDATA_FIGURES) << text;
        return 0;
    }
    if (bad) std::puts("if that is meant: perfdata_cost guard --write, and commit tests/cost/figures.txt with it");
    return bad ? 1 : 0;
}

}  // namespace perfdata::test
