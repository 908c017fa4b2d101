/* SPDX-License-Identifier: MIT */
/* Samples: one by one, or many in one call. Which samples count. Include perfdata/perfdata.h. */
#ifndef PERFDATA_C_SAMPLES_H
#define PERFDATA_C_SAMPLES_H

#include "perfdata/c/code.h"

#ifdef __cplusplus
extern "C" {
#endif

/* perfdata_time_range has both ends, in nanoseconds: `from` is not more than `until`. */
typedef struct perfdata_time_range {
    uint64_t from;  /* the first nanosecond of it */
    uint64_t until; /* the last one */
} perfdata_time_range;

/* perfdata_filter passes the samples that pass each of its lists; an empty list passes all. A list has a million
 * entries at most. */
typedef struct perfdata_filter {
    size_t size;
    const uint32_t *events; /* indices of perfdata_recording_event(); counts have one column for each, in this order */
    size_t event_count;     /* length of `events` */
    const perfdata_time_range *times; /* a sample passes that was taken in one of them */
    size_t time_count;                /* length of `times` */
    const uint32_t *pids;             /* processes */
    size_t pid_count;                 /* length of `pids` */
    const uint32_t *tids;             /* threads */
    size_t tid_count;                 /* length of `tids` */
    const uint32_t *cpus;             /* numbers of CPUs */
    size_t cpu_count;                 /* length of `cpus` */
    const char *const *comms;         /* names of threads at the time of the sample */
    size_t comm_count;                /* length of `comms` */
    const char *const *objects; /* of the sampled code; `/usr/lib/libc.so.6`, or the last part of the path */
    size_t object_count;        /* length of `objects` */
    const char *const *symbols; /* of the sampled code */
    size_t symbol_count;        /* length of `symbols` */
    uint64_t kinds; /* bits 1 << PERFDATA_KIND_... of the sampled code; 0: all */
} perfdata_filter;

/* perfdata_samples is a place in the samples of a recording. */
typedef struct perfdata_samples perfdata_samples;

/* Values of perfdata_samples_options::order. */
enum {
    PERFDATA_ORDER_FILE = 0, /* as they lie in the file; takes no memory */
    PERFDATA_ORDER_TIME = 1  /* exactly by time; takes memory for the disorder of the file */
};

/* perfdata_samples_options: zeros are the defaults. */
typedef struct perfdata_samples_options {
    size_t size;
    const perfdata_control *control; /* of opening and of every call that reads; `user` must live as long as the handle */
    const perfdata_filter *filter;   /* null: all */
    uint64_t order;                  /* PERFDATA_ORDER_... */
    /* Of the same recording: each sample then has its function, see perfdata_samples_place(). A filter by comms,
     * objects, symbols or kinds needs it. Null: functions are not looked up. */
    const perfdata_code *code;
} perfdata_samples_options;

/* Opens the samples of a recording before its first. A profile file has none: it is refused. To order them by time
 * takes a pass over it. `options` may be null. *made is null if it fails. A sample with counter values (leader
 * sampling, perf record -e '{a,b}:S') is read once for each counter that grew, with the counter's event, and what it
 * grew by as its period. Without `code` the number of a thread stands for the thread: the values of a new one with the
 * number of one that is gone are compared with those of the old one. */
PERFDATA_API perfdata_status perfdata_samples_open(const perfdata_recording *recording,
                                                   const perfdata_samples_options *options, perfdata_samples **made,
                                                   perfdata_error *error);
/* Frees the handle. */
PERFDATA_API perfdata_status perfdata_samples_free(perfdata_samples *samples);

/* Bits of perfdata_sample::fields: what was recorded. Members that were not are 0, and pid, tid and cpu all ones. */
#define PERFDATA_HAS_TIME 1u          /* `time` */
#define PERFDATA_HAS_ADDRESS 2u       /* `address` */
#define PERFDATA_HAS_TASK 4u          /* `pid` and `tid` */
#define PERFDATA_HAS_CPU 8u           /* `cpu` */
#define PERFDATA_HAS_DATA_ADDRESS 16u /* `data_address` */
#define PERFDATA_HAS_CHAIN 32u        /* a call chain, see perfdata_samples_chain() */
#define PERFDATA_EXACT 64u /* `address` is the very instruction that caused the event */

/* perfdata_sample::function of samples that have none. */
#define PERFDATA_NO_FUNCTION UINT32_MAX

/* perfdata_sample is one sample. It has no member `size`: see perfdata_samples_read(). */
typedef struct perfdata_sample {
    uint64_t offset;       /* of its record in the file; for one that was packed: of the record that holds it */
    uint64_t time;         /* nanoseconds; of an event that keeps no time: that of the latest record before it */
    uint64_t address;      /* of the interrupted instruction */
    uint64_t period;       /* how many occurrences of the event the sample stands for */
    uint64_t data_address; /* PERF_SAMPLE_ADDR */
    uint32_t pid;    /* process */
    uint32_t tid;    /* thread */
    uint32_t cpu;    /* number of the CPU */
    uint32_t event;  /* index of perfdata_recording_event() */
    uint32_t mode;   /* PERFDATA_MODE_... */
    uint32_t fields; /* PERFDATA_HAS_... */
    uint32_t function; /* number for perfdata_samples_place(); PERFDATA_NO_FUNCTION without code */
    uint32_t chain;    /* addresses in its call chain */
} perfdata_sample;

/* Fills up to `capacity` samples, and sets *count to how many it filled. `item_size` is sizeof(perfdata_sample) of the
 * caller: each sample takes so many bytes. Returns PERFDATA_END, and *count is 0, once there are no more. If it fails or
 * is stopped in the middle, *count says how many it filled before. A handle that was stopped stays stopped. */
PERFDATA_API perfdata_status perfdata_samples_read(perfdata_samples *samples, perfdata_sample *items, size_t item_size,
                                                   size_t capacity, size_t *count, perfdata_error *error);

/* perfdata_frame is one address of a call chain. */
typedef struct perfdata_frame {
    uint64_t address; /* of a caller: where the call returns to */
    uint32_t mode;    /* PERFDATA_MODE_... */
    uint32_t reserved; /* 0 */
} perfdata_frame;

/* Hands out the call chain of the last sample that was read, innermost first, with its deferred part. Stacks that were
 * copied are not unwound here. The frames live until the next call with this handle. PERFDATA_MISSING before the first
 * sample, and once perfdata_samples_read() has returned PERFDATA_END. */
PERFDATA_API perfdata_status perfdata_samples_chain(perfdata_samples *samples, const perfdata_frame **frames,
                                                    size_t *count, perfdata_error *error);

/* Says which function a number stands for. Numbers count from 0 and stay as they are; place.offset is 0. */
PERFDATA_API perfdata_status perfdata_samples_place(perfdata_samples *samples, uint32_t function,
                                                    perfdata_place *place, perfdata_error *error);

/* perfdata_samples_state counts what was read up to now. */
typedef struct perfdata_samples_state {
    size_t size;
    uint64_t read;           /* samples that were handed out so far */
    uint64_t filtered;       /* samples that the filter left out so far */
    uint64_t damaged;        /* samples that could not be decoded so far */
    uint64_t function_count; /* functions so far */
    uint64_t problem_count;  /* losses of reading so far, all of them; see perfdata_samples_problem() */
} perfdata_samples_state;

/* Fills `state`. */
PERFDATA_API perfdata_status perfdata_samples_get_state(perfdata_samples *samples, perfdata_samples_state *state,
                                                        perfdata_error *error);
/* Fills `problem` with a loss of reading. PERFDATA_MISSING if it was counted, but not kept: see perfdata_limits. */
PERFDATA_API perfdata_status perfdata_samples_problem(perfdata_samples *samples, uint64_t index,
                                                      perfdata_error *problem, perfdata_error *error);

#ifdef __cplusplus
}
#endif
#endif
