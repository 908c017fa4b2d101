// SPDX-License-Identifier: MIT
#include "core/platform.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <poll.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

#include "core/platform_heap.hpp"

namespace perfdata::platform {
namespace {

template <class Call>
auto retried(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

// problem(result) returns 0, or the errno of a call that failed.
int problem(int result) {
    return result == 0 ? 0 : errno;
}

Answer<Descriptor> opened(int fd) {
    if (fd < 0) return std::unexpected(errno);
    return Descriptor(fd);
}

Answer<std::size_t> counted(ssize_t count) {
    if (count < 0) return std::unexpected(errno);
    return static_cast<std::size_t>(count);
}

FileKind kind_of(::mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFREG: return FileKind::regular;
        case S_IFDIR: return FileKind::directory;
        case S_IFLNK: return FileKind::link;
        case S_IFCHR: return FileKind::character_device;
        case S_IFSOCK: return FileKind::socket;
        case S_IFIFO: return FileKind::fifo;
        default: return FileKind::other;
    }
}

template <class Call>
Answer<FileStatus> status_by(Call call) {
    struct stat found {};
    if (call(found) != 0) return std::unexpected(errno);
    constexpr ::mode_t permissions = 07777;
    return FileStatus{
        .kind = kind_of(found.st_mode),
        .as_written = found.st_mtim.tv_sec == found.st_ctim.tv_sec && found.st_mtim.tv_nsec == found.st_ctim.tv_nsec,
        .device = found.st_dev,
        .inode = found.st_ino,
        .size = static_cast<std::uint64_t>(found.st_size),
        .links = found.st_nlink,
        .owner = found.st_uid,
        .group = found.st_gid,
        .permissions = found.st_mode & permissions,
        .seconds = found.st_mtim.tv_sec,
        .nanoseconds = found.st_mtim.tv_nsec};
}

int flags_of(const OpenMode& mode) {
    constexpr std::array access{O_RDONLY, O_WRONLY, O_RDWR, O_PATH};
    int flags = access[static_cast<std::size_t>(mode.what)] | O_CLOEXEC;
    if (mode.what != OpenMode::For::place) flags |= O_NOCTTY;
    if (mode.directory) flags |= O_DIRECTORY;
    if (mode.no_link) flags |= O_NOFOLLOW;
    if (mode.no_wait) flags |= O_NONBLOCK;
    if (mode.cut) flags |= O_TRUNC;
    if (mode.append) flags |= O_APPEND;
    if (mode.fresh) flags |= O_CREAT | O_EXCL;
    return flags;
}

}  // namespace

std::expected<Library, std::string> Library::load(const char* name) {
    if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return Library(handle);
    const char* const why = dlerror();
    return std::unexpected(std::string(why != nullptr ? why : name));
}

Library::~Library() {
    if (handle_ != nullptr) dlclose(handle_);
}

void* Library::find(const char* name) const {
    return dlsym(handle_, name);
}

int Descriptor::close() noexcept {
    if (fd_ < 0) return 0;
    const int result = ::close(std::exchange(fd_, -1));
    return result == 0 || errno == EINTR ? 0 : errno;
}

DeviceNumbers device_numbers(std::uint64_t device) {
    return {major(static_cast<dev_t>(device)), minor(static_cast<dev_t>(device))};
}

Answer<FileStatus> status(int fd) {
    return status_by([&](struct stat& found) { return ::fstat(fd, &found); });
}

Answer<FileStatus> status(const std::string& path) {
    return status_by([&](struct stat& found) { return ::stat(path.c_str(), &found); });
}

Answer<FileStatus> link_status(const std::string& path) {
    return status_by([&](struct stat& found) { return ::lstat(path.c_str(), &found); });
}

Answer<Descriptor> open(const std::string& path, const OpenMode& mode, std::uint32_t permissions) {
    return opened(retried([&] { return ::open(path.c_str(), flags_of(mode), permissions); }));
}

Answer<Descriptor> open_at(int directory, const std::string& name, const OpenMode& mode) {
    return opened(retried([&] { return ::openat(directory, name.c_str(), flags_of(mode)); }));
}

namespace {

Answer<Descriptor> place_of(int directory, const std::string& path, std::uint64_t resolve) {
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = resolve;
    const auto fd = retried([&] { return ::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how); });
    return opened(static_cast<int>(fd));
}

}  // namespace

