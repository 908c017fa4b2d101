// SPDX-License-Identifier: MIT
// An Exported with all kinds of code, for writers of formats.
#pragma once

#include <string>
#include <vector>

#include "export/exported.hpp"

namespace perfdata::test {

// CraftedExport has two threads, two events and five stacks. Numbers are those of the lists below.
//
//     node   0 main       1 work (inlined in main)   2 write       3 sys_write   4 step      5 [JIT]   6 main,
//     elsewhere caller -            0                          1             2             3           0         - kind
//     user         user                       user          kernel        BPF         JIT       user
inline Exported crafted_export() {
    Exported exported;
    exported.recording.path = "/data/some.data";
    exported.recording.arch = "x86_64";
    exported.recording.os_release = "6.1.0";
    exported.events = {{"task-clock", 0, true, 1000000}, {"cycles", 1, false, 0}};
    exported.tasks = {{"load", Pid{10}, Tid{10}, false}, {"load", Pid{10}, Tid{11}, false}};
    const auto object = [](std::string path, std::string id, CodeClass kind) {
        ExportObject made;
        made.path = std::move(path);
        made.build_id = std::move(id);
        made.kind = kind;
        return made;
    };
    exported.objects = {object("/bin/load", "00112233445566778899aabbccddeeff01020304", CodeClass::user),
                        object("[kernel.kallsyms]", "", CodeClass::kernel),
                        object("[bpf:21:many_main]", "10d76b36b6648015", CodeClass::bpf),
                        object("[JIT]", "", CodeClass::jit)};
    exported.functions = {{"main", "main", "load.c", 10, 0, CodeClass::user, 0x1000},
                          {"work", "work", "work.h", 0, 0, CodeClass::user, {}},
                          {"write", "write", {}, 0, 0, CodeClass::user, 0x2000},
                          {"sys_write", "sys_write", {}, 0, 1, CodeClass::kernel, 0xffffffff81000000},
                          {"many_main/step", "step", "many.bpf.c", 7, 2, CodeClass::bpf, 0xffffffffc0020000},
                          {"[JIT]", {}, {}, 0, 3, CodeClass::jit, {}}};
    exported.places = {{0, 0, 0x1020, "load.c", 12, 3, false},
                       {1, 0, 0x1020, "other.h", 5, 1, true},
                       {2, 0, 0x2004, {}, 0, 0, false},
                       {3, 1, 0xffffffff81000010, {}, 0, 0, false},
                       {4, 2, 0xffffffffc0020033, "many.bpf.c", 9, 0, false},
                       {5, 3, 0x7f0012345678, {}, 0, 0, false},
                       {0, 0, 0x1044, "load.c", 14, 0, false}};
    constexpr auto none = ExportNode::none;
    exported.nodes = {{none, 0}, {0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 5}, {none, 6}};
    exported.samples = {{5'000'000, 1'000'000, 0, 0, 2}, {6'500'000, 1'000'000, 0, 0, 4}, {7'000'001, 300, 1, 1, 6},
                        {7'500'000, 1'000'000, 0, 0, 5}, {8'000'000, 1'000'000, 0, 1, 0}, {8'000'001, 200, 1, 1, 0},
                        {9'000'000, 1'000'000, 0, 1, 6}};
    exported.totals = {{5, 5'000'000}, {2, 500}};
    return exported;
}

}  // namespace perfdata::test
