/* SPDX-License-Identifier: MIT */
/* Code: who owned an address, when, and what it is called. Include perfdata/perfdata.h. */
#ifndef PERFDATA_C_CODE_H
#define PERFDATA_C_CODE_H

#include "perfdata/c/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

/* perfdata_code knows all code of a recording over time, with names, bytes and source lines. It never changes. */
typedef struct perfdata_code perfdata_code;

/* Bits of perfdata_code_options::flags. */
#define PERFDATA_OFFLINE 1u       /* use no file of this machine but those given here */
#define PERFDATA_ALLOW_LOCAL 2u   /* trust files of this machine by their names, where no build-id proves them */
#define PERFDATA_RAW_NAMES 4u     /* names of C++ and Rust as in the file, not as in the source */
#define PERFDATA_LOCAL_SOURCES 8u /* read texts of source lines at the paths in debug information */

/* perfdata_symbol_cache keeps what is read of files with code, so that opening several recordings of the same programs
 * reads each file once. It is given to perfdata_code_open(); what that makes keeps it alive. A file is the same if its
 * device, inode, size and time of change are. What is known of code does not depend on it. Since version 2. */
typedef struct perfdata_symbol_cache perfdata_symbol_cache;

/* perfdata_symbol_cache_options bounds what a cache keeps: the files go that were not used for the longest time. */
typedef struct perfdata_symbol_cache_options {
    size_t size;
    uint64_t bytes; /* of memory, about; 0: 512 MiB */
    uint64_t files; /* each stays open; 0: 256 */
} perfdata_symbol_cache_options;

/* Makes an empty cache. `options` may be null. */
PERFDATA_API perfdata_status perfdata_symbol_cache_new(const perfdata_symbol_cache_options *options,
                                                       perfdata_symbol_cache **made, perfdata_error *error);
/* Frees the handle. What was opened with it stays as it is. */
PERFDATA_API perfdata_status perfdata_symbol_cache_free(perfdata_symbol_cache *cache);
/* Drops all that no perfdata_code uses. */
PERFDATA_API perfdata_status perfdata_symbol_cache_clear(perfdata_symbol_cache *cache, perfdata_error *error);

/* perfdata_symbol_cache_info is what a cache keeps now. */
typedef struct perfdata_symbol_cache_info {
    size_t size;
    uint64_t bytes; /* of memory, about */
    uint64_t files; /* that are kept open */
} perfdata_symbol_cache_info;

/* Fills `info`. */
PERFDATA_API perfdata_status perfdata_symbol_cache_get_info(const perfdata_symbol_cache *cache,
                                                            perfdata_symbol_cache_info *info, perfdata_error *error);

/* perfdata_code_options are the options of the tool with these names. Strings may be null: not given. */
typedef struct perfdata_code_options {
    size_t size;
    const perfdata_control *control; /* null: neither watched nor stopped */
    uint64_t flags; /* PERFDATA_OFFLINE and others */
    uint64_t jobs; /* threads that load files; 0: one */
    const char *vmlinux;     /* the kernel's ELF file */
    const char *kallsyms;    /* a copy of /proc/kallsyms, of the recorded boot */
    const char *kcore;       /* a copy of /proc/kcore, of the recorded boot */
    const char *symfs;       /* a copy of the recorded machine's file system */
    const char *buildid_dir; /* a build-id cache, or a tar-ball of perf archive */
    const char *local_buildid_dir; /* of this machine's user, usually $HOME/.debug; null: none */
    const char *const *debug_dirs; /* directories with separate debug files */
    size_t debug_dir_count;        /* length of `debug_dirs` */
    const char *const *jitdumps;   /* jitdumps, besides those that are found */
    size_t jitdump_count;          /* length of `jitdumps` */
    const char *const *perf_maps;  /* perf-PID.map files, besides those that are found */
    size_t perf_map_count;         /* length of `perf_maps` */
    const char *const *source_dirs; /* where source files are searched */
    size_t source_dir_count;        /* length of `source_dirs` */
    const perfdata_symbol_cache *symbol_cache; /* since version 2; null: none */
} perfdata_code_options;

/* Reads what ran when, and opens what has names. That may take long. What is missing is no failure: see
 * perfdata_code_problem(). */
PERFDATA_API perfdata_status perfdata_code_open(const perfdata_recording *recording,
                                                const perfdata_code_options *options, perfdata_code **made,
                                                perfdata_error *error);
/* Frees the handle. */
PERFDATA_API perfdata_status perfdata_code_free(perfdata_code *code);