Answer<Descriptor> open_place(const std::string& path) {
    return place_of(AT_FDCWD, path, RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
}

Answer<Descriptor> open_place_within(int root, const std::string& path) {
    return place_of(root, path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

Answer<Descriptor> reopen_for_reading(int fd) {
    return open("/proc/self/fd/" + std::to_string(fd), {.no_wait = true});
}

Answer<Descriptor> duplicate(int fd, int least) {
    return opened(::fcntl(fd, F_DUPFD_CLOEXEC, least));
}

Answer<Descriptor> connect(const std::string& path) {
    ::sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return std::unexpected(ENAMETOOLONG);
    std::memcpy(address.sun_path, path.data(), path.size());
    auto made = opened(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!made) return made;
    const auto* to = reinterpret_cast<const ::sockaddr*>(&address);
    if (retried([&] { return ::connect(made->get(), to, sizeof address); }) != 0) return std::unexpected(errno);
    return made;
}

Answer<Descriptor> unnamed_file(const std::string& directory) {
    std::string name = directory + "/perfdata-XXXXXX";
    auto made = opened(::mkostemp(name.data(), O_CLOEXEC));
    if (made) ::unlink(name.c_str());
    return made;
}

Answer<std::string> link_target(int link) {
    std::array<char, PATH_MAX> target;
    const auto size = counted(::readlinkat(link, "", target.data(), target.size()));
    if (!size) return std::unexpected(size.error());
    if (*size == target.size()) return std::unexpected(ENAMETOOLONG);
    return std::string(target.data(), *size);
}

Answer<std::uint32_t> file_system(int fd) {
    struct statfs found {};
    if (::fstatfs(fd, &found) != 0) return std::unexpected(errno);
    return static_cast<std::uint32_t>(found.f_type);
}

Answer<std::uint32_t> generation(int fd) {
    std::uint32_t found = 0;  // an int, whatever the type in the number of the call says
    if (::ioctl(fd, FS_IOC_GETVERSION, &found) != 0) return std::unexpected(errno);
    return found;
}

bool has_access_list(int fd) {
    const auto place = "/proc/self/fd/" + std::to_string(fd);
    if (::getxattr(place.c_str(), "system.posix_acl_access", nullptr, 0) >= 0) return true;
    return errno != ENODATA && errno != ENOTSUP;
}

Answer<bool> is_nosuid(int fd) {
    struct statvfs found {};
    if (::fstatvfs(fd, &found) != 0) return std::unexpected(errno);
    return (found.f_flag & ST_NOSUID) != 0;
}

Answer<bool> can_write(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0) return std::unexpected(errno);
    return (flags & O_ACCMODE) != O_RDONLY;
}

int may(Access access, const std::string& path) {
    constexpr std::array bits{R_OK, W_OK, X_OK, W_OK | X_OK};
    return problem(::faccessat(AT_FDCWD, path.c_str(), bits[static_cast<std::size_t>(access)], AT_EACCESS));
}

Answer<std::size_t> read(int fd, std::span<std::byte> out) {
    return counted(retried([&] { return ::read(fd, out.data(), out.size()); }));
}

Answer<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> out) {
    return counted(retried([&] { return ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset)); }));
}

bool wait_for_input(int fd, int milliseconds) {
    ::pollfd input{fd, POLLIN, 0};
    return retried([&] { return ::poll(&input, 1, milliseconds); }) != 0;
}

Answer<std::uint64_t> next_data(int fd, std::uint64_t offset) {
    const auto found = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
    if (found < 0) return std::unexpected(errno);
    return static_cast<std::uint64_t>(found);
}

int write_all(int fd, std::string_view text, int patience) noexcept {
    while (!text.empty()) {
        const auto written = retried([&] { return ::write(fd, text.data(), text.size()); });
        if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
            continue;
        }
        if (written == 0) return EIO;
        if (errno != EAGAIN && errno != EWOULDBLOCK) return errno;
        ::pollfd room{fd, POLLOUT, 0};
        const int ready = retried([&] { return ::poll(&room, 1, patience); });
        if (ready == 0) return EAGAIN;
        if (ready < 0) return errno;
    }
    return 0;
}

int cut(int fd) {
    return problem(retried([&] { return ::ftruncate(fd, 0); }));
}

int set_owner(int fd, std::uint32_t owner, std::uint32_t group) {
    return problem(::fchown(fd, owner, group));
}

int set_permissions(int fd, std::uint32_t permissions) {
    return problem(::fchmod(fd, permissions));
}

