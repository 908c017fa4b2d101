// SPDX-License-Identifier: MIT
#include "bundle/anonymize/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "perfdata/recording/event_table.hpp"

namespace perfdata {
namespace {

constexpr std::string_view event_words =
    " cycles cpu-cycles instructions cache-references cache-misses branches branch-instructions branch-misses"
    " bus-cycles stalled-cycles-frontend idle-cycles-frontend stalled-cycles-backend idle-cycles-backend ref-cycles"
    " cpu-clock task-clock page-faults faults context-switches cs cpu-migrations migrations minor-faults major-faults"
    " alignment-faults emulation-faults dummy bpf-output cgroup-switches mem mem-loads mem-stores mem-loads-aux"
    " event umask cmask inv edge any ldlat offcore_rsp frontend in_tx in_tx_cp config config1 config2 type pc tsc cyc"
    " mtc mtc_period psb_period noretcomp branch pt aux-output aux-sample-size period freq percore slots"
    " topdown-retiring topdown-bad-spec topdown-fe-bound topdown-be-bound topdown-heavy-ops topdown-br-mispredict"
    " topdown-fetch-lat topdown-mem-bound energy-pkg energy-cores energy-ram energy-gpu energy-psys aperf mperf smi"
    " c1-residency c3-residency c6-residency c7-residency c2-residency c8-residency c9-residency c10-residency"
    " duration_time user_time system_time CPU_CYCLES INST_RETIRED cpu_cycles inst_retired l1d_cache_refill br_mis_pred"
    " r w x rw wr ";
constexpr std::string_view caches = " L1-dcache L1-icache LLC dTLB iTLB branch node ";
constexpr std::string_view cache_results =
    " loads load-misses stores store-misses prefetches prefetch-misses load store prefetch ";
constexpr std::string_view pmus =
    " cpu cpu_core cpu_atom cpum_cf cpum_cf_diag cpum_sf pai_crypto pai_ext software tracepoint breakpoint kprobe "
    "uprobe"
    " intel_pt intel_bts arm_spe cs_etm hisi_ptt ibs_op ibs_fetch msr power power_core cstate_core cstate_pkg amd_df"
    " amd_l3 amd_umc amd_iommu i915 armv7_cortex_a7 armv7_cortex_a15 armv8_pmuv3 armv8_cortex_a53 armv8_cortex_a57"
    " armv8_cortex_a72 armv8_cortex_a73 armv8_cortex_a76 armv8_neoverse_n1 armv8_neoverse_n2 arm_dsu arm_cmn uncore"
    " uncore_imc uncore_imc_free_running uncore_cbox uncore_cha uncore_arb uncore_ha uncore_pcu uncore_qpi "
    "uncore_r2pcie"
    " uncore_r3qpi uncore_ubox uncore_m2m uncore_m3upi uncore_upi uncore_iio uncore_irp uncore_sbox uncore_clock"
    " hv_24x7 hv_gpci thread_imc core_imc trace_imc nest_mcs default_core ";
constexpr std::string_view capabilities =
    " branches max_precise branch_counter_nr branch_counter_width num_counters num_fixed_counters ";
constexpr std::string_view units = " Joules MiB KiB bytes msec ns cycles C % W MB GB ";
constexpr std::string_view domains = " SMT CLS MC PKG DIE NUMA NODE BOOK DRAWER CACHE ";
constexpr std::string_view vendors = " GenuineIntel AuthenticAMD HygonGenuine CentaurHauls IBM ";
constexpr std::string_view commands = " swapper perf perf-exec ";
constexpr std::string_view symbols =
    " _text _stext _etext _sinittext _einittext __init_begin __init_end _sdata _edata _end __bss_start __bss_stop"
    " __entry_SYSCALL_64_trampoline __entry_text_start __entry_text_end __irqentry_text_start __irqentry_text_end"
    " __softirqentry_text_start __softirqentry_text_end kprobe_insn_page kprobe_optinsn_page kprobe_insn_slot"
    " ftrace_trampoline ";
constexpr std::string_view pseudo_modules = " bpf __builtin__ftrace __builtin__kprobes ";
constexpr std::string_view pseudo_paths =
    " [heap] [stack] [vdso] [vdso32] [vdsox32] [vsyscall] [vvar] [vvar_vclock] [vectors] [sigpage] [uprobes] [xol]"
    " [timens] [anon] //anon //enomem //toolong /dev/zero /anon_hugepage /dmabuf: /SYSV00000000 [hypervisor]"
    " anon_inode:[perf_event] anon_inode:[eventfd] anon_inode:[eventpoll] anon_inode:[io_uring] anon_inode:[timerfd]"
    " anon_inode:[signalfd] anon_inode:inotify anon_inode:[fanotify] anon_inode:[userfaultfd] anon_inode:bpf-map"
    " anon_inode:bpf-prog anon_inode:kvm-vcpu anon_inode:kvm-vm [unknown] [bpf] [guest.kernel] [kernel] ";

bool all_of(std::string_view text, std::string_view characters) {
    return text.find_first_not_of(characters) == std::string_view::npos;
}

// Of perf: user, kernel, hypervisor, host, guest, precise, pinned, exclusive, weak, group counts ...
bool is_modifiers(std::string_view text) {
    return !text.empty() && text.size() <= 8 && all_of(text, "ukhHGpPSDIWebR");
}

bool is_cache_event(std::string_view name) {
    constexpr std::size_t longest = 64;
    if (name.size() > longest) return false;
    for (std::size_t at = name.find('-'); at != std::string_view::npos; at = name.find('-', at + 1)) {
        if (has_word(caches, name.substr(0, at)) && has_word(cache_results, name.substr(at + 1))) return true;
    }
    return false;
}

// number_of_digits(digits, base) returns the number; nothing if they are not digits of one of 64 bits.
std::optional<std::uint64_t> number_of_digits(std::string_view digits, int base) {
    std::uint64_t value = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [stop, problem] = std::from_chars(digits.data(), end, value, base);
    if (digits.empty() || problem != std::errc{} || stop != end) return {};
    return value;
}

// Long numbers in names of events could be anything. Short ones stay, and those that the attr has as well.
bool is_event_number(std::uint64_t value, const Attr& attr) {
    constexpr std::uint64_t largest = 0xffffffff;
    if (value <= largest) return true;
    if (value == attr.config || value == attr.sample_period) return true;
    // The others do not stay in attrs of PMUs: see anonymous_attr().
    return attr.type <= attr_type::breakpoint && (value == attr.config1 || value == attr.config2);
}

bool is_event_part(std::string_view part, const Attr& attr) {
    if (has_word(event_words, part) || is_cache_event(part) || is_pmu(part)) return true;
    if (is_number(part)) {
        const bool hex = part.starts_with("0x") || part.starts_with("0X");
        const auto value = hex ? number_of_digits(part.substr(2), 16) : number_of_digits(part, 10);
        return value && is_event_number(*value, attr);
    }
    // "r1a8": the number of a raw event.
    if (part.size() < 2 || part.size() > 17 || part[0] != 'r') return false;
    const auto value = number_of_digits(part.substr(1), 16);
    return value && is_event_number(*value, attr);
}

bool is_tracepoint_name(std::string_view name) {
    const auto colon = name.find(':');
    if (colon == std::string_view::npos) return false;
    auto event = name.substr(colon + 1);
    if (const auto modifiers = event.find(':'); modifiers != std::string_view::npos) {
        if (!is_modifiers(event.substr(modifiers + 1))) return false;
        event = event.substr(0, modifiers);
    }
    return is_trace_system(name.substr(0, colon)) && is_trace_name(event);
}

}  // namespace

bool is_number(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        return !text.empty() && text.size() <= 16 && all_of(text, "0123456789abcdefABCDEF");
    }
    return is_digits(text) && text.size() <= 18;
}

