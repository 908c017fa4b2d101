// SPDX-License-Identifier: MIT
#include "name_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <thread>

#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"

#include "tool/run_scope.hpp"

namespace perfdata::tool {

namespace {

constexpr auto group = "Where names come from";

}  // namespace

void NameChoice::add_code_to(CLI::App& command) {
    command
        .add_option("--kcore", kcore,
                    "Take the kernel's code from this copy of the recorded machine's /proc/kcore, of the same boot, "
                    "whole or in part")
        ->type_name("FILE")
        ->group(group);
}

void NameChoice::add_to(CLI::App& command) {
    command.add_option("-k,--vmlinux", vmlinux, "Name the kernel by this vmlinux file of the recorded kernel")
        ->type_name("FILE")
        ->group(group);
    command
        .add_option("--kallsyms", kallsyms,
                    "Name the kernel by this copy of the recorded machine's /proc/kallsyms, of the same boot")
        ->type_name("FILE")
        ->group(group);
    command
        .add_option("--symfs", symfs,
                    "Look for all files below this copy of the recorded machine's file system, and not on this machine")
        ->type_name("DIR")
        ->check(no_directory, "")
        ->group(group);
    command
        .add_option("--buildid-dir", buildid_dir,
                    "A build-id cache as in ~/.debug, or the tar-ball that `perf archive` packed from one")
        ->type_name("DIR|TAR")
        ->check(
            [](const std::string& name) {
                std::error_code problem;
                if (std::filesystem::exists(name, problem)) return std::string();
                if (problem) return fmt::format("cannot look at {}: {}", name, problem.message());
                return "there is no directory and no file " + name;
            },
            "")
        ->group(group);
    auto* debug_dir =
        command
            .add_option("--debug-dir", debug_dirs,
                        "Look for separate debug files here, too (/usr/lib/debug is). May be given several times")
            ->type_name("DIR")
            ->check(no_directory, "")
            ->allow_extra_args(false)
            ->group(group);
    command
        .add_option("--jitdump", jit_dumps,
                    "A jit-PID.dump file that a just-in-time compiler wrote. May be given several times")
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->group(group);
    command.add_option("--perf-map", perf_maps, "A perf-PID.map file of such a compiler. May be given several times")
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->group(group);
    auto* local = command
                      .add_flag("--allow-local", allow_local,
                                "Trust files of this machine by their names where the recording has no build id to "
                                "prove them by")
                      ->group(group);
    command.add_flag("--offline", offline, "Use no file of this machine but those given here")
        ->excludes(local)
        ->excludes(debug_dir)
        ->group(group);
    command
        .add_flag("--demangle,!--no-demangle", demangle,
                  "Show names of C++ and Rust as in the source (the default), or as in the file")
        ->group(group);
    add_whole(command, "-j,--jobs", jobs,
              "Threads that load files, count samples and write text (default: one per CPU)",
              {1, 256, "a number from 1 to 256 (default: one per CPU)"})
        ->group(group);
}

SymbolizerOptions NameChoice::options(const Recording& recording, Progress progress) const {
    SymbolizerOptions names;
    names.progress = std::move(progress);
    names.kcore = kcore;
    names.demangle = demangle;
    auto& finder = names.finder;
    finder.vmlinux = vmlinux;
    finder.kallsyms = kallsyms;
    finder.symfs = symfs;
    finder.buildid_dir = buildid_dir;
    finder.given_debug_dirs = debug_dirs;
    finder.offline = offline;
    finder.allow_local = allow_local;
    finder.limits = recording.limits();
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
        finder.local_buildid_dir = std::string(home) + "/.debug";
    }

    const bool machine = finder.machine() && !recording.bundle();
    names.files = std::make_shared<const LocalFiles>(machine ? Reach::machine : Reach::given);

    auto& jit = names.jit;
    jit.given = jit_dumps;
    jit.given_maps = perf_maps;
    jit.symfs = symfs;
    jit.as_recorded = !offline;

    const std::filesystem::path path = recording.path();
    std::error_code none;
    if (path == "-") return names;
    if (std::filesystem::is_directory(path, none)) {
        finder.recording_dir = path.string();
        jit.beside.push_back(path.string());
    }
    const auto parent = path.parent_path();
    jit.beside.push_back(parent.empty() ? "." : parent.string());
    return names;
}

Result<void> NameChoice::check(const Symbolizer& symbolizer) const {
    const auto refused = [](const std::vector<Error>& problems, const std::string& path) -> Result<void> {
        for (const auto& problem : problems) {
            if (!path.empty() && problem.where == path && problem.code != ErrorCode::missing) return fail(problem);
        }
        return {};
    };
    for (const auto& path : {kallsyms, vmlinux}) {
        if (auto used = refused(symbolizer.problems(), path); !used) return used;
    }
    if (auto used = refused(symbolizer.image_problems(), kcore); !used) return used;
    // Another source of kernel names hides why the given file was not used.
    const auto& path = kallsyms.empty() ? vmlinux : kallsyms;
    const auto* kernel = symbolizer.kernel();
    if (path.empty() || kernel == nullptr || kernel->origin() == path) return {};
    return fail(ErrorCode::mismatch, Error::no_offset, path,
                "it does not name the recorded kernel at its place, as " + kernel->origin() + " does");
}

unsigned NameChoice::threads() const {
    return jobs != 0 ? jobs : std::clamp(std::thread::hardware_concurrency(), 1u, 64u);
}

std::vector<std::string_view> NameChoice::without_effect() const {
    std::vector<std::string_view> options;
    const auto add = [&](bool given, std::string_view option) {
        if (given) options.push_back(option);
    };
    add(!vmlinux.empty(), "--vmlinux");
    add(!kallsyms.empty(), "--kallsyms");
    add(!kcore.empty(), "--kcore");
    add(!symfs.empty(), "--symfs");
    add(!buildid_dir.empty(), "--buildid-dir");
    add(!debug_dirs.empty(), "--debug-dir");
    add(!jit_dumps.empty(), "--jitdump");
    add(!perf_maps.empty(), "--perf-map");
    add(allow_local, "--allow-local");
    add(!demangle, "--no-demangle");
    return options;
}

void warn_names(const Common& common, const Symbolizer& symbolizer, bool kernel) {
    for (const auto& problem : symbolizer.problems()) {
        if (common.scope != nullptr) common.scope->take(problem);
    }
    if (common.quiet) return;
    for (const auto& problem : symbolizer.problems()) {
        if (kernel || &problem != symbolizer.kernel_problem()) complain(common, "note: " + problem.message());
    }
}

bool is_unnamed_kernel(const Symbolizer& symbolizer, const Frame& frame) {
    if (symbolizer.has_kernel_names() || frame.is_code()) return false;
    if (frame.is_nowhere()) return frame.miss() == Miss::kernel;
    const auto name = symbolizer.name(frame);
    return name.symbol.empty() && (name.kind == CodeClass::kernel || name.kind == CodeClass::module);
}

}  // namespace perfdata::tool
