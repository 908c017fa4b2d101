// SPDX-License-Identifier: MIT
// Mappings of processes, and of the kernel (its own text and modules).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/timeline/code_class.hpp"
#include "perfdata/wire/identities.hpp"

namespace perfdata {

// ObjectKind is what the name of a mapped object denotes.
enum class ObjectKind : std::uint8_t {
    file,       // a file by its path
    kernel,     // [kernel.kallsyms]: the kernel itself
    module,     // a module of the kernel, by path or as [name]
    vdso,       // [vdso], [vdso32], [vdsox32]: code that the kernel provides to processes
    vsyscall,   // [vsyscall]
    heap,       // [heap]
    stack,      // [stack], [stack:TID]
    anonymous,  // //anon, [anon:NAME], /anon_hugepage: memory without a file
    memory,     // /memfd:NAME, /dev/zero, /SYSV...: shared memory, a file only by name
    inode,      // anon_inode:[NAME]: pages of a kernel facility
    special,    // other names in brackets ([uprobes], [vectors]), and failed lookups of the kernel (//enomem,
                // //toolong)
};

// object_kind(path) is for paths of processes; kernel mappings are `kernel` or `module` whatever the path.
PERFDATA_EXPORT ObjectKind object_kind(std::string_view path);
PERFDATA_EXPORT std::string_view to_string(ObjectKind kind);

// Returns the kind of code in it that users see. Memory of a process may also hold JIT code, if a perf map names it.
constexpr CodeClass code_class(ObjectKind kind) {
    return kind == ObjectKind::kernel   ? CodeClass::kernel
           : kind == ObjectKind::module ? CodeClass::module
                                        : CodeClass::user;
}

// is_deleted(path): the kernel appends " (deleted)" if the file had been deleted when it was mapped, or never had a
// name.
PERFDATA_EXPORT bool is_deleted(std::string_view path);
// without_deleted(path) returns the path without that suffix.
PERFDATA_EXPORT std::string_view without_deleted(std::string_view path);

// module_name(path) returns the kernel's name of a module: "nf_nat" for "/lib/modules/6.1.0/kernel/net/nf-nat.ko.xz"
// and for "[nf_nat]".
PERFDATA_EXPORT std::string module_name(std::string_view path);

// ObjectIndex is the index of an Object in Tasks::objects().
using ObjectIndex = std::uint32_t;

// Object is a mapped object. Mappings with the same path, build-id and inode share one.
struct Object {
    std::string path;                    // as recorded: any bytes
    ObjectKind kind = ObjectKind::file;  // as object_kind() has it
    std::optional<BuildId> build_id;     // from MMAP2 with build-id
    std::optional<FileInode> inode;      // from MMAP2 without
};

// Returns what users call it: "[kernel.kallsyms]", "[nf_nat]", or the path.
PERFDATA_EXPORT std::string object_of(const Object& object);

// Mapping is one record MMAP or MMAP2. It lasts until others cover it or its process calls exec or ends, and longer in
// processes forked meanwhile: so its end depends on the process.
struct Mapping {
    AddressRange range;  // as recorded; others may lie over parts of it
    Time from;           // zero: since before the recording began
    // file_offset is the offset of range.begin in the file. For the kernel itself it is range.begin, for the vdso zero,
    // whatever was recorded.
    std::uint64_t file_offset = 0;
    Pid pid;                       // the process that mapped it; all ones for the kernel and its modules
    ObjectIndex object = 0;        // what was mapped: see Tasks::object()
    std::uint32_t protection = 0;  // PROT_*; zero if only MMAP was recorded
    std::uint32_t flags = 0;       // MAP_*; zero likewise
    bool data = false;             // mapped without execute permission: recorded on demand only

    // offset_of(address) returns the file offset of an address in the range.
    std::uint64_t offset_of(Address address) const { return address - range.begin + file_offset; }
};

}  // namespace perfdata
