// SPDX-License-Identifier: MIT
#include "bundle/anonymize/perf_arguments.hpp"

#include "bundle/anonymize/words.hpp"

namespace perfdata {
namespace {

// Commands that record if "record" follows.
constexpr std::string_view perf_recorders = " stat mem c2c kmem kvm lock sched timechart trace ";
constexpr std::string_view perf_others = " perf record report top ftrace inject script buildid-list -- ";
constexpr std::string_view perf_options =
    " -a -b -B -c -C -d -e -F -g -G -h -i -I -j -k -m -M -n -N -o -p -P -q -r -R -s -S -t -T -u -v -W -z"
    " --all-cpus --all-kernel --all-user --all-cgroups --aio --affinity --aux-sample --buildid-all --buildid-mmap"
    " --call-graph --clockid --code-page-size --compression-level --count --cpu --data --data-page-size --delay"
    " --event --freq --group --inherit --intr-regs --kcore --max-size --mmap-pages --mmap-flush --namespaces"
    " --no-bpf-event --no-buffering --no-buildid --no-buildid-cache --no-inherit --output --per-thread --period"
    " --phys-data --pid --running-time --sample-cpu --sample-identifier --snapshot --stat --strict-freq --switch-events"
    " --switch-output --synth --tail-synthesize --threads --tid --timestamp --transaction --user-regs --verbose "
    "--weight ";
// Those whose value is always the next word, if it is not attached: of each command that records, and of `perf record`.
// Options with a value that may be missing are not among them: theirs is never a word of its own.
constexpr std::string_view with_perf_value = " -e --event -o --output ";
constexpr std::string_view with_record_value =
    " -c -C -F -G -j -k -m -p -r -t -u --affinity --branch-filter --cgroup --clockid --count --cpu --freq"
    " --max-size --mmap-flush --mmap-pages --pid --realtime --tid --uid ";
// Options whose values may be words of perf, and those words.
constexpr std::string_view with_public_value = " -F -k --clockid --freq ";
constexpr std::string_view perf_values = " fp dwarf lbr mono monotonic monotonic_raw realtime boottime raw max ";
// Perf before 3.7 took no value behind --call-graph.
constexpr std::string_view call_graph_option = "--call-graph", perf_call_graphs = " fp dwarf lbr ";

}  // namespace

bool PerfArguments::is_word(std::string_view word) {
    for (const auto list : {perf_recorders, perf_others, perf_options, perf_values}) {
        if (has_word(list, word)) return true;
    }
    return false;
}

bool PerfArguments::stays(std::string_view word) {
    switch (at_) {
        case At::perf: at_ = At::command; return word == "perf";
        case At::command:
        case At::record: return command(word);
        case At::options: return option(word);
        case At::value: at_ = At::options; return false;
        case At::public_value: at_ = At::options; return has_word(perf_values, word);
        case At::call_graph:
            if (!has_word(perf_call_graphs, word.substr(0, word.find(',')))) return option(word);
            at_ = At::options;
            return has_word(perf_call_graphs, word);
        case At::program: break;
    }
    return false;
}

bool PerfArguments::command(std::string_view word) {
    if (word == "record") {
        is_plain_ = at_ == At::command;
        at_ = At::options;
        return true;
    }
    if (at_ == At::command && has_word(perf_recorders, word)) {
        is_kvm_ = word == "kvm";
        at_ = At::record;
        return true;
    }
    const bool is_kvm_stat = at_ == At::record && is_kvm_ && word == "stat";
    is_kvm_ = false;
    if (!is_kvm_stat) at_ = At::program;
    return is_kvm_stat;
}

bool PerfArguments::option(std::string_view word) {
    if (word == "--" || word.size() < 2 || word[0] != '-') {
        at_ = At::program;
        return word == "--";
    }
    if (has_word(with_perf_value, word) || (is_plain_ && has_word(with_record_value, word))) {
        at_ = has_word(with_public_value, word) ? At::public_value : At::value;
    } else {
        at_ = word == call_graph_option ? At::call_graph : At::options;
    }
    return has_word(perf_options, word);
}

}  // namespace perfdata
