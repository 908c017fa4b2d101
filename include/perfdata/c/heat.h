/* SPDX-License-Identifier: MIT */
/* The heat of source files: their lines with samples, and the functions of these. Include perfdata/perfdata.h. */
#ifndef PERFDATA_C_HEAT_H
#define PERFDATA_C_HEAT_H

#include "perfdata/c/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* perfdata_heat is where the samples fell in the source. It never changes. A sample counts as `self` on the line where
 * it fell, in the innermost inlined function, and as `inclusive` once on every line that its call chain passes. */
typedef struct perfdata_heat perfdata_heat;

/* Bits of perfdata_heat_options::flags. */
#define PERFDATA_HEAT_NO_CHAINS 1u /* leave out call chains: faster; `inclusive` is of inlined calls alone */

/* perfdata_heat_options: zeros are the defaults. */
typedef struct perfdata_heat_options {
    size_t size;
    const perfdata_control *control; /* null: neither watched nor stopped */
    const perfdata_filter *filter;   /* of the samples that count; null: all */
    uint64_t flags;                  /* PERFDATA_HEAT_... */
} perfdata_heat_options;

/* Counts the samples of the recording that the code is of, by source line. `options` may be null. *made is null if it
 * fails. Lines that cannot be read are no failure: see perfdata_heat_problem(). */
PERFDATA_API perfdata_status perfdata_heat_make(const perfdata_code *code, const perfdata_heat_options *options,
                                                perfdata_heat **made, perfdata_error *error);
/* Frees the handle. */
PERFDATA_API perfdata_status perfdata_heat_free(perfdata_heat *heat);

/* perfdata_heat_info: `self` of all files and the five counts of samples without a line add up to totals. */
typedef struct perfdata_heat_info {
    size_t size;
    uint64_t file_count;    /* see perfdata_heat_get_file() */
    uint64_t event_count;   /* length of all arrays of counts */
    const uint32_t *events; /* the event of each count: an index of perfdata_recording_event() */
    const perfdata_count *totals;   /* all samples that pass the filter */
    const perfdata_count *nowhere;  /* nothing is known to have lain at their address */
    const perfdata_count *no_lines; /* their code has no line information */
    const perfdata_count *no_line;  /* the compiler gave their place no line */
    const perfdata_count *damaged;  /* the line information could not be read */
    const perfdata_count *limit;    /* more places than the limits allow */
    uint64_t problem_count;         /* see perfdata_heat_problem() */
} perfdata_heat_info;

/* Fills `info`. */
PERFDATA_API perfdata_status perfdata_heat_get_info(const perfdata_heat *heat, perfdata_heat_info *info,
                                                    perfdata_error *error);
/* Fills `problem` with a reason why lines are not known. index: below problem_count. */
PERFDATA_API perfdata_status perfdata_heat_problem(const perfdata_heat *heat, uint64_t index, perfdata_error *problem,
                                                   perfdata_error *error);

/* perfdata_heat_file is a source file with samples. */
typedef struct perfdata_heat_file {
    size_t size;
    const char *path; /* as in debug information */
    uint64_t line_count;             /* lines with samples, of either kind */
    const perfdata_count *self;      /* samples that fell in it */
    const perfdata_count *inclusive; /* samples with a call chain through it, each once */
} perfdata_heat_file;

/* index: below file_count; hottest first. */
PERFDATA_API perfdata_status perfdata_heat_get_file(const perfdata_heat *heat, uint64_t index, perfdata_heat_file *file,
                                                    perfdata_error *error);

/* Finds the files whose paths agree the most with `path` from their ends on, in whole parts: on another machine the
 * same file lies elsewhere. Fills up to `capacity` indices, hottest first, and sets *count to how many there are.
 * `indices` may be null if capacity is 0. PERFDATA_MISSING if not even the name of a file is the same. */
PERFDATA_API perfdata_status perfdata_heat_find(const perfdata_heat *heat, const char *path, uint64_t *indices,
                                                size_t capacity, size_t *count, perfdata_error *error);

/* perfdata_heat_line is a line of a file with samples. */
typedef struct perfdata_heat_line {
    size_t size;
    uint64_t line; /* from 1 */
    uint64_t function_count;         /* functions with code of the line, inlined or their own */
    const perfdata_count *self;      /* samples that fell on it */
    const perfdata_count *inclusive; /* samples with a call chain through it, each once */
} perfdata_heat_line;

/* index: below line_count of the file; by number of the line. */
PERFDATA_API perfdata_status perfdata_heat_get_line(const perfdata_heat *heat, uint64_t file, uint64_t index,
                                                    perfdata_heat_line *line, perfdata_error *error);

/* perfdata_heat_function is what a function has of a line: that of a header may belong to many. */
typedef struct perfdata_heat_function {
    size_t size;
    const char *name;                /* as in the source; of BPF code the kernel's */
    const perfdata_count *self;      /* samples that fell on the line in it */
    const perfdata_count *inclusive; /* samples with a call chain through that, each once */
} perfdata_heat_function;

/* index: below function_count of the line; hottest first. */
PERFDATA_API perfdata_status perfdata_heat_get_function(const perfdata_heat *heat, uint64_t file, uint64_t line,
                                                        uint64_t index, perfdata_heat_function *function,
                                                        perfdata_error *error);

#ifdef __cplusplus
}
#endif
#endif