void copy_attributes(int from, int to) {
    const auto is_kept = [](std::string_view name) {
        return name.starts_with("user.") || name == "system.posix_acl_access" || name == "security.selinux";
    };
    std::vector<char> names(std::size_t{64} << 10), value(std::size_t{64} << 10);
    const auto size = ::flistxattr(from, names.data(), names.size());
    for (ssize_t at = 0; at < size;) {
        const char* name = names.data() + at;
        at += static_cast<ssize_t>(std::strlen(name)) + 1;
        if (!is_kept(name)) continue;
        const auto got = ::fgetxattr(from, name, value.data(), value.size());
        if (got >= 0) (void)::fsetxattr(to, name, value.data(), static_cast<std::size_t>(got), 0);
    }
}

int rename(const std::string& from, const std::string& to) {
    return problem(::rename(from.c_str(), to.c_str()));
}

void remove(const char* path) noexcept {
    ::unlink(path);
}

char* map_zeros(std::uint64_t size) {
    if (size > SIZE_MAX) return nullptr;
    auto* pages = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? nullptr : static_cast<char*>(pages);
}

void unmap(char* pages, std::size_t size) {
    ::munmap(pages, size);
}

void fill_pages([[maybe_unused]] char* begin, [[maybe_unused]] std::size_t size) noexcept {
#ifdef MADV_POPULATE_WRITE
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto from = reinterpret_cast<std::uintptr_t>(begin) / page * page;
    const auto to = (reinterpret_cast<std::uintptr_t>(begin) + size + page - 1) / page * page;
    const int before = errno;
    (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_POPULATE_WRITE);
    errno = before;
#endif
}

void give_back_memory() noexcept {
#if defined(__GLIBC__)
    (void)::malloc_trim(0);
#endif
}

void take_heap_in_steps([[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__GLIBC__)
    // Setting one of them stops malloc() from moving the others. It accepts no more than 32 MiB for blocks.
    const bool few = bytes == 0;
    ::mallopt(M_TOP_PAD, few ? 128 << 10 : static_cast<int>(bytes));
    ::mallopt(M_MMAP_THRESHOLD, few ? 1 << 20 : 32 << 20);
    ::mallopt(M_TRIM_THRESHOLD, few ? 2 << 20 : 128 << 20);
#endif
}

void share_heaps([[maybe_unused]] unsigned number) noexcept {
#if defined(__GLIBC__)
    ::mallopt(M_ARENA_MAX, static_cast<int>(number));
#endif
}

std::uintptr_t heap_end() noexcept {
#if defined(__GLIBC__)
    return reinterpret_cast<std::uintptr_t>(::sbrk(0));
#else
    return 0;
#endif
}

bool is_space_limited() noexcept {
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        ::rlimit limit{};
        if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return true;
    }
    return false;
}

bool ask_huge_pages([[maybe_unused]] std::uintptr_t begin, [[maybe_unused]] std::uintptr_t end) noexcept {
#if defined(MADV_HUGEPAGE)
    const auto before = errno;
    // ENOMEM: some of it is not mapped. The rest has been asked for.
    const bool asked = ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE) == 0 || errno == ENOMEM;
    errno = before;
    return asked;
#else
    return false;
#endif
}

std::optional<StackExtent> stack_of_this_thread() {
#ifdef __GLIBC__
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {};
    void* begin = nullptr;
    std::size_t size = 0;
    const bool known = ::pthread_attr_getstack(&attributes, &begin, &size) == 0;
    ::pthread_attr_destroy(&attributes);
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    if (known) return StackExtent{first, first + size};
#endif
    return {};
}

namespace {

struct StackCall {
    void (*call)(void*);
    void* argument;
};

extern "C" void* perfdata_run_on_stack(void* opaque) {
    const auto& made = *static_cast<StackCall*>(opaque);
    made.call(made.argument);
    return nullptr;
}

}  // namespace

bool run_on_stack(std::size_t bytes, void (*call)(void*), void* argument) {
    pthread_attr_t attributes;
    if (::pthread_attr_init(&attributes) != 0) return false;
    StackCall made{call, argument};
    pthread_t thread{};
    // The new thread blocks all signals: they are for the program's own threads.
    sigset_t all, before;
    ::sigfillset(&all);
    const bool masked = ::pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    const bool started = ::pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                         ::pthread_create(&thread, &attributes, perfdata_run_on_stack, &made) == 0;
    if (masked) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_attr_destroy(&attributes);
    if (started) ::pthread_join(thread, nullptr);
    return started;
}

