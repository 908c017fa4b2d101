// SPDX-License-Identifier: MIT
#include "perf_text.hpp"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <vector>

namespace oracle {
namespace {

using namespace perfdata;

int number(Pid pid) {
    return static_cast<int>(pid.value);
}
int number(Tid tid) {
    return static_cast<int>(tid.value);
}
std::string text(std::string_view view) {
    return std::string(view);
}

// "[0xffffffffb0000000(0xe01ef2) @ 0"
std::string mapping(Pid pid, Tid tid, AddressRange range, std::uint64_t page_offset) {
    return format(" %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, number(pid), number(tid), range.begin.value,
                  range.size, page_offset);
}

std::string page_size(std::uint64_t bytes) {
    constexpr std::uint64_t kilo = 1024;
    if (bytes == 0) return "N/A";
    if (bytes >= kilo * kilo) return format("%" PRIu64 "M", bytes / kilo / kilo);
    return format("%" PRIu64 "K", bytes / kilo);
}

std::string registers_text(const char* title, std::uint64_t mask, const Registers<AnyOrder>& registers,
                           RegisterSet names) {
    if (registers.abi() == 0) return {};
    std::string result =
        format("\n... %s regs: mask 0x%" PRIx64 " ABI %s", title, mask, registers.abi() == 2 ? "64-bit" : "32-bit");
    registers.for_each([&](unsigned bit, std::uint64_t value) {
        result += format("\n.... %-5s 0x%016" PRIx64, text(register_name(names, bit)).c_str(), value);
    });
    return result;
}

std::string read_text(const ReadValues<AnyOrder>& read, bool group) {
    std::string result = "\n... sample_read:";
    if (read.time_enabled()) result += format("\n...... time enabled %016" PRIx64, *read.time_enabled());
    if (read.time_running()) result += format("\n...... time running %016" PRIx64, *read.time_running());
    if (group) result += format("\n.... group nr %zu", read.size());
    for (std::size_t index = 0; index < read.size(); ++index) {
        const auto value = read[index];
        result +=
            format("\n..... id %016" PRIx64 ", value %016" PRIx64, value.id.value_or(EventId{}).value, value.value);
        if (value.lost) result += format(", lost %" PRIu64, *value.lost);
    }
    return result;
}

const char* direction(bool out, bool preempted) {
    if (!out) return "IN         ";
    return preempted ? "OUT preempt" : "OUT        ";
}

}  // namespace

std::string format(const char* pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    std::va_list again;
    va_copy(again, arguments);
    std::vector<char> buffer(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, pattern, arguments)) + 1);
    va_end(arguments);
    std::vsnprintf(buffer.data(), buffer.size(), pattern, again);
    va_end(again);
    return buffer.data();
}

std::string perf_text(const RecordContext& context, const Sample& sample, const Event& event, RegisterSet registers) {
    std::string result =
        format("(IP, 0x%x): %d/%d: %#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64, context.view.header().misc,
               number(sample.pid().value_or(Pid{~0u})), number(sample.tid().value_or(Tid{~0u})),
               sample.ip().value_or(Address{}).value, sample.period(), sample.addr().value_or(Address{}).value);
    const auto details = sample.details();
    if (const auto chain = details.callchain()) {
        result += format("\n... FP chain: nr:%zu", chain->size());
        for (std::size_t index = 0; index < chain->size(); ++index) {
            result += format("\n..... %2zu: %016" PRIx64, index, (*chain)[index]);
        }
    }
    if (const auto values = details.user_registers()) {
        result += registers_text("user", event.attr.sample_regs_user, *values, registers);
    }
    if (const auto values = details.interrupt_registers()) {
        result += registers_text("intr", event.attr.sample_regs_intr, *values, registers);
    }
    if (const auto stack = details.user_stack()) result += format("\n... ustack: size %zu", stack->bytes.size());
    if (const auto weight = details.weight()) {
        result += weight->is_struct
                      ? format("\n... weight: %u,0x%x,0x%x", weight->first(), weight->second(), weight->third())
                      : format("\n... weight: %" PRIu64, weight->word);
    }
    if (const auto source = details.data_source()) result += format("\n. data_src: 0x%" PRIx64, source->word);
    if (const auto address = details.physical_address()) result += format("\n.. phys_addr: 0x%" PRIx64, address->value);
    if (const auto size = details.data_page_size()) result += "\n.. data page size: " + page_size(*size);
    if (const auto size = details.code_page_size()) result += "\n.. code page size: " + page_size(*size);
    if (const auto transaction = details.transaction()) result += format("\n... transaction: %" PRIx64, *transaction);
    if (const auto read = details.read()) {
        result += read_text(*read, (event.attr.read_format & read_bit::group) != 0);
    }
    return result;
}

std::string perf_text(const RecordContext& context, const Mmap& map) {
    const bool data = (context.view.header().misc >> 13 & 1) != 0;
    return mapping(map.pid, map.tid, map.range, map.page_offset) + format("]: %c ", data ? 'r' : 'x') +
           text(map.filename);
}

