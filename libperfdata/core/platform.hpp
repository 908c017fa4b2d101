// SPDX-License-Identifier: MIT
// What the library and the tool ask the system for, beyond the standard library. platform.cpp is the only file that
// includes POSIX and Linux headers: a system that lacks some of it needs another platform.cpp, and nothing else.
//
// An error is an errno: the error of an Answer, or the result of a function that returns int (0: done). No function
// fails with EINTR; those that may wait try again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace perfdata::platform {

template <class T>
using Answer = std::expected<T, int>;

constexpr int standard_input = 0, standard_output = 1, standard_error = 2;

// Descriptor owns an open file, or none (-1).
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() { (void)close(); }

    int get() const { return fd_; }
    bool is_open() const { return fd_ >= 0; }
    // close() returns the errno of a delayed write error, or 0.
    int close() noexcept;

  private:
    int fd_ = -1;
};

// Library is a shared library that is loaded at run time; it stays loaded as long as this.
class Library {
  public:
    // Loads a library by the name that programs are linked with, as the system finds it. The error says what is wrong.
    static std::expected<Library, std::string> load(const char* name);
    Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Library& operator=(Library&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Library();

    // Returns a function; null if the library has none of that name. F: its type, a pointer.
    template <class F>
    F function(const char* name) const {
        return reinterpret_cast<F>(find(name));
    }

  private:
    explicit Library(void* handle) : handle_(handle) {}
    void* find(const char* name) const;

    void* handle_ = nullptr;
};

// Files

enum class FileKind : std::uint8_t { regular, directory, link, character_device, socket, fifo, other };

struct FileStatus {
    FileKind kind = FileKind::other;
    bool as_written = false;  // nobody has given it another name, owner or mode since its content last changed
    std::uint64_t device = 0, inode = 0;
    std::uint64_t size = 0;   // bytes
    std::uint64_t links = 0;  // names of the file
    std::uint32_t owner = 0, group = 0;
    std::uint32_t permissions = 0;              // the bits 07777
    std::int64_t seconds = 0, nanoseconds = 0;  // when its content last changed, since 1970

    bool is_regular() const { return kind == FileKind::regular; }
    bool is_directory() const { return kind == FileKind::directory; }
    bool is_same_file(const FileStatus& other) const { return device == other.device && inode == other.inode; }
};

// DeviceNumbers is a device as the kernel writes it.
struct DeviceNumbers {
    std::uint32_t major = 0, minor = 0;
};
DeviceNumbers device_numbers(std::uint64_t device);  // of FileStatus

Answer<FileStatus> status(int fd);
Answer<FileStatus> status(const std::string& path);       // follows links
Answer<FileStatus> link_status(const std::string& path);  // a link is a link

// How a file is opened. Children of this process never inherit it, and no terminal becomes the controlling one.
struct OpenMode {
    enum class For : std::uint8_t { reading, writing, both, place };

    For what = For::reading;  // place: neither reading nor writing, only to look at it and below it
    bool directory = false;   // it must be one
    bool no_link = false;     // the last part of the name must not be a link
    bool no_wait = false;     // neither for the other end of a FIFO nor for a device
    bool cut = false;         // drop its content
    bool append = false;      // write at its end
    bool fresh = false;       // it must not exist: create it
};

// open(path, mode): `permissions` are those of a fresh file, before the umask.
Answer<Descriptor> open(const std::string& path, const OpenMode& mode, std::uint32_t permissions = 0);
Answer<Descriptor> open_at(int directory, const std::string& name, const OpenMode& mode);
// open_place(path) looks a path up in one file system, that of the root or of the current directory: else EXDEV. So it
// passes no proc, sysfs, automount or FUSE. Needs openat2, as open_place_within() does.
Answer<Descriptor> open_place(const std::string& path);
// open_place_within(root, path) looks a path up as if the directory were the root of the file system. Needs openat2
// (Linux 5.6): else ENOSYS, or what a sandbox answers.
Answer<Descriptor> open_place_within(int root, const std::string& path);
// reopen_for_reading(fd) opens the file of a place. Needs /proc: else ENOENT.
Answer<Descriptor> reopen_for_reading(int fd);
Answer<Descriptor> duplicate(int fd, int least = 0);
Answer<Descriptor> connect(const std::string& path);  // to a named socket
// unnamed_file(directory) returns a file for writing and reading that disappears when it is closed.
Answer<Descriptor> unnamed_file(const std::string& directory);

Answer<std::string> link_target(int link);
// file_system(fd) returns the magic number of statfs(2).
Answer<std::uint32_t> file_system(int fd);
// generation(fd) returns what tells files apart that had one inode number in turn.
Answer<std::uint32_t> generation(int fd);
// has_access_list(fd) returns true if its POSIX access list has entries for further users or groups, or is not known.
// fd may be a place.
bool has_access_list(int fd);
// is_nosuid(fd) returns true if its file system gives no program its owner's rights (ST_NOSUID).
Answer<bool> is_nosuid(int fd);
// can_write(fd) returns what the descriptor was opened for.
Answer<bool> can_write(int fd);

enum class Access : std::uint8_t { read, write, execute, create };  // create: an entry of a directory
// may(access, path) returns 0 if the effective user may.
int may(Access access, const std::string& path);

// read(...) returns 0 only at the end, read_at(...) only beyond it. Both may return less than asked.
Answer<std::size_t> read(int fd, std::span<std::byte> out);
Answer<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> out);
// wait_for_input(fd, milliseconds) returns true once read() would not wait, also because it would fail; false if that
// takes longer. Less than 0 milliseconds is forever.
bool wait_for_input(int fd, int milliseconds);
// next_data(fd, offset) returns where data begins at or after the offset; ENXIO: from there on it is a hole. It moves
// the descriptor's position.
Answer<std::uint64_t> next_data(int fd, std::uint64_t offset);
// write_all(...) writes all of the text, in any number of calls. If the descriptor is non-blocking it waits for room,
// at most `patience` milliseconds each time; less than 0 is forever.
int write_all(int fd, std::string_view text, int patience = -1) noexcept;

