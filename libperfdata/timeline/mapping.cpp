// SPDX-License-Identifier: MIT
#include "perfdata/timeline/mapping.hpp"

#include <algorithm>

namespace perfdata {
namespace {

constexpr std::string_view deleted = " (deleted)";

}  // namespace

ObjectKind object_kind(std::string_view path) {
    const auto any_of = [&](auto... prefixes) { return (path.starts_with(prefixes) || ...); };
    if (any_of("[vdso")) return ObjectKind::vdso;
    if (path == "[vsyscall]") return ObjectKind::vsyscall;
    if (path == "[heap]") return ObjectKind::heap;
    if (any_of("[stack")) return ObjectKind::stack;
    if (path.empty() || path == "//anon" || any_of("[anon", "/anon_hugepage")) return ObjectKind::anonymous;
    if (any_of("/memfd:", "/dev/zero", "/SYSV", "/dmabuf")) return ObjectKind::memory;
    if (any_of("anon_inode:")) return ObjectKind::inode;
    if (any_of("[", "//")) return ObjectKind::special;
    return ObjectKind::file;
}

std::string_view to_string(ObjectKind kind) {
    switch (kind) {
        case ObjectKind::file: return "file";
        case ObjectKind::kernel: return "kernel";
        case ObjectKind::module: return "module";
        case ObjectKind::vdso: return "vdso";
        case ObjectKind::vsyscall: return "vsyscall";
        case ObjectKind::heap: return "heap";
        case ObjectKind::stack: return "stack";
        case ObjectKind::anonymous: return "anonymous memory";
        case ObjectKind::memory: return "shared memory";
        case ObjectKind::inode: return "anonymous inode";
        case ObjectKind::special: return "special";
    }
    return "unknown";
}

bool is_deleted(std::string_view path) {
    return path.ends_with(deleted);
}

std::string_view without_deleted(std::string_view path) {
    return is_deleted(path) ? path.substr(0, path.size() - deleted.size()) : path;
}

std::string module_name(std::string_view path) {
    if (path.starts_with('[') && path.ends_with(']')) {
        path = path.substr(1, path.size() - 2);
    } else {
        path = path.substr(path.rfind('/') + 1);
        if (const auto suffix = path.find(".ko"); suffix != std::string_view::npos) path = path.substr(0, suffix);
    }
    std::string name(path);
    std::ranges::replace(name, '-', '_');
    return name;
}

std::string object_of(const Object& object) {
    switch (object.kind) {
        case ObjectKind::kernel: return "[kernel.kallsyms]";
        case ObjectKind::module: return "[" + module_name(object.path) + "]";
        default: return object.path;
    }
}

}  // namespace perfdata