std::string perf_text(const RecordContext&, const Mmap2& map) {
    auto result = mapping(map.pid, map.tid, map.range, map.page_offset);
    if (map.inode) {
        result += format(" %02x:%02x %" PRIu64 " %" PRIu64, map.inode->major, map.inode->minor, map.inode->number,
                         map.inode->generation);
    }
    if (map.build_id) {
        result += " <";
        for (const auto byte : map.build_id->bytes()) result += format("%02x", std::to_integer<unsigned>(byte));
        result += ">";
    }
    const auto flag = [](std::uint32_t bits, std::uint32_t bit, char yes, char no) { return (bits & bit) ? yes : no; };
    result += "]: ";
    result += flag(map.protection, 1, 'r', '-');
    result += flag(map.protection, 2, 'w', '-');
    result += flag(map.protection, 4, 'x', '-');
    result += flag(map.flags, 1, 's', 'p');
    return result + " " + text(map.filename);
}

std::string perf_text(const RecordContext&, const Comm& comm) {
    return (comm.exec ? " exec: " : ": ") + text(comm.comm) + format(":%d/%d", number(comm.pid), number(comm.tid));
}

namespace {

template <class Task>
std::string task_text(const Task& task) {
    return format("(%d:%d):(%d:%d)", number(task.pid), number(task.tid), number(task.parent_pid),
                  number(task.parent_tid));
}

}  // namespace

std::string perf_text(const RecordContext&, const Fork& fork) {
    return task_text(fork);
}

std::string perf_text(const RecordContext&, const Exit& exit) {
    return task_text(exit);
}

std::string perf_text(const RecordContext&, const Ksymbol& symbol) {
    return format(" addr %" PRIx64 " len %u type %u flags 0x%x name ", symbol.address.value, symbol.size,
                  unsigned{symbol.kind}, unsigned{symbol.flags}) +
           text(symbol.name);
}

std::string perf_text(const RecordContext&, const BpfEvent& event) {
    return format(" type %u, flags %u, id %u", unsigned{event.kind}, unsigned{event.flags}, event.id.value);
}

std::string perf_text(const RecordContext&, const Lost& lost) {
    return format(": id:%" PRIu64 ": lost:%" PRIu64, lost.id.value, lost.lost);
}

// perf's trailer of a record has id -1 if the event puts no id there.
std::string perf_text(const RecordContext& context, const LostSamples& lost) {
    return format(": id:%" PRIu64 ": lost samples :%" PRIu64,
                  context.trailer.id.value_or(EventId{~std::uint64_t{0}}).value, lost.lost);
}

std::string perf_text(const RecordContext&, const Namespaces& namespaces) {
    std::string result =
        format(" %d/%d - nr_namespaces: %zu\n[", number(namespaces.pid), number(namespaces.tid), namespaces.size());
    for (std::size_t index = 0; index < namespaces.size(); ++index) {
        const auto link = namespaces.link(index);
        if (index != 0) result += index % 4 == 0 ? ",\n" : ", ";
        result += format("%zu/%s: %" PRIu64 "/%#" PRIx64, index, text(namespace_kind(index)).c_str(), link.device,
                         link.inode);
    }
    return result + "]";
}

std::string perf_text(const RecordContext&, const Cgroup& cgroup) {
    return format(" cgroup: %" PRIu64 " ", cgroup.id) + text(cgroup.path);
}

std::string perf_text(const RecordContext&, const ContextSwitch& change) {
    return std::string(" ") + direction(change.out, change.preempted);
}

std::string perf_text(const RecordContext&, const SwitchCpuWide& change) {
    return format(" %s  %s pid/tid: %5d/%-5d", direction(change.out, change.preempted), change.out ? "next" : "prev",
                  number(change.other_pid), number(change.other_tid));
}

std::string perf_text(const RecordContext&, const Read& read, const std::string& event) {
    const auto value = read.values[0];
    auto result = format(": %d %d ", number(read.pid), number(read.tid)) + event + format(" %" PRIu64, value.value);
    if (read.values.time_enabled()) result += format("\n... time enabled : %" PRIu64, *read.values.time_enabled());
    if (read.values.time_running()) result += format("\n... time running : %" PRIu64, *read.values.time_running());
    if (value.id) result += format("\n... id           : %" PRIu64, value.id->value);
    if (value.lost) result += format("\n... lost         : %" PRIu64, *value.lost);
    return result;
}

std::string perf_text(const RecordContext&, const IdIndex& index) {
    auto result = format(" nr: %zu", index.size());
    for (std::size_t at = 0; at < index.size(); ++at) {
        const auto entry = index.entry(at);
        result += format("\n... id: %" PRIu64 "  idx: %" PRIu64 "  cpu: %" PRId64 "  tid: %" PRId64, entry.id.value,
                         entry.index, static_cast<std::int64_t>(entry.cpu), static_cast<std::int64_t>(entry.tid));
    }
    return result;
}

}  // namespace oracle
