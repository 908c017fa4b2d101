/* SPDX-License-Identifier: MIT */
/* The report: samples by command, object, function and more. Include perfdata/perfdata.h. */
#ifndef PERFDATA_C_REPORT_H
#define PERFDATA_C_REPORT_H

#include "perfdata/c/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* perfdata_report is the rows of a report. It never changes. */
typedef struct perfdata_report perfdata_report;

/* Bits of perfdata_report_options::flags. */
#define PERFDATA_REPORT_CHILDREN 1u   /* `total` of a row counts what it called, too, and rows are sorted by that */
#define PERFDATA_REPORT_NO_INLINES 2u /* inlined functions have no rows */
#define PERFDATA_REPORT_RELATIVE 4u   /* percentages are of what the filter leaves, not of all samples */

/* perfdata_report_options: zeros are the defaults. */
typedef struct perfdata_report_options {
    size_t size;
    const perfdata_control *control; /* null: neither watched nor stopped */
    const perfdata_filter *filter; /* of `objects`, `symbols` and `kinds`: which rows there are */
    const char *sort;              /* words of `perfdata report --sort`, with commas; null: "comm,dso,symbol" */
    uint64_t flags;                /* PERFDATA_REPORT_... */
    uint64_t max_stack;   /* frames of a call chain that count, without inlined functions; 0: 1024 */
    double percent_limit; /* rows with less are left out */
} perfdata_report_options;

/* Counts the samples of the recording that the code is of. `options` may be null. *made is null if it fails. */
PERFDATA_API perfdata_status perfdata_report_make(const perfdata_code *code, const perfdata_report_options *options,
                                                  perfdata_report **made, perfdata_error *error);
/* Frees the handle. */
PERFDATA_API perfdata_status perfdata_report_free(perfdata_report *report);

/* perfdata_report_info is what a report is of. */
typedef struct perfdata_report_info {
    size_t size;
    uint64_t row_count;          /* see perfdata_report_row() */
    uint64_t event_count;        /* length of all arrays of counts */
    const uint32_t *events;      /* the event of each count: an index of perfdata_recording_event() */
    const perfdata_count *whole; /* 100 % of all percentages */
    const perfdata_count *kept;  /* samples that pass the filter */
    uint64_t hidden_rows;        /* rows that percent_limit left out */
} perfdata_report_info;

/* Fills `info`. */
PERFDATA_API perfdata_status perfdata_report_get_info(const perfdata_report *report, perfdata_report_info *info,
                                                      perfdata_error *error);

/* perfdata_row: members that the rows are not sorted by are empty or 0. */
typedef struct perfdata_row {
    size_t size;
    const char *comm;   /* ":TID" if it is unknown */
    const char *object; /* the last part of its path */
    const char *path;   /* the object in full */
    const char *symbol; /* empty: unknown */
    const char *line;   /* FILE:LINE, "??:0" if it is unknown */
    const char *parent; /* the caller that matches the sort key `parent` */
    uint64_t kind;    /* PERFDATA_KIND_... */
    uint64_t address; /* without a symbol: in the object, or in the process */
    uint32_t pid;                /* process */
    uint32_t tid;                /* thread */
    uint32_t cpu;                /* number of the CPU; UINT32_MAX: unknown */
    uint32_t inlined;            /* 1: a function that was inlined */
    const perfdata_count *self;  /* samples in it */
    const perfdata_count *total; /* with what it called; the same as self without PERFDATA_REPORT_CHILDREN */
} perfdata_row;

/* index: below row_count; most samples first. */
PERFDATA_API perfdata_status perfdata_report_row(const perfdata_report *report, uint64_t index, perfdata_row *row,
                                                 perfdata_error *error);

/* Hands out the report as the tool writes it with --json, schema perfdata.report. The text ends with a zero, which
 * *length does not count. It is made by the first call. */
PERFDATA_API perfdata_status perfdata_report_json(const perfdata_report *report, const char **text, size_t *length,
                                                  perfdata_error *error);
/* The same, watched and stopped by `control`, which may be null: it is told how many bytes are written. Since version 2. */
PERFDATA_API perfdata_status perfdata_report_json_watched(const perfdata_report *report,
                                                          const perfdata_control *control, const char **text,
                                                          size_t *length, perfdata_error *error);

#ifdef __cplusplus
}
#endif
#endif
