/* SPDX-License-Identifier: MIT */
/* c99 RECORDING: uses every part of the C API on fixtures/bpf/bpf_many.data, as a program in C99 does. */
#include <perfdata/perfdata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            ++failures;                                                        \
        }                                                                      \
    } while (0)

static perfdata_error error;

static void must(perfdata_status status, const char *what) {
    if (status == PERFDATA_OK) return;
    fprintf(stderr, "%s: %s: %s: %s\n", what, perfdata_status_name(status), error.section, error.text);
    exit(1);
}
#define MUST(call) must((call), #call)

static int stages = 0;
static int progress(void *user, const char *stage, uint64_t done, uint64_t all) {
    CHECK(strcmp((const char *)user, "mine") == 0);
    CHECK(stage != NULL && (all == 0 || done <= all));
    ++stages;
    return 0;
}

static void use_samples(const perfdata_recording *recording, const perfdata_code *code) {
    enum { capacity = 500 };
    static perfdata_sample items[capacity];
    perfdata_samples_options options;
    perfdata_samples *samples = NULL;
    perfdata_samples_state state;
    size_t count = 0, total = 0, calls = 0;
    uint64_t last = 0;
    perfdata_status status;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.order = PERFDATA_ORDER_TIME;
    options.code = code;
    MUST(perfdata_samples_open(recording, &options, &samples, &error));
    while ((status = perfdata_samples_read(samples, items, sizeof items[0], capacity, &count, &error)) == PERFDATA_OK) {
        size_t at;
        for (at = 0; at < count; ++at) {
            CHECK(items[at].time >= last);
            last = items[at].time;
            CHECK((items[at].fields & PERFDATA_HAS_ADDRESS) != 0);
            CHECK(items[at].function != PERFDATA_NO_FUNCTION);
        }
        total += count;
        ++calls;
    }
    CHECK(status == PERFDATA_END && count == 0);
    CHECK(total == 1230 && calls == 3);
    memset(&state, 0, sizeof state);
    state.size = sizeof state;
    MUST(perfdata_samples_get_state(samples, &state, &error));
    CHECK(state.read == 1230 && state.filtered == 0 && state.damaged == 0 && state.problem_count == 0);
    CHECK(state.function_count > 5);
    {
        perfdata_place place;
        uint32_t number;
        int found = 0;
        place.size = sizeof place;
        for (number = 0; number < state.function_count; ++number) {
            MUST(perfdata_samples_place(samples, number, &place, &error));
            if (strcmp(place.name, "many_main/step") == 0) {
                found = 1;
                CHECK(strcmp(place.symbol, "bpf_prog_1cad43a02158b200_step") == 0);
                CHECK(place.kind == PERFDATA_KIND_BPF && place.program == 5 && place.why[0] == 0);
            }
        }
        CHECK(found);
    }
    CHECK(perfdata_samples_free(samples) == PERFDATA_OK);
}

static void use_code(const perfdata_code *code) {
    perfdata_code_info info;
    perfdata_life life;
    perfdata_place place;
    const char *comm = NULL;
    uint64_t at;
    int found = 0;

    info.size = sizeof info;
    life.size = sizeof life;
    place.size = sizeof place;
    MUST(perfdata_code_get_info(code, &info, &error));
    CHECK(info.life_count == 9 && info.thread_count > 0 && info.mapping_count > 0);
    for (at = 0; at < info.life_count; ++at) {
        MUST(perfdata_code_life(code, at, &life, &error));
        CHECK(life.kind == PERFDATA_KIND_BPF && life.bytes > 0);
        if (strcmp(life.symbol, "bpf_prog_0794138612f6e7ea_bump") != 0) continue;
        found = 1;
        CHECK(life.address == 0xffffffffc038b9e0u && life.program == 5 && life.subprogram == 4);
        MUST(perfdata_code_at(code, 1, life.address + 0x8d, life.until - 1, PERFDATA_MODE_KERNEL, &place, &error));
        CHECK(strcmp(place.name, "many_main/bump") == 0 && place.offset == 0x8d);
        CHECK(place.from == life.from && place.until == life.until);
        MUST(perfdata_code_at(code, 1, life.address + 0x8d, life.until - 1, PERFDATA_MODE_USER, &place, &error));
        CHECK(place.symbol[0] == 0 && place.why[0] != 0);
    }
    CHECK(found);
    MUST(perfdata_code_comm(code, 0, 1, &comm, &error));
    CHECK(strcmp(comm, "swapper") == 0);
}

