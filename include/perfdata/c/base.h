/* SPDX-License-Identifier: MIT */
/* What all of the C API has in common: status, errors, counts, progress and cancelling. Include perfdata/perfdata.h.
 *
 * HANDLES are made by functions that have a `_open`, `_new` or `_refresh` in their name, and freed by the `_free` of
 * their type. A handle is a number in the form of a pointer: it is looked up, never followed. Null, a handle that was
 * freed, one of another type and any other pointer give PERFDATA_INVALID_HANDLE. A handle keeps alive what it was made
 * of: free them in any order. Freeing null does nothing. A process that is forked has none of its parent's handles: they
 * give PERFDATA_INVALID_HANDLE there, and what they stood for is not released. It may make others at once, whatever other
 * threads of its parent were doing.
 *
 * STRINGS and arrays that are handed out belong to the handle that they were asked of and live until it is freed;
 * where they live shorter, the function says so. Strings are UTF-8 and end with a zero; bytes of a recording that are
 * no UTF-8, and zeros in it, are replaced by U+FFFD. Strings that are passed in are UTF-8, too, but for paths, which
 * are bytes. They are copied.
 *
 * STRUCTS begin with `size`, which the caller sets to sizeof of the struct, both of those that it passes and of those
 * that it has filled. Later versions add members at the end. Of options, members beyond `size` have their defaults, and
 * members that this library does not know are ignored; nothing is written beyond `size`. A size that ends in the middle
 * of a member, or that is less than that of version 1 for structs that are filled, gives PERFDATA_INVALID_ARGUMENT.
 * Zero is the default of every option: clear the struct, set its size, then what you want.
 *
 * THREADS: all functions may be called on any threads at once, with the same handles. A perfdata_samples handle is in
 * one place of its recording: while one thread reads it, others get PERFDATA_BUSY. A handle may be freed while another
 * thread is in a call with it: the call ends as if it had not been freed; but what it handed out is gone.
 *
 * CALLBACKS run on the thread that calls, unless it is said otherwise. They may call any function of this library, but
 * what the call around them is just reading is not there yet: who needs it gets PERFDATA_BUSY. These may:
 * perfdata_code_open, perfdata_code_at, and what reads samples or makes reports, heat and annotations with a
 * perfdata_code, in a callback of one of them with the same code, symbol cache or bundle. There let them have no `jobs`:
 * other threads would wait for the call around, and it for them. Callbacks must return: no longjmp. An exception that a
 * callback in C++ throws becomes PERFDATA_CALLBACK. With glibc a thread may end in them, but for `release`, or be
 * cancelled (pthread_exit, pthread_cancel): that ends the calls around, too, and frees what they hold. If it is a thread
 * of the library (`jobs`), the call returns PERFDATA_CALLBACK.
 *
 * No function prints, exits, throws or changes the state of the process; what is global is one table of handles. */
#ifndef PERFDATA_C_BASE_H
#define PERFDATA_C_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PERFDATA_API __attribute__((visibility("default")))
#else
#define PERFDATA_API
#endif

/* The version of this interface. It grows whenever something is added. The library says its own: see
 * perfdata_c_version(). Nothing is ever removed or changed while the library is called libperfdata-c.so.0. */
#define PERFDATA_C_VERSION 2

#ifdef __cplusplus
extern "C" {
#endif

/* perfdata_status is what every function returns that can fail. */
typedef int32_t perfdata_status;
enum {
    PERFDATA_END = -1, /* nothing failed: there are no more samples */
    PERFDATA_OK = 0,
    PERFDATA_IO = 1,             /* the operating system refused to open or read */
    PERFDATA_NOT_PERF_DATA = 2,  /* the input does not begin like a recording */
    PERFDATA_TRUNCATED = 3,      /* something extends beyond the end of its section or of the file */
    PERFDATA_MALFORMED = 4,      /* the bytes are there but contradict the format */
    PERFDATA_UNSUPPORTED = 5,    /* well formed, but this version does not read it */
    PERFDATA_LIMIT = 6,          /* a limit of the caller was reached */
    PERFDATA_MISSING = 7,        /* the recording does not contain what was requested */
    PERFDATA_MISMATCH = 8,       /* two sources contradict each other */
    PERFDATA_CANCELLED = 9,      /* the caller asked to stop */
    PERFDATA_OUT_OF_MEMORY = 10, /* more memory is needed than there is */
    PERFDATA_INVALID_ARGUMENT = 11,
    PERFDATA_INVALID_HANDLE = 12, /* null, freed, of another type, or none at all */
    PERFDATA_CALLBACK = 13,       /* a callback threw, or returned what it must not */
    PERFDATA_BUSY = 14,           /* another call uses this perfdata_samples handle; or see CALLBACKS */
    PERFDATA_INTERNAL = 15        /* a mistake in the library */
};

/* Returns the name of a status in lower case, "not_perf_data"; "unknown" for other numbers. It lives for ever. */
PERFDATA_API const char *perfdata_status_name(perfdata_status status);

/* Returns PERFDATA_C_VERSION of the library that runs, and its version as "0.2.0". */
PERFDATA_API uint32_t perfdata_c_version(void);
PERFDATA_API const char *perfdata_version(void);

/* perfdata_error::offset where there is none. */
#define PERFDATA_NO_OFFSET UINT64_MAX

/* perfdata_error says what went wrong and where. Every function takes a pointer to one, which may be null; it is
 * filled if the function fails, and left alone if not. */
typedef struct perfdata_error {
    size_t size;           /* set by the caller; if it is less than this struct has in version 1, nothing is filled */
    perfdata_status code;  /* what the function returns */
    uint32_t reserved;     /* 0 */
    uint64_t offset;       /* in the unpacked file; PERFDATA_NO_OFFSET if there is none */
    char section[128];     /* the file, section or record, cut if it is longer */
    char text[896];        /* what was found there, cut if it is longer */
} perfdata_error;

/* perfdata_count is the samples of one event at one place. Arrays of counts have one for each event of the handle that
 * they are asked of. */
typedef struct perfdata_count {
    uint64_t hits;    /* samples */
    uint64_t periods; /* sum of their periods; 2^64-1 if it is more */
} perfdata_count;

/* perfdata_cancel is a flag by which any thread stops calls that were given it. */
typedef struct perfdata_cancel perfdata_cancel;

/* Makes a flag that stops nothing yet. */
PERFDATA_API perfdata_status perfdata_cancel_new(perfdata_cancel **made, perfdata_error *error);
/* Stops all calls with this flag, at once and from now on: they return PERFDATA_CANCELLED. It may be called from
 * callbacks; from signal handlers not. */
PERFDATA_API perfdata_status perfdata_cancel_request(perfdata_cancel *cancel, perfdata_error *error);
/* Does not stop calls that have the flag: they keep it. */
PERFDATA_API perfdata_status perfdata_cancel_free(perfdata_cancel *cancel);

/* perfdata_progress is called from time to time with what a call is doing ("reading what ran"), and how much of it is
 * done. `all` is 0 if it is not known. One call at a time, but where several threads work on any of them. If it returns
 * anything but 0, the call stops: PERFDATA_CANCELLED. `stage` lives as long as the call of it. */
typedef int (*perfdata_progress)(void *user, const char *stage, uint64_t done, uint64_t all);

/* perfdata_control is how a call that may take long is watched and stopped. */
typedef struct perfdata_control {
    size_t size;
    perfdata_cancel *cancel;    /* null: cannot be cancelled */
    perfdata_progress progress; /* null: none */
    void *user;                 /* for `progress` */
} perfdata_control;

#ifdef __cplusplus
}
#endif
#endif