int at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
    return ::pthread_atfork(before, in_parent, in_child);
}

bool random_bytes(std::span<std::byte> out) {
    // Up to 256 bytes come completely or not at all.
    return ::getrandom(out.data(), out.size(), GRND_NONBLOCK) == static_cast<ssize_t>(out.size());
}

std::array<std::uint64_t, 2> start_secret() {
    std::array<std::uint64_t, 2> given{};
    if (const auto at = ::getauxval(AT_RANDOM); at != 0) {
        std::memcpy(given.data(), reinterpret_cast<const void*>(at), sizeof(given));
    }
    return given;
}

std::span<const std::byte> own_vdso() {
    const auto* image = reinterpret_cast<const std::byte*>(getauxval(AT_SYSINFO_EHDR));
    if (image == nullptr) return {};
    ElfW(Ehdr) header;
    std::memcpy(&header, image, sizeof header);
    // The section headers come last.
    return {image, static_cast<std::size_t>(header.e_shoff) + std::size_t{header.e_shentsize} * header.e_shnum};
}

std::uint64_t process_id() {
    return static_cast<std::uint64_t>(::getpid());
}

std::uint32_t user_id() {
    return ::geteuid();
}

bool reads_all() {
    if (::geteuid() == 0) return true;
    ::__user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<::__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    if (::syscall(SYS_capget, &header, sets.data()) != 0) return true;
    constexpr std::uint32_t any = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
    return (sets[0].effective & any) != 0;
}

bool is_terminal(int fd) {
    return ::isatty(fd) != 0;
}

std::optional<std::size_t> terminal_columns(int fd) {
    ::winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
    return size.ws_col;
}

int descriptor_of(std::FILE* stream) noexcept {
    return ::fileno(stream);
}

std::FILE* open_pager(const std::string& command) {
    return ::popen(command.c_str(), "we");
}

void close_pager(std::FILE* pager) {
    ::pclose(pager);
}

void set_default_environment(const char* name, const char* value) {
    ::setenv(name, value, 0);
}

void raise_open_files() noexcept {
    ::rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

namespace {

[[gnu::noinline]] void touch_stack(std::size_t bytes) {
    *static_cast<volatile char*>(__builtin_alloca(bytes)) = 0;
}

}  // namespace

void reserve_stack() noexcept {
    constexpr std::size_t wanted = std::size_t{1} << 20;
    ::rlimit space{}, stack{};
    if (::getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return;
    if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur / 2 < wanted) return;
    // Touching what there is no room for ends the process.
    void* room = ::mmap(nullptr, 2 * wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return;
    ::munmap(room, 2 * wanted);
    touch_stack(wanted);
}

int limit_memory(std::uint64_t bytes) {
    const ::rlimit wanted{bytes, bytes};
    return problem(::setrlimit(RLIMIT_DATA, &wanted));
}

void open_closed_streams() noexcept {
    for (int wanted = standard_input; wanted <= standard_error; ++wanted) {
        if (::fcntl(wanted, F_GETFD) >= 0) continue;
        // The result is the wanted descriptor: it is the lowest free one, as those below it are open. Standard output
        // is opened read-only, so that writing to it fails.
        int opened = ::open("/dev/null", wanted == standard_error ? O_WRONLY : O_RDONLY);
        if (opened < 0) opened = ::open("/", O_RDONLY);  // without devices: not writable either
        if (opened < 0) std::_Exit(1);
    }
}

void fail_writes_quietly() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

void handle_ending_signals(void (*handler)(int)) {
    const auto handle = [&](int signal) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
        action = {};
        action.sa_handler = handler;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        ::sigaction(signal, &action, nullptr);
    };
    // All signals that end a process by default, except for memory and instruction errors. fail_writes_quietly()
    // handles SIGPIPE and SIGXFSZ.
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF,
                             SIGABRT, SIGSYS, SIGTRAP}) {
        handle(signal);
    }
#ifdef SIGIO
    handle(SIGIO);
#endif
#ifdef SIGPWR
    handle(SIGPWR);
#endif
#ifdef SIGSTKFLT
    handle(SIGSTKFLT);
#endif
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) handle(signal);
}

void end_by_signal(int signal) noexcept {
    ::raise(signal);  // SA_RESETHAND: this time it ends the process
}

}  // namespace perfdata::platform
