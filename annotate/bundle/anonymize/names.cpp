// SPDX-License-Identifier: MIT
#include "bundle/anonymize/names.hpp"

#include <algorithm>
#include <optional>

#include "perfdata/wire/feature/group_desc.hpp"

#include "bundle/anonymize/words.hpp"

namespace perfdata {
namespace {

constexpr std::string_view end_of_deleted = " (deleted)";

bool all_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// inside(text, before, behind) returns what is between the two; nothing if they do not enclose it.
std::optional<std::string_view> inside(std::string_view text, std::string_view before, std::string_view behind) {
    if (text.size() < before.size() + behind.size() || !text.starts_with(before) || !text.ends_with(behind)) return {};
    return text.substr(before.size(), text.size() - before.size() - behind.size());
}

// Tools find JIT code by these names.
bool is_jit_file(std::string_view name) {
    if (const auto pid = inside(name, "jit-", ".dump")) return is_id(*pid);
    if (const auto pid = inside(name, "perf-", ".map")) return is_id(*pid);
    if (const auto numbers = inside(name, "jitted-", ".so")) {
        const auto dash = numbers->find('-');
        return dash != std::string_view::npos && is_id(numbers->substr(0, dash)) && is_id(numbers->substr(dash + 1));
    }
    return false;
}

// module_ending(name) returns ".ko" and the ending of a packed one; empty if it is no module.
std::string_view module_ending(std::string_view name) {
    for (const std::string_view ending : {".ko", ".ko.gz", ".ko.xz", ".ko.zst", ".ko.bz2", ".ko.debug"}) {
        if (name.size() > ending.size() && name.ends_with(ending)) return ending;
    }
    return {};
}

}  // namespace

std::string Names::hashed(char kind, std::string_view text) const {
    return std::string(1, kind) + "_" + hash_.text(kind, text);
}

std::string Names::comm(std::string_view text) const {
    if (text.empty() || is_command(text)) return std::string(text);
    return hashed('c', text);
}

std::string Names::module(std::string_view text) const {
    if (is_pseudo_module(text)) return std::string(text);
    std::string plain(text);
    std::ranges::replace(plain, '-', '_');
    return hashed('m', plain);
}

std::string Names::symbol(std::string_view text) const {
    if (text.empty() || is_symbol(text)) return std::string(text);
    constexpr std::string_view program = "bpf_prog_", trampoline = "bpf_trampoline_", dispatcher = "bpf_dispatcher_";
    constexpr std::size_t tag_digits = 16;
    if (text.starts_with(program)) {
        const auto tag = text.substr(program.size(), tag_digits);
        const auto rest = text.substr(program.size() + tag.size());
        if (tag.size() == tag_digits && all_hex(tag) && (rest.empty() || rest[0] == '_')) {
            auto kept = std::string(text.substr(0, program.size() + tag_digits));
            return rest.size() <= 1 ? kept : kept + "_" + hashed('n', rest.substr(1));
        }
    }
    // The number is that of a program or a BTF in the upper half, and of a type: the kernel counts both from 1.
    constexpr std::size_t most_digits = 15;
    if (const auto number = text.substr(std::min(trampoline.size(), text.size()));
        text.starts_with(trampoline) && is_digits(number) && number.size() <= most_digits) {
        return std::string(text);
    }
    if (text.starts_with(dispatcher)) return std::string(dispatcher) + hashed('n', text.substr(dispatcher.size()));
    return hashed('n', text);
}

std::string Names::cgroup(std::string_view text) const {
    if (text.empty() || text == "/" || text == "//enomem") return std::string(text);
    return "/" + hashed('g', text);
}

std::string Names::host(std::string_view text) const {
    return text.empty() ? std::string() : hashed('h', text);
}

std::string Names::argument(std::string_view text) const {
    return text.empty() ? std::string() : hashed('a', text);
}

std::string Names::trace_part(std::string_view text, bool known) const {
    return known ? std::string(text) : hashed('e', text);
}

std::string Names::event(std::string_view text, const Attr& attr) const {
    if (text.empty() || is_event_name(text, attr)) return std::string(text);
    const auto colon = text.find(':');
    if (attr.type != attr_type::tracepoint || colon == std::string_view::npos) return hashed('e', text);
    const auto system = text.substr(0, colon), name = text.substr(colon + 1);
    return trace_part(system, is_trace_system(system)) + ":" + trace_part(name, is_trace_name(name));
}

std::string Names::pmu(std::string_view text) const {
    return text.empty() || is_pmu(text) ? std::string(text) : hashed('u', text);
}

std::string Names::group(std::string_view text) const {
    return text.empty() || text == EventGroup::anonymous ? std::string(text) : hashed('e', text);
}

std::string Names::domain(std::string_view text) const {
    return text.empty() || is_domain(text) ? std::string(text) : hashed('d', text);
}

std::string Names::path(std::string_view text) const {
    // The index of a hostile bundle may have any number of these marks.
    auto plain = text;
    while (plain.size() > end_of_deleted.size() && plain.ends_with(end_of_deleted)) {
        plain.remove_suffix(end_of_deleted.size());
    }
    return path_of_file(plain).append(text.substr(plain.size()));
}

std::string Names::path_of_file(std::string_view text) const {
    if (text.empty()) return {};
    if (is_pseudo_path(text)) return std::string(text);
    // The symbol by which the kernel's place is known stands behind its name.
    for (const std::string_view kernel : {"[kernel.kallsyms]", "[guest.kernel.kallsyms]"}) {
        if (text.starts_with(kernel)) return std::string(kernel) + symbol(text.substr(kernel.size()));
    }
    constexpr std::string_view guest = "[guest.kernel.kallsyms.";
    if (const auto end = text.find(']'); text.starts_with(guest) && end != std::string_view::npos &&
                                         is_id(text.substr(guest.size(), end - guest.size()))) {
        return std::string(text.substr(0, end + 1)) + symbol(text.substr(end + 1));
    }
    for (const std::string_view before : {"[anon:", "[anon_shmem:"}) {
        if (const auto name = inside(text, before, "]")) return std::string(before) + hashed('p', *name) + "]";
    }
    for (const std::string_view before : {"/memfd:", "/dmabuf:", "/SYSV", "anon_inode:", "//"}) {
        if (text.starts_with(before)) return std::string(before) + hashed('p', text.substr(before.size()));
    }
    if (const auto name = inside(text, "[", "]")) return "[" + module(*name) + "]";
    return file(text);
}

std::string Names::file(std::string_view path) const {
    const auto slash = path.rfind('/');
    const auto folder = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    const auto name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    const std::string root = path.starts_with("/dev/") ? "/dev/" : path.starts_with('/') ? "/" : "";
    // The maps of JIT compilers have this path for everybody.
    if (folder == "/tmp" && name.starts_with("perf-") && is_jit_file(name)) return std::string(path);
    if (is_jit_file(name)) return root + hashed('p', path) + "/" + std::string(name);
    if (const auto ending = module_ending(name); !ending.empty()) {
        return root + hashed('p', path) + "/" + module(name.substr(0, name.size() - ending.size())) +
               std::string(ending);
    }
    return root + hashed('p', path);
}

std::string Names::release(std::string_view text) {
    auto end = text.find_first_not_of("0123456789.");
    if (end == std::string_view::npos) end = text.size();
    auto numbers = text.substr(0, end);
    while (numbers.ends_with('.')) numbers.remove_suffix(1);
    constexpr std::size_t longest = 24;
    return std::string(numbers.substr(0, longest));
}

std::string Names::cpuid(std::string_view text) {
    const auto comma = text.find(',');
    if (!is_cpu_vendor(text.substr(0, comma))) return {};
    const auto rest = comma == std::string_view::npos ? std::string_view() : text.substr(comma);
    const bool numbers = rest.size() <= 64 && rest.find_first_not_of("0123456789abcdefABCDEF,.") == rest.npos;
    return numbers ? std::string(text) : std::string(text.substr(0, comma));
}

}  // namespace perfdata