int cut(int fd);  // drops the content of a file
int set_owner(int fd, std::uint32_t owner, std::uint32_t group);
int set_permissions(int fd, std::uint32_t permissions);
// copy_attributes(from, to) copies the extended attributes that apply to any content: access lists, labels, users' own.
// File capabilities and signatures applied to the old content. What only the system may set is left out.
void copy_attributes(int from, int to);
int rename(const std::string& from, const std::string& to);
void remove(const char* path) noexcept;  // may be called from a signal handler

// Memory, threads, random numbers

// map_zeros(size) returns pages of zeros, which take memory when they are written; null if there is no room.
char* map_zeros(std::uint64_t size);
void unmap(char* pages, std::size_t size);
// fill_pages(begin, size) has the system provide memory for these pages at once, for who will write all of them: else
// each takes a page fault. What they hold stays. If it cannot, nothing changes.
void fill_pages(char* begin, std::size_t size) noexcept;
// give_back_memory() returns what was freed to the system, as far as the system's allocator can.
void give_back_memory() noexcept;

// Addresses of a stack.
struct StackExtent {
    std::uintptr_t begin = 0, end = 0;
};
// stack_of_this_thread() is unknown where the system says how far the stack reaches now, not how far it may.
std::optional<StackExtent> stack_of_this_thread();
// run_on_stack(bytes, call, argument) calls on a new thread with a stack of that size, which no signal interrupts, and
// waits for it. The call must not throw. Returns false if there is no such thread.
bool run_on_stack(std::size_t bytes, void (*call)(void*), void* argument);

// at_fork(before, in_parent, in_child) has the thread that forks call them, from now on. Returns an errno.
int at_fork(void (*before)(), void (*in_parent)(), void (*in_child)());

// random_bytes(out) fills at most 256 bytes without waiting. Returns false if the system has none (an old kernel, a
// sandbox, early boot).
bool random_bytes(std::span<std::byte> out);
// start_secret() returns random bits that the process got at its start, or zeros.
std::array<std::uint64_t, 2> start_secret();
std::uint64_t process_id();
// own_vdso() returns the ELF image that the kernel mapped into this process; empty if there is none. It lives for ever.
std::span<const std::byte> own_vdso();
std::uint32_t user_id();  // the effective one
// reads_all() returns true if modes do not keep this process from reading files: it is root, or has that capability.
bool reads_all();

// Terminals

bool is_terminal(int fd);
// terminal_columns(fd) returns nothing if the descriptor is no terminal, or one that does not know.
std::optional<std::size_t> terminal_columns(int fd);
int descriptor_of(std::FILE* stream) noexcept;  // -1: it has none
// open_pager(command) returns a stream that a shell command reads; null on failure. close_pager() waits for the
// command's end.
std::FILE* open_pager(const std::string& command);
void close_pager(std::FILE* pager);
void set_default_environment(const char* name, const char* value);  // keeps what the user has set

// The process. For main() alone.

// reserve_stack() makes the stack of the calling thread, the main one, 1 MiB deep where the address space is limited
// (`ulimit -v`). Elsewhere and later it grows by need; where it cannot, the process ends: libdw takes 150 KB of it for
// a line table.
void reserve_stack() noexcept;

// raise_open_files() raises the limit of open files to its maximum: a recording may have one per CPU, and name any
// number of others.
void raise_open_files() noexcept;
// limit_memory(bytes) makes allocations beyond it fail.
int limit_memory(std::uint64_t bytes);
// open_closed_streams() opens any closed descriptor from 0 to 2, so that no file opened later becomes one of them.
// Reading then returns end of file, messages vanish, and output fails as on a closed descriptor.
void open_closed_streams() noexcept;
// fail_writes_quietly() makes writes fail that would end the process: to a pipe without reader, beyond a size limit.
void fail_writes_quietly();
// handle_ending_signals(handler) installs the handler, once each, for the signals that users and systems send to end a
// process, unless they are ignored or handled already. end_by_signal() lets the signal take its effect.
void handle_ending_signals(void (*handler)(int));
void end_by_signal(int signal) noexcept;

}  // namespace perfdata::platform
