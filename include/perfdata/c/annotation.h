/* SPDX-License-Identifier: MIT */
/* Listings: functions with their instructions and lines, and the samples on them. Include perfdata/perfdata.h. */
#ifndef PERFDATA_C_ANNOTATION_H
#define PERFDATA_C_ANNOTATION_H

#include "perfdata/c/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* perfdata_annotation is the listings of functions. It never changes. */
typedef struct perfdata_annotation perfdata_annotation;

/* Bits of perfdata_annotation_options::flags. */
#define PERFDATA_ANNOTATION_INTEL 1u    /* x86 instructions in Intel's syntax; else AT&T's */
#define PERFDATA_ANNOTATION_OUTLINES 2u /* functions without instructions and lines: fast */

/* perfdata_annotation_options: of symbol, pattern and file one at most may be given. */
typedef struct perfdata_annotation_options {
    size_t size;
    const perfdata_control *control; /* null: neither watched nor stopped */
    const perfdata_filter *filter;   /* of the samples that count; null: all */
    uint64_t flags;         /* PERFDATA_ANNOTATION_... */
    uint64_t jobs;          /* threads; 0: one */
    uint64_t most;          /* the hottest so many functions; 0: all */
    const char *symbol;     /* this function, as in the source, a kernel symbol, or PROGRAM/FUNCTION of BPF code */
    const char *pattern;    /* functions with a name that this POSIX extended regular expression matches */
    const char *file;       /* functions with code of `line` in this file, found by the end of its path */
    uint64_t line;          /* from 1 */
} perfdata_annotation_options;

/* Lists functions with samples, hottest first, equal ones by name, object and address. PERFDATA_MISSING if a symbol,
 * pattern or line was given and no function with samples has it; PERFDATA_MALFORMED or PERFDATA_UNSUPPORTED if the
 * pattern is no regular expression, or one that could take long. */
PERFDATA_API perfdata_status perfdata_annotation_make(const perfdata_code *code,
                                                      const perfdata_annotation_options *options,
                                                      perfdata_annotation **made, perfdata_error *error);
/* Frees the handle. */
PERFDATA_API perfdata_status perfdata_annotation_free(perfdata_annotation *annotation);

/* perfdata_annotation_info is what the listings are of. */
typedef struct perfdata_annotation_info {
    size_t size;
    uint64_t function_count;      /* see perfdata_annotation_function() */
    uint64_t event_count;         /* length of all arrays of counts */
    const uint32_t *events;       /* the event of each count: an index of perfdata_recording_event() */
    const perfdata_count *totals; /* samples that pass the filter, in these functions or not */
    const perfdata_count *whole;  /* samples of the events and times of the filter: 100 % of all percentages */
} perfdata_annotation_info;

/* Fills `info`. */
PERFDATA_API perfdata_status perfdata_annotation_get_info(const perfdata_annotation *annotation,
                                                          perfdata_annotation_info *info, perfdata_error *error);

/* perfdata_function is one version of a function. */
typedef struct perfdata_function {
    size_t size;
    const char *name;   /* as in the source, "program/function" of BPF code */
    const char *symbol; /* of BPF code the kernel's name; else the same */
    const char *object; /* a path, [kernel.kallsyms], [bpf:5], the name of a jitdump */
    uint64_t kind;      /* PERFDATA_KIND_... */
    uint64_t address;   /* where the code ran; if it lies elsewhere in each process: in its file */
    uint64_t bytes;     /* of its code; 0: unknown */
    uint64_t version;   /* number, from 0, of a function whose code was changed */
    uint64_t from;      /* when it was there first, in nanoseconds; 0: before the recording */
    uint64_t until;     /* when it was gone; UINT64_MAX: after the recording */
    uint64_t instruction_count; /* see perfdata_annotation_instruction() */
    uint64_t line_count;        /* see perfdata_annotation_line() */
    uint64_t problem_count;     /* see perfdata_annotation_problem() */
    double on_start; /* share of the samples on the start of an instruction, 1 if these bytes ran; -1: unknown */
    const perfdata_count *counts; /* samples in it */
} perfdata_function;

/* index: below function_count; hottest first. */
PERFDATA_API perfdata_status perfdata_annotation_function(const perfdata_annotation *annotation, uint64_t index,
                                                          perfdata_function *function, perfdata_error *error);

/* perfdata_instruction::line of instructions that have none. */
#define PERFDATA_NO_LINE UINT32_MAX

/* perfdata_instruction is an instruction of a function, or bytes that are none. */
typedef struct perfdata_instruction {
    size_t size;
    uint64_t offset;  /* from the start of the function */
    uint64_t address; /* where it ran; see perfdata_function::address */
    const uint8_t *bytes; /* of its code */
    uint64_t byte_count;  /* length of `bytes` */
    const char *text;   /* as disassembled */
    const char *target; /* the function that it jumps to, calls or loads the address of; empty: none known */
    uint64_t target_offset; /* of the target, from the start of that function */
    uint32_t line;    /* number of its line in the function; PERFDATA_NO_LINE: none */
    uint32_t decoded; /* 0: no instruction of this architecture */
    const perfdata_count *counts; /* samples on it */
} perfdata_instruction;

/* function: below function_count. index: below instruction_count of it. */
PERFDATA_API perfdata_status perfdata_annotation_instruction(const perfdata_annotation *annotation, uint64_t function,
                                                             uint64_t index, perfdata_instruction *instruction,
                                                             perfdata_error *error);

/* perfdata_line is a source line of a function. */
typedef struct perfdata_line {
    size_t size;
    const char *file; /* as in debug information */
    const char *text; /* empty: unknown */
    uint64_t line;    /* from 1; 0: unknown */
    uint64_t column;  /* from 1; 0: unknown */
    const perfdata_count *counts; /* samples on its instructions */
} perfdata_line;

/* index: below line_count of the function. */
PERFDATA_API perfdata_status perfdata_annotation_line(const perfdata_annotation *annotation, uint64_t function,
                                                      uint64_t index, perfdata_line *line, perfdata_error *error);

/* Fills `problem` with a reason for missing or doubtful instructions or lines. index: below problem_count. */
PERFDATA_API perfdata_status perfdata_annotation_problem(const perfdata_annotation *annotation, uint64_t function,
                                                         uint64_t index, perfdata_error *problem,
                                                         perfdata_error *error);

/* Hands out the listings as one document, schema perfdata.annotation, as the tool writes it with --json. The text ends
 * with a zero, which *length does not count. It is made by the first call. */
PERFDATA_API perfdata_status perfdata_annotation_json(const perfdata_annotation *annotation, const char **text,
                                                      size_t *length, perfdata_error *error);
/* The same, watched and stopped by `control`, which may be null: it is told how many bytes are written. Since version 2. */
PERFDATA_API perfdata_status perfdata_annotation_json_watched(const perfdata_annotation *annotation,
                                                              const perfdata_control *control, const char **text,
                                                              size_t *length, perfdata_error *error);

#ifdef __cplusplus
}
#endif
#endif