static void use_report(const perfdata_code *code) {
    perfdata_report_options options;
    perfdata_report *report = NULL;
    perfdata_report_info info;
    perfdata_row row;
    const char *text = NULL;
    size_t length = 0;
    uint64_t at, hits = 0;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.sort = "dso,symbol";
    MUST(perfdata_report_make(code, &options, &report, &error));
    info.size = sizeof info;
    row.size = sizeof row;
    MUST(perfdata_report_get_info(report, &info, &error));
    CHECK(info.event_count == 1 && info.events[0] == 0 && info.whole[0].hits == 1230 && info.kept[0].hits == 1230);
    for (at = 0; at < info.row_count; ++at) {
        MUST(perfdata_report_row(report, at, &row, &error));
        CHECK(row.self[0].hits == row.total[0].hits && row.comm[0] == 0);
        if (strcmp(row.symbol, "bpf_prog_1cad43a02158b200_step") == 0) CHECK(row.self[0].hits == 140);
        hits += row.self[0].hits;
    }
    CHECK(hits == 1230);
    MUST(perfdata_report_json(report, &text, &length, &error));
    CHECK(strlen(text) == length && strstr(text, "\"schema\": \"perfdata.report/1\"") != NULL);
    CHECK(perfdata_report_free(report) == PERFDATA_OK);
}

static void use_heat(const perfdata_code *code) {
    perfdata_heat *heat = NULL;
    perfdata_heat_info info;
    perfdata_heat_file file;
    perfdata_heat_line line;
    perfdata_heat_function function;
    uint64_t found = 0, at, hits = 0, in_file = 0;
    size_t count = 0;

    MUST(perfdata_heat_make(code, NULL, &heat, &error));
    info.size = sizeof info;
    file.size = sizeof file;
    line.size = sizeof line;
    function.size = sizeof function;
    MUST(perfdata_heat_get_info(heat, &info, &error));
    hits = info.nowhere[0].hits + info.no_lines[0].hits + info.no_line[0].hits + info.damaged[0].hits + info.limit[0].hits;
    for (at = 0; at < info.file_count; ++at) {
        MUST(perfdata_heat_get_file(heat, at, &file, &error));
        hits += file.self[0].hits;
    }
    CHECK(info.totals[0].hits == 1230 && hits == 1230);
    MUST(perfdata_heat_find(heat, "/home/me/src/many.bpf.c", &found, 1, &count, &error));
    CHECK(count == 1);
    MUST(perfdata_heat_get_file(heat, found, &file, &error));
    CHECK(strcmp(file.path, "fixtures/record/many.bpf.c") == 0);
    for (at = 0; at < file.line_count; ++at) {
        MUST(perfdata_heat_get_line(heat, found, at, &line, &error));
        in_file += line.self[0].hits;
        if (line.line != 79) continue;
        MUST(perfdata_heat_get_function(heat, found, at, 0, &function, &error));
        CHECK(line.function_count == 1 && strcmp(function.name, "many_main/bump") == 0);
        CHECK(function.self[0].hits == 22 && line.self[0].hits == 22);
    }
    CHECK(in_file == file.self[0].hits);
    CHECK(perfdata_heat_free(heat) == PERFDATA_OK);
}

