/* SPDX-License-Identifier: MIT */
/* Recordings: where their bytes come from, limits, events. Include perfdata/perfdata.h. */
#ifndef PERFDATA_C_RECORDING_H
#define PERFDATA_C_RECORDING_H

#include "perfdata/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* perfdata_recording is an open recording. It never changes. */
typedef struct perfdata_recording perfdata_recording;

/* perfdata_limits is how much one recording may cost. 0 is the default, for each member. docs/library.md and
 * perfdata/core/limits.hpp say what each is for. */
typedef struct perfdata_limits {
    size_t size;
    uint64_t section_bytes;        /* one feature section, held in memory */
    uint64_t unpacked_bytes;       /* a compressed input, unpacked */
    uint64_t zstd_window_bytes;    /* window of compressed records */
    uint64_t kallsyms_bytes;       /* a kallsyms file, unpacked */
    uint64_t perf_map_bytes;       /* a perf-PID.map, unpacked */
    uint64_t source_file_bytes;    /* all source files */
    uint64_t archived_files;       /* files in a packed build-id cache or a bundle */
    uint64_t events;               /* entries of the attr section */
    uint64_t ids;                  /* all event ids */
    uint64_t bpf_programs;         /* entries of BPF_PROG_INFO, and of BPF_BTF */
    uint64_t code_versions;        /* registered code ranges */
    uint64_t text_patches;         /* changes of kernel text */
    uint64_t text_patch_bytes;     /* old and new bytes of all of them */
    uint64_t function_bytes;       /* code of one function, held in memory */
    uint64_t listed_instructions;  /* of one listing; all listings: four times as many */
    uint64_t task_records;         /* process and mapping records */
    uint64_t places;               /* distinct addresses that samples are counted by */
    uint64_t chain_nodes;          /* distinct prefixes of call chains */
    uint64_t cells;                /* counts, one per event */
    uint64_t cfi_entries;          /* entries of a file's call frame information, read at once */
    uint64_t cfi_row_instructions; /* its instructions that are run to find one row */
    uint64_t diagnostics;          /* problems that are kept; the rest are only counted */
} perfdata_limits;

/* Fills limits with the defaults, lowered so that the library holds about `bytes` at most; 0: the defaults as they are.
 */
PERFDATA_API perfdata_status perfdata_limits_within(uint64_t bytes, perfdata_limits *limits, perfdata_error *error);

/* perfdata_open_options: zeros are the defaults. */
typedef struct perfdata_open_options {
    size_t size;
    const perfdata_limits *limits;   /* null: the defaults */
    const perfdata_control *control; /* since version 2; null: neither watched nor stopped */
} perfdata_open_options;

/* Opens a file, a directory of perf record, a bundle of perfdata collect, or standard input ("-"). It reads the
 * header, not the records; but input
 * that is packed as a whole, and a pipe, is unpacked or copied to a temporary file, which may take long: `control` is
 * told how many bytes of it were read, and stops it, also while a pipe has nothing to read. `options` may be null. *made is null if it fails. Damage that leaves something to read is no failure: see perfdata_recording_problem(). */
PERFDATA_API perfdata_status perfdata_recording_open(const char *path, const perfdata_open_options *options,
                                                     perfdata_recording **made, perfdata_error *error);

/* Opens a recording of `count` bytes in memory. It is copied. */
PERFDATA_API perfdata_status perfdata_recording_open_memory(const void *bytes, size_t count,
                                                            const perfdata_open_options *options,
                                                            perfdata_recording **made, perfdata_error *error);

/* perfdata_read_at reads up to `count` bytes at `offset`, and returns how many it has written to `out`: 0 only at the
 * end, and anything negative if it failed. It may return fewer than it was asked for: it is asked again for the rest.
 * It is called on whichever threads read the recording, on several at once if several do. */
typedef int64_t (*perfdata_read_at)(void *user, uint64_t offset, void *out, size_t count);

