// SPDX-License-Identifier: MIT
// What was mapped where: by processes, and by the kernel (its own text and modules).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perfdata/core/types.hpp"
#include "perfdata/wire/record/mmap2.hpp"

namespace perfdata {

// ObjectKind is what the name of a mapped object stands for.
enum class ObjectKind : std::uint8_t {
    file,       // a file by its path
    kernel,     // [kernel.kallsyms]: the kernel itself
    module,     // a module of the kernel, by path or as [name]
    vdso,       // [vdso], [vdso32], [vdsox32]: code that the kernel lends to processes
    vsyscall,   // [vsyscall]
    heap,       // [heap]
    stack,      // [stack], [stack:TID]
    anonymous,  // //anon, [anon:NAME], /anon_hugepage: memory of no file
    memory,     // /memfd:NAME, /dev/zero, /SYSV...: shared memory, a file only by name
    inode,      // anon_inode:[NAME]: pages of a kernel facility
    special,    // other names in brackets ([uprobes], [vectors]), and names that the kernel lost (//enomem, //toolong)
};

// object_kind(path) is for paths of processes; of kernel mappings it is `kernel` or `module` whatever the path.
ObjectKind object_kind(std::string_view path);
std::string_view to_string(ObjectKind kind);

// is_deleted(path): the kernel appends " (deleted)" if the file was gone when it was mapped, or is no file at all.
bool is_deleted(std::string_view path);
// without_deleted(path) is the path without that.
std::string_view without_deleted(std::string_view path);

// module_name(path) is how the kernel calls a module: "nf_nat" for "/lib/modules/6.1.0/kernel/net/nf-nat.ko.xz" and for
// "[nf_nat]".
std::string module_name(std::string_view path);

// ObjectIndex is the place of an Object in Tasks::objects().
using ObjectIndex = std::uint32_t;

// Object is what mappings are of. Mappings that tell of the same path, build-id and inode share one.
struct Object {
    std::string path;  // as recorded: any bytes
    ObjectKind kind = ObjectKind::file;
    std::optional<BuildId> build_id;    // of MMAP2 with build-id
    std::optional<Mmap2::Inode> inode;  // of MMAP2 without
};

// Mapping is one record MMAP or MMAP2. It is there from its time on until others lie over it, its process begins
// another program or ends, and it is there in processes forked meanwhile: so how long depends on who looks.
struct Mapping {
    AddressRange range;  // as recorded; others may lie over parts of it
    Time from;           // zero: since before the recording began
    // file_offset is where in the file range.begin lies. Of the kernel itself it is range.begin, of vdso zero, whatever
    // was recorded.
    std::uint64_t file_offset = 0;
    Pid pid;  // who mapped it; all ones for the kernel and its modules
    ObjectIndex object = 0;
    std::uint32_t protection = 0;  // PROT_*; zero if only MMAP was recorded
    std::uint32_t flags = 0;       // MAP_*; zero likewise
    bool data = false;             // mapped without the right to execute: recorded on demand only

    // offset_of(address) is where in the file an address of the range lies.
    std::uint64_t offset_of(Address address) const { return address - range.begin + file_offset; }
};

}  // namespace perfdata
