// SPDX-License-Identifier: MIT
// Writes well-formed jitdump files of either byte order; tests may patch records afterwards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/writer.hpp"

namespace perfdata::test {

struct JitHeaderValues {
    std::uint32_t magic = 0x4a695444, version = 1, size = 40, machine = 62, pad = 0, pid = 42;
    std::uint64_t time = 1, flags = 0;
};

struct JitLineValues {
    std::uint64_t address;
    std::uint32_t line, discriminator;
    std::string_view file;
};

class JitDumpWriter {
  public:
    explicit JitDumpWriter(std::endian order, const JitHeaderValues& header = {}) : out_(order) {
        out_.u32(header.magic).u32(header.version).u32(header.size).u32(header.machine).u32(header.pad);
        out_.u32(header.pid).u64(header.time).u64(header.flags);
        if (header.size > 40) out_.fill(header.size - 40, 0xee);
    }

    // Each call returns the offset of its record in the file.
    struct Load {
        std::uint64_t time, address;
        std::string_view name;
        std::string_view code;
        std::uint64_t index = 1;
        std::uint32_t pid = 42;
        std::size_t padding = 0;  // between name and code
    };
    std::size_t load(const Load& load) {
        const auto at = prefix(0, 56 + load.name.size() + 1 + load.padding + load.code.size(), load.time);
        out_.u32(load.pid).u32(load.pid).u64(0).u64(load.address).u64(load.code.size()).u64(load.index);
        out_.text(load.name).zeros(1 + load.padding).text(load.code);
        return at;
    }
    std::size_t move(std::uint64_t time, std::uint64_t from, std::uint64_t to, std::uint64_t size, std::uint64_t index,
                     std::uint32_t pid = 42) {
        const auto at = prefix(1, 64, time);
        out_.u32(pid).u32(pid).u64(to).u64(from).u64(to).u64(size).u64(index);
        return at;
    }
    std::size_t debug_info(std::uint64_t time, std::uint64_t code, const std::vector<JitLineValues>& lines,
                           std::size_t padding = 0) {
        std::size_t size = 32 + padding;
        for (const auto& line : lines) size += 16 + line.file.size() + 1;
        const auto at = prefix(2, size, time);
        out_.u64(code).u64(lines.size());
        for (const auto& line : lines) {
            out_.u64(line.address).u32(line.line).u32(line.discriminator).text(line.file).zeros(1);
        }
        out_.fill(padding, 0xdd);
        return at;
    }
    std::size_t close(std::uint64_t time) { return prefix(3, 16, time); }
    std::size_t unwinding(std::uint64_t time, std::uint64_t size, std::uint64_t header, std::uint64_t mapped) {
        const auto at = prefix(4, 40 + static_cast<std::size_t>(size), time);
        out_.u64(size).u64(header).u64(mapped).fill(static_cast<std::size_t>(size), 0x77);
        return at;
    }
    // unwinding(time, information) adds an .eh_frame without .eh_frame_hdr.
    std::size_t unwinding(std::uint64_t time, Bytes information) {
        const auto at = prefix(4, 40 + information.size(), time);
        out_.u64(information.size()).u64(0).u64(0).bytes(information);
        return at;
    }
    // other(type, size) adds a record of an unknown type, or with a size that does not fit its type.
    std::size_t other(std::uint32_t type, std::size_t size, std::uint64_t time = 0) {
        const auto at = prefix(type, size, time);
        out_.fill(size - 16, 0x99);
        return at;
    }

    template <class T>
    JitDumpWriter& patch(std::size_t at, T value) {
        out_.patch(at, value);
        return *this;
    }
    const Blob& blob() const { return out_.blob(); }

  private:
    std::size_t prefix(std::uint32_t type, std::size_t size, std::uint64_t time) {
        const auto at = out_.size();
        out_.u32(type).u32(static_cast<std::uint32_t>(size)).u64(time);
        return at;
    }

    Writer out_;
};

}  // namespace perfdata::test
