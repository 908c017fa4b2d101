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
    uint64_t section_bytes, unpacked_bytes, zstd_window_bytes, kallsyms_bytes, perf_map_bytes, source_file_bytes;
    uint64_t archived_files, events, ids, bpf_programs, code_versions, text_patches, text_patch_bytes, function_bytes;
    uint64_t listed_instructions, task_records, places, chain_nodes, cells, cfi_entries, cfi_row_instructions;
    uint64_t diagnostics;
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

/* Opens a file, a directory of perf record, or standard input ("-"). It reads the header, not the records; but input
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
 * The old handle, and all that was made of it, stays as it is. PERFDATA_UNSUPPORTED if it was not opened by a path. */
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
    const char *path, *arch, *hostname, *os_release, *perf_version, *cpu;
} perfdata_recording_info;

PERFDATA_API perfdata_status perfdata_recording_get_info(const perfdata_recording *recording,
                                                         perfdata_recording_info *info, perfdata_error *error);

typedef struct perfdata_event {
    size_t size;
    const char *name;      /* unique in the recording */
    const char *perf_name; /* as given to perf record; not unique */
    uint64_t type, config; /* of perf_event_attr */
    uint64_t period;       /* samples are taken each so many events; with is_frequency: so often per second */
    uint64_t is_frequency;
    uint64_t sample_type; /* PERF_SAMPLE_... */
} perfdata_event;

/* index: below event_count. PERFDATA_INVALID_ARGUMENT if not. */
PERFDATA_API perfdata_status perfdata_recording_event(const perfdata_recording *recording, uint64_t index,
                                                      perfdata_event *event, perfdata_error *error);

/* Fills `problem` with one of the losses that opening met. index: below problem_count. */
PERFDATA_API perfdata_status perfdata_recording_problem(const perfdata_recording *recording, uint64_t index,
                                                        perfdata_error *problem, perfdata_error *error);

#ifdef __cplusplus
}
#endif
#endif