bool is_digits(std::string_view text) {
    return !text.empty() && all_of(text, "0123456789");
}

bool is_id(std::string_view text) {
    constexpr std::size_t most_digits = 10;
    return is_digits(text) && text.size() <= most_digits;
}

bool is_cpu_list(std::string_view text) {
    return all_of(text, "0123456789,-");
}

bool is_cpu_mask(std::string_view text) {
    return all_of(text, "0123456789abcdef,");
}

bool is_event_name(std::string_view name, const Attr& attr) {
    constexpr std::size_t longest = 1024;  // each part is looked up in several lists
    if (name.empty() || name.size() > longest) return false;
    auto usual = default_event_name(attr);
    if (name == usual) return true;
    if (name.starts_with(usual) && name.size() > usual.size() && name[usual.size()] == ':' &&
        is_modifiers(name.substr(usual.size() + 1))) {
        return true;
    }
    if (is_tracepoint_name(name)) return true;
    constexpr std::string_view between = ":/,=";
    std::size_t parts = 0;
    for (std::size_t begin = 0; begin <= name.size(); ++parts) {
        const auto end = std::min(name.find_first_of(between, begin), name.size());
        const auto part = name.substr(begin, end - begin);
        const bool last = end == name.size();
        // The rest of "cpu/event=0x3c/" is empty.
        const bool known = is_event_part(part, attr) || (parts != 0 && (part.empty() || (last && is_modifiers(part))));
        if (!known) return false;
        begin = end + 1;
    }
    return true;
}

bool is_pmu(std::string_view name) {
    if (has_word(pmus, name)) return true;
    const auto number = name.rfind('_');
    return number != std::string_view::npos && is_digits(name.substr(number + 1)) && name.size() - number <= 4 &&
           has_word(pmus, name.substr(0, number));
}

bool is_capability(std::string_view name) {
    return has_word(capabilities, name);
}

bool is_unit(std::string_view unit) {
    return unit.empty() || has_word(units, unit);
}

bool is_domain(std::string_view name) {
    return has_word(domains, name);
}

bool is_cpu_vendor(std::string_view name) {
    return has_word(vendors, name);
}

bool is_command(std::string_view comm) {
    constexpr std::string_view idle = "swapper/";
    return has_word(commands, comm) || (comm.starts_with(idle) && is_id(comm.substr(idle.size())));
}

bool is_symbol(std::string_view name) {
    return has_word(symbols, name);
}

bool is_pseudo_module(std::string_view name) {
    return has_word(pseudo_modules, name);
}

bool is_pseudo_path(std::string_view path) {
    constexpr std::string_view stack = "[stack:";
    if (path.starts_with(stack) && path.ends_with(']')) {
        return is_id(path.substr(stack.size(), path.size() - stack.size() - 1));
    }
    return has_word(pseudo_paths, path);
}

}  // namespace perfdata
