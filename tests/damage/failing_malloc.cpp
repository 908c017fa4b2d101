// SPDX-License-Identifier: MIT
// Loaded by LD_PRELOAD, runs a program's main() repeatedly, each time in a new process with another allocation failing.
// It replaces the C library's functions, so that every library is affected. Results go to stderr. The exit status is 1
// if a run ended by a signal, with an undocumented exit status, or silently with a different answer. Environment:
//
//   FAILING_RUNS N     at most about N runs of each kind, 0: all
//   FAILING_ONLY N     only the allocation of this number, counted from 1
//   FAILING_SKIPS_SETUP  skip the allocations that the program makes without arguments
//   FAILING_IN_LOADER    the system's loader may end the process, with 127
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

// Shared between the runner and the runs.
struct Counters {
    std::uint64_t count = 0, failed = 0;
};
Counters* counters = nullptr;  // null: do not count
std::uint64_t fail_from = 0, fail_until = 0;

bool fails() {
    if (counters == nullptr) return false;
    const auto number = __atomic_add_fetch(&counters->count, 1, __ATOMIC_RELAXED);
    if (number < fail_from || number >= fail_until) return false;
    __atomic_add_fetch(&counters->failed, 1, __ATOMIC_RELAXED);
    errno = ENOMEM;
    return true;
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

struct Run {
    int status = 0;  // see waitpid(2)
    std::size_t out = 0, err = 0;
    std::uint64_t sum = 0;  // checksum of stdout
    char message[200] = {};
};

std::uint64_t sum_of(int fd, std::size_t& size) {
    char block[65536];
    std::uint64_t sum = 0xcbf29ce484222325;
    size = 0;
    ::lseek(fd, 0, SEEK_SET);
    for (ssize_t got = 0; (got = ::read(fd, block, sizeof block)) > 0;) {
        for (ssize_t at = 0; at < got; ++at) sum = (sum ^ static_cast<unsigned char>(block[at])) * 0x100000001b3;
        size += static_cast<std::size_t>(got);
    }
    return sum;
}

Run run(int argc, char** argv, char** environment, std::uint64_t from, std::uint64_t until, unsigned seconds) {
    Run result;
    const int out = ::memfd_create("out", 0), err = ::memfd_create("err", 0);
    counters->count = counters->failed = 0;
    const auto child = ::fork();
    if (child == 0) {
        ::dup2(out, 1);
        ::dup2(err, 2);
        ::close(out);
        ::close(err);
        const ::rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::alarm(seconds);
        fail_from = from;
        fail_until = until;
        std::exit(real_main(argc, argv, environment));
    }
    ::waitpid(child, &result.status, 0);
    result.sum = sum_of(out, result.out);
    sum_of(err, result.err);
    ::lseek(err, 0, SEEK_SET);
    if (::read(err, result.message, sizeof result.message - 1) > 0) {
        if (auto* end = std::strchr(result.message, '\n')) *end = 0;
    }
    ::close(out);
    ::close(err);
    return result;
}

int runs(int argc, char** argv, char** environment) {
    const char* wanted = std::getenv("FAILING_RUNS");
    if (wanted == nullptr) return real_main(argc, argv, environment);
    ::unsetenv("LD_PRELOAD");
    const auto most = std::strtoull(wanted, nullptr, 10);
    counters = static_cast<Counters*>(
        ::mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    constexpr unsigned patience = 60;
    const auto whole = run(argc, argv, environment, 1, 0, patience);
    const auto allocations = counters->count;
    if (!WIFEXITED(whole.status)) {
        ::dprintf(2, "dies with all the memory it wants\n");
        return 1;
    }
    std::uint64_t first = 1;
    if (std::getenv("FAILING_SKIPS_SETUP") != nullptr) {
        (void)run(1, argv, environment, 1, 0, patience);
        first = counters->count < allocations ? counters->count : 1;
    }
    const char* only = std::getenv("FAILING_ONLY");
    const bool in_loader = std::getenv("FAILING_IN_LOADER") != nullptr;
    if (only != nullptr) first = std::strtoull(only, nullptr, 10);
    const auto wanted_runs = allocations - first + 1;
    const auto step = only != nullptr || most == 0 || wanted_runs <= most ? 1 : (wanted_runs + most - 1) / most;
    std::uint64_t all = 0, bad = 0, errors = 0;
    for (const bool for_good : {false, true}) {
        for (auto number = first; number <= allocations; number += step) {
            const auto got = run(argc, argv, environment, number, for_good ? ~std::uint64_t{0} : number + 1, patience);
            ++all;
            const char* wrong = nullptr;
            const int status = WIFEXITED(got.status) ? WEXITSTATUS(got.status) : -1;
            if (status < 0) {
                wrong = WTERMSIG(got.status) == SIGALRM ? "hangs" : "dies of a signal";
            } else if (status == 127 && in_loader) {
                ++errors;
            } else if (status > 3 || (status == 2 && WEXITSTATUS(whole.status) != 2)) {
                wrong = "ends with an exit status of something else";
            } else if (status == 1 && got.err == 0) {
                wrong = "fails without a word";
            } else if (status != 1 && got.sum != whole.sum && got.err == 0) {
                wrong = "answers something else without a word";
            }
            if (status == 1) ++errors;
            if (wrong != nullptr && ++bad <= 20) {
                ::dprintf(2, "allocation %llu of %llu%s fails: %s (%d) %s\n", static_cast<unsigned long long>(number),
                          static_cast<unsigned long long>(allocations), for_good ? " and all after it" : "", wrong,
                          status < 0 ? WTERMSIG(got.status) : status, got.message);
            }
            if (only != nullptr) {
                ::dprintf(2, "%s: status %x, %s\n", for_good ? "for good" : "once", got.status, got.message);
                break;
            }
        }
    }
    ::dprintf(2, "%llu allocations, %llu runs, %llu of them ended in an error, %llu wrong\n",
              static_cast<unsigned long long>(allocations), static_cast<unsigned long long>(all),
              static_cast<unsigned long long>(errors), static_cast<unsigned long long>(bad));
    return bad != 0 ? 1 : 0;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) {
    return fails() ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    return fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
    return fails() ? nullptr : __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    *memory = fails() ? nullptr : __libc_memalign(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*linker)(), void* end) {
    real_main = main;
    using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
    const auto start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
    return start(runs, argc, argv, init, fini, linker, end);
}
}