/* perfdata_source is an input that the caller reads: a remote file, or one in an archive. It may be packed. */
typedef struct perfdata_source {
    size_t size;
    uint64_t bytes;             /* of the input */
    perfdata_read_at read_at;   /* must be given */
    void *user;                 /* for `read_at` and `release` */
    void (*release)(void *user); /* called once nothing reads the input any more; null: not needed */
    const char *name;           /* for messages; null: "source" */
} perfdata_source;

/* Opens a recording that is read by a callback. `source` is copied. Its `release` is called when the last handle that
 * was made of the recording is freed, on that thread; if opening fails, before it returns; not if it returns
 * PERFDATA_INVALID_ARGUMENT. A read that fails or claims too much while the header is read fails this call; later ones
 * are damage. */
PERFDATA_API perfdata_status perfdata_recording_open_source(const perfdata_source *source,
                                                            const perfdata_open_options *options,
                                                            perfdata_recording **made, perfdata_error *error);

/* Opens the same file again, as it is now, with the same limits: a recording that still grows has more samples then.
 * The old handle, and all that was made of it, stays as it is. PERFDATA_UNSUPPORTED if it was not opened by a path,
 * or is in a bundle of perfdata collect. */
PERFDATA_API perfdata_status perfdata_recording_refresh(const perfdata_recording *recording, perfdata_recording **made,
                                                        perfdata_error *error);
/* The same, watched and stopped by `control`, which may be null: see perfdata_recording_open(). Since version 2. */
PERFDATA_API perfdata_status perfdata_recording_refresh_watched(const perfdata_recording *recording,
                                                                const perfdata_control *control,
                                                                perfdata_recording **made, perfdata_error *error);

/* Frees the handle. What was made of the recording stays usable. */
PERFDATA_API perfdata_status perfdata_recording_free(perfdata_recording *recording);

/* perfdata_recording_info: texts are empty where the recording does not have them. */
typedef struct perfdata_recording_info {
    size_t size;
    uint64_t bytes;         /* of all of its files, unpacked */
    uint64_t event_count;   /* see perfdata_recording_event() */
    uint64_t problem_count; /* see perfdata_recording_problem() */
    uint64_t big_endian;    /* 1: the recorded machine was */
    uint64_t interrupted;   /* 1: the recorder did not finish, or has not yet */
    const char *path;         /* as it was opened; the name of a source */
    const char *arch;         /* as `uname -m` says it */
    const char *hostname;     /* of the recorded machine */
    const char *os_release;   /* of its kernel */
    const char *perf_version; /* of the perf that recorded */
    const char *cpu;          /* what it calls itself */
} perfdata_recording_info;

/* Fills `info`. */
PERFDATA_API perfdata_status perfdata_recording_get_info(const perfdata_recording *recording,
                                                         perfdata_recording_info *info, perfdata_error *error);

/* perfdata_event is a counted event. */
typedef struct perfdata_event {
    size_t size;
    const char *name;      /* unique in the recording */
    const char *perf_name; /* as given to perf record; not unique */
    uint64_t type;         /* of perf_event_attr */
    uint64_t config;       /* of perf_event_attr */
    uint64_t period;       /* samples are taken each so many events; with is_frequency: so often per second */
    uint64_t is_frequency; /* 1: the kernel adapts the period */
    uint64_t sample_type; /* PERF_SAMPLE_... */
} perfdata_event;

/* Fills `event`. index: below event_count. PERFDATA_INVALID_ARGUMENT if not. */
PERFDATA_API perfdata_status perfdata_recording_event(const perfdata_recording *recording, uint64_t index,
                                                      perfdata_event *event, perfdata_error *error);

/* Fills `problem` with one of the losses that opening met. index: below problem_count. */
PERFDATA_API perfdata_status perfdata_recording_problem(const perfdata_recording *recording, uint64_t index,
                                                        perfdata_error *problem, perfdata_error *error);

#ifdef __cplusplus
}
#endif
#endif