/* perfdata_code_info is how much a recording has. */
typedef struct perfdata_code_info {
    size_t size;
    uint64_t problem_count; /* see perfdata_code_problem() */
    uint64_t life_count;    /* see perfdata_code_life() */
    uint64_t mapping_count; /* recorded mappings of files in processes and the kernel */
    uint64_t thread_count;  /* lives of threads */
} perfdata_code_info;

/* Fills `info`. */
PERFDATA_API perfdata_status perfdata_code_get_info(const perfdata_code *code, perfdata_code_info *info,
                                                    perfdata_error *error);
/* Fills `problem` with a loss of reading, or with a file that could not be used and what would supply it. */
PERFDATA_API perfdata_status perfdata_code_problem(const perfdata_code *code, uint64_t index, perfdata_error *problem,
                                                   perfdata_error *error);

/* Modes of the CPU, as in the kernel's PERF_RECORD_MISC_CPUMODE. */
enum {
    PERFDATA_MODE_UNKNOWN = 0,
    PERFDATA_MODE_KERNEL = 1,
    PERFDATA_MODE_USER = 2,
    PERFDATA_MODE_HYPERVISOR = 3,
    PERFDATA_MODE_GUEST_KERNEL = 4,
    PERFDATA_MODE_GUEST_USER = 5
};

/* Kinds of code. */
enum {
    PERFDATA_KIND_UNKNOWN = 0,
    PERFDATA_KIND_KERNEL = 1,
    PERFDATA_KIND_MODULE = 2,
    PERFDATA_KIND_BPF = 3,
    PERFDATA_KIND_OUT_OF_LINE = 4, /* kprobe slots, ftrace trampolines */
    PERFDATA_KIND_USER = 5,
    PERFDATA_KIND_JIT = 6
};

/* perfdata_place is code at an address and a time. Its strings live as long as the handle that it was asked of. */
typedef struct perfdata_place {
    size_t size;
    const char *symbol;     /* empty: unknown; BPF code has the kernel's name */
    const char *name;       /* as in the source, "program/function" of BPF code; empty: unknown */
    const char *object;     /* a path, [kernel.kallsyms], [nf_nat], [bpf:5], the name of a jitdump; empty: unknown */
    const char *why;        /* why there is no symbol; empty if there is one */
    uint64_t kind;          /* PERFDATA_KIND_... */
    uint64_t offset;        /* of the address from the start of the function; without a symbol: in the object */
    uint64_t function_size; /* bytes; 0: unknown */
    uint64_t from, until;   /* when this code was there, in nanoseconds; 0 and UINT64_MAX: before and after the recording */
    uint64_t program;       /* id of the BPF program; 0: none */
} perfdata_place;

/* Says what lay at an address in a process at a time, in nanoseconds of the recording's clock, for code that runs in
 * that mode. It always has an answer: where nothing is known, `why` says why. */
PERFDATA_API perfdata_status perfdata_code_at(const perfdata_code *code, uint32_t pid, uint64_t address, uint64_t time,
                                              uint32_t mode, perfdata_place *place, perfdata_error *error);
/* The same, watched and stopped by `control`, which may be null: the first question about a file reads it, which may
 * take seconds. Since version 2. */
PERFDATA_API perfdata_status perfdata_code_at_watched(const perfdata_code *code, uint32_t pid, uint64_t address,
                                                      uint64_t time, uint32_t mode, const perfdata_control *control,
                                                      perfdata_place *place, perfdata_error *error);

/* Says what a thread was called at a time; empty if that is not known. */
PERFDATA_API perfdata_status perfdata_code_comm(const perfdata_code *code, uint32_t tid, uint64_t time,
                                                const char **comm, perfdata_error *error);

/* perfdata_life is code of the kernel that came and went: a function of a BPF program, or out-of-line code. */
typedef struct perfdata_life {
    size_t size;
    const char *symbol, *name, *object; /* as in perfdata_place */
    uint64_t kind;       /* PERFDATA_KIND_... */
    uint64_t address;    /* its first byte */
    uint64_t bytes;      /* of its code */
    uint64_t from;       /* when it was there first, in nanoseconds; 0: before the recording */
    uint64_t until;      /* when it was gone; UINT64_MAX: after the recording */
    uint64_t program;    /* id of the BPF program; 0: none */
    uint64_t subprogram; /* number of the function in it */
} perfdata_life;

/* index: below life_count, in order of registration. */
PERFDATA_API perfdata_status perfdata_code_life(const perfdata_code *code, uint64_t index, perfdata_life *life,
                                                perfdata_error *error);

#ifdef __cplusplus
}
#endif
#endif
