# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What is kept of each fixture. Sourced by `check` and `update`, which run the tool in the folder of the recordings, so
# that recording.path is just the file's name.

# cases FIXTURE: "SUFFIX ARGUMENTS" of each kept output, one a line.
cases() {
    echo "annotate.json annotate --offline --calls --json"
    echo "bpf.json bpf --json"
    echo "info.json info --json --completeness"
    echo "report.txt report --offline --no-children -g none -n --percent-limit 0.5"
    case $1 in
    bpf_twins)
        echo "report.json report --offline --json --percent-limit 2 --kind bpf"
        echo "annotate.txt annotate --offline"
        echo "bpf.txt bpf"
        echo "info.txt info --completeness"
        echo "info_verbose.txt info --verbose"
        echo "script.txt script --offline --symbols bpf_prog_3071012bd289a16c_twin_left"
        echo "symbols.txt symbols --at 15.9"
        echo "dump.json dump --json --type KSYMBOL --type BPF_EVENT --type EVENT_UPDATE --type 79 --type CPU_MAP"
        ;;
    bpf_facts)
        echo "bpf.txt bpf"
        echo "code.txt bpf --code jited --linum"
        ;;
    bpf_types)
        echo "bpf.txt bpf"
        echo "timeline.txt bpf --timeline"
        ;;
    bpf_turns)
        echo "report_program.txt report --offline --sort program,symbol --kind bpf -n"
        ;;
    bpf_events)
        echo "report_callers.txt report --offline --comm load --percent-limit 5 -g caller,3"
        echo "report_callees.txt report --offline --sort symbol --percent-limit 5 -g callee,3 --no-children"
        echo "report_line.txt report --offline --sort srcline,symbol --kind bpf -n -e cpu-clock --show-total-period"
        echo "dump.txt dump --type PERF_RECORD_KSYMBOL --type bpf_event --type FORK --type THREAD_MAP --type CPU_MAP"
        echo "dump_samples.txt dump --order time --type SAMPLE --event task-clock/freq=499,call-graph=fp,max-stack=8/ --time 20.35,20.36"
        echo "options.txt annotate --offline --calls -s step -s many_main/5 --event task-clock/freq=499,call-graph=fp,max-stack=8/ --asm-raw --show-total-period -M intel --percent-type local-period"
        ;;
    esac
}

# run_case TOOL FIXTURE ARGUMENTS... writes one output to standard output.
run_case() {
    tool=$1 fixture=$2
    shift 2
    NO_COLOR=1 LC_ALL=C "$tool" "$@" "$fixture.data"
}