static void use_annotation(const perfdata_code *code) {
    perfdata_annotation_options options;
    perfdata_annotation *annotation = NULL;
    perfdata_annotation_info info;
    perfdata_function function;
    perfdata_instruction instruction;
    perfdata_line line;
    const char *text = NULL;
    size_t length = 0;
    uint64_t at, hits = 0;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.file = "many.bpf.c";
    options.line = 79;
    MUST(perfdata_annotation_make(code, &options, &annotation, &error));
    info.size = sizeof info;
    function.size = sizeof function;
    instruction.size = sizeof instruction;
    line.size = sizeof line;
    MUST(perfdata_annotation_get_info(annotation, &info, &error));
    CHECK(info.function_count == 1 && info.event_count == 2);
    MUST(perfdata_annotation_function(annotation, 0, &function, &error));
    CHECK(strcmp(function.name, "many_main/bump") == 0 && function.counts[0].hits == 59 && function.on_start == 1.0);
    CHECK(function.problem_count == 0 && function.bytes == 155);
    for (at = 0; at < function.instruction_count; ++at) {
        MUST(perfdata_annotation_instruction(annotation, 0, at, &instruction, &error));
        hits += instruction.counts[0].hits;
        CHECK(instruction.decoded == 1 && instruction.byte_count > 0 && instruction.address >= function.address);
        if (instruction.offset != 0x8d) continue;
        CHECK(strcmp(instruction.text, "movq    %r13, %rdi") == 0 || strcmp(instruction.text, "movq %r13, %rdi") == 0);
        CHECK(instruction.counts[0].hits == 22 && instruction.line != PERFDATA_NO_LINE);
        MUST(perfdata_annotation_line(annotation, 0, instruction.line, &line, &error));
        CHECK(line.line == 79 && strstr(line.text, "return weigh(c);") != NULL);
    }
    CHECK(hits == 59);
    MUST(perfdata_annotation_json(annotation, &text, &length, &error));
    CHECK(strlen(text) == length && strstr(text, "\"schema\": \"perfdata.annotation/1\"") != NULL);
    CHECK(perfdata_annotation_free(annotation) == PERFDATA_OK);
}

int main(int argc, char **argv) {
    perfdata_recording *recording = NULL;
    perfdata_recording *again = NULL;
    perfdata_code *code = NULL;
    perfdata_recording_info info;
    perfdata_event event;
    perfdata_limits limits;
    perfdata_open_options opening;
    perfdata_code_options options;
    perfdata_control control;
    perfdata_cancel *cancel = NULL;
    static char mine[] = "mine";

    if (argc != 2) return 2;
    memset(&error, 0, sizeof error);
    error.size = sizeof error;
    CHECK(perfdata_c_version() == PERFDATA_C_VERSION);
    memset(&limits, 0, sizeof limits);
    limits.size = sizeof limits;
    MUST(perfdata_limits_within((uint64_t)1 << 30, &limits, &error));
    memset(&opening, 0, sizeof opening);
    opening.size = sizeof opening;
    opening.limits = &limits;
    MUST(perfdata_recording_open(argv[1], &opening, &recording, &error));
    info.size = sizeof info;
    MUST(perfdata_recording_get_info(recording, &info, &error));
    CHECK(strcmp(info.arch, "x86_64") == 0 && info.event_count == 2 && info.big_endian == 0 && info.interrupted == 0);
    event.size = sizeof event;
    MUST(perfdata_recording_event(recording, 0, &event, &error));
    CHECK(strcmp(event.name, "cpu-clock") == 0 && event.type == 1);

    MUST(perfdata_cancel_new(&cancel, &error));
    memset(&control, 0, sizeof control);
    control.size = sizeof control;
    control.cancel = cancel;
    control.progress = progress;
    control.user = mine;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.control = &control;
    options.flags = PERFDATA_OFFLINE;
    MUST(perfdata_code_open(recording, &options, &code, &error));
    MUST(perfdata_recording_refresh(recording, &again, &error));
    use_samples(recording, code);
    CHECK(perfdata_recording_free(recording) == PERFDATA_OK); /* the code keeps it */
    use_code(code);
    use_report(code);
    use_heat(code);
    use_annotation(code);
    MUST(perfdata_cancel_request(cancel, &error));
    {
        perfdata_heat_options heat;
        perfdata_heat *made = NULL;
        memset(&heat, 0, sizeof heat);
        heat.size = sizeof heat;
        heat.control = &control;
        CHECK(perfdata_heat_make(code, &heat, &made, &error) == PERFDATA_CANCELLED);
        CHECK(made == NULL && error.code == PERFDATA_CANCELLED);
    }
    CHECK(perfdata_code_free(code) == PERFDATA_OK);
    CHECK(perfdata_recording_free(again) == PERFDATA_OK);
    CHECK(perfdata_cancel_free(cancel) == PERFDATA_OK);
    CHECK(perfdata_recording_free(recording) == PERFDATA_INVALID_HANDLE);
    CHECK(perfdata_recording_open("/nowhere/at/all", NULL, &recording, &error) == PERFDATA_IO);
    CHECK(recording == NULL && strstr(error.text, "No such file") != NULL && strcmp(error.section, "/nowhere/at/all") == 0);
    printf("perfdata %s, %d failures\n", perfdata_version(), failures);
    return failures != 0;
}
