// SPDX-License-Identifier: MIT
// Unwinds this process's own stack, from a copy of it, and compares the frames with those of libgcc's unwinder.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <map>
#include <memory>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "catch.hpp"
#include "file_frames.hpp"
#include "symbols/unwind/frame_pointer.hpp"
#include "symbols/unwind/frame_step.hpp"

#ifdef __x86_64__

namespace oracle {
namespace {

using namespace perfdata;

constexpr std::size_t copied_bytes = 60000;

// Captured is a place in this process: registers, the stack above, and the frames that libgcc finds.
struct Captured {
    RegisterFile registers;
    std::uint64_t stack_begin = 0;
    std::vector<std::byte> stack;
    std::vector<std::uint64_t> frames;  // addresses, innermost first
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* frames) {
    static_cast<std::vector<std::uint64_t>*>(frames)->push_back(_Unwind_GetIP(context));
    return _URC_NO_REASON;
}

// end_of_stack() returns the end of the mapping that holds the main thread's stack.
std::uint64_t end_of_stack() {
    std::uint64_t begin = 0, end = 0;
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    char line[512];
    while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
        if (std::strstr(line, "[stack]") == nullptr) continue;
        char* rest = nullptr;
        begin = std::strtoull(line, &rest, 16);
        end = std::strtoull(rest + 1, nullptr, 16);
    }
    if (maps != nullptr) std::fclose(maps);
    REQUIRE(begin < end);
    return end;
}

[[gnu::noinline]] void capture(Captured& captured) {
    ucontext_t context;
    getcontext(&context);
    // DWARF's order of the registers.
    constexpr int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                             REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (Slot slot = 0; slot < std::size(order); ++slot) {
        captured.registers.set(slot, static_cast<std::uint64_t>(context.uc_mcontext.gregs[order[slot]]));
    }
    captured.registers.pc = captured.registers.value(16);
    captured.frames.clear();
    _Unwind_Backtrace(add_frame, &captured.frames);
    captured.stack_begin = captured.registers.value(7);
    const auto room = std::min<std::uint64_t>(end_of_stack() - captured.stack_begin, copied_bytes);
    captured.stack.resize(room);
    // The kernel copies it: AddressSanitizer forbids reads across variables.
    const iovec target{captured.stack.data(), room};
    const iovec source{reinterpret_cast<void*>(captured.stack_begin), room};
    REQUIRE(::process_vm_readv(::getpid(), &target, 1, &source, 1, 0) == static_cast<ssize_t>(room));
}

// Objects are the files that are mapped into this process.
class Objects {
  public:
    struct Object {
        std::string path;
        std::uint64_t bias = 0, begin = UINT64_MAX, end = 0;
        std::unique_ptr<FileFrames> frames;
        const CfiSection* section = nullptr;
    };

    Objects() {
        ::dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* list) {
                Object object;
                object.path = *info->dlpi_name == '\0' ? "/proc/self/exe" : info->dlpi_name;
                object.bias = info->dlpi_addr;
                for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
                    if (segment.p_type != PT_LOAD) continue;
                    object.begin = std::min(object.begin, object.bias + segment.p_vaddr);
                    object.end = std::max(object.end, object.bias + segment.p_vaddr + segment.p_memsz);
                }
                static_cast<std::vector<Object>*>(list)->push_back(std::move(object));
                return 0;
            },
            &objects_);
    }
    Object* find(std::uint64_t address) {
        for (auto& object : objects_) {
            if (address < object.begin || address >= object.end) continue;
            if (!object.frames) {
                object.frames = std::make_unique<FileFrames>(object.path);
                object.section = object.frames->open(".eh_frame");
            }
            return &object;
        }
        return nullptr;
    }

  private:
    std::vector<Object> objects_;
};

struct Unwound {
    std::vector<std::uint64_t> frames;
    StepOutcome end = StepOutcome::ok;
    std::size_t signals = 0;
};

Unwound unwind(const Captured& captured, Objects& objects) {
    Unwound unwound;
    auto registers = captured.registers;
    const StackMemory memory(captured.stack, captured.stack_begin, AnyOrder(std::endian::native));
    RuleSpill spill;
    ExpressionBudget budget;
    std::uint64_t back = 0;  // a return address lies behind its call
    while (unwound.frames.size() < 1000) {
        unwound.frames.push_back(registers.pc);
        auto* object = objects.find(registers.pc - back);
        INFO("frame " << unwound.frames.size() << " at " << std::hex << registers.pc);
        REQUIRE(object != nullptr);
        REQUIRE(object->section != nullptr);
        const auto row = object->section->row_at(registers.pc - back - object->bias, spill);
        REQUIRE(row);
        REQUIRE(*row);
        const auto content = object->section->input().section;
        const RowSource source{&spill, content, {}, object->bias, AnyOrder(std::endian::native)};
        unwound.end = step(object->frames->target(), **row, source, memory, registers, budget);
        if (unwound.end != StepOutcome::ok) break;
        const bool signal = (*row)->has(UnwindRow::signal_frame);
        if (signal) ++unwound.signals;
        back = signal ? 0 : 1;
    }
    return unwound;
}

// check(captured) compares all frames but the first, which was captured at two places of one function.
Unwound check(const Captured& captured) {
    Objects objects;
    auto unwound = unwind(captured, objects);
    REQUIRE(captured.frames.size() > 5);
    auto theirs = captured.frames;
    // libgcc goes on to the address behind the outermost frame, 0.
    while (!theirs.empty() && theirs.back() == 0) theirs.pop_back();
    auto ours = unwound.frames;
    ours.erase(ours.begin());
    theirs.erase(theirs.begin());
    CHECK(ours == theirs);
    CHECK(to_string(unwound.end) == to_string(StepOutcome::outermost));
    return unwound;
}

// Frames of many shapes: with registers saved, without frame pointer, of variable size, aligned, in libraries.
struct Shape {
    virtual ~Shape() = default;
    virtual void run(Captured& captured, int depth) = 0;
};
struct Plain final : Shape {
    [[gnu::noinline]] void run(Captured& captured, int depth) override;
};
Captured* sorted_into = nullptr;
int compare_and_capture(const void* one, const void* other) {
    if (sorted_into != nullptr) capture(*sorted_into);
    sorted_into = nullptr;
    return *static_cast<const int*>(one) - *static_cast<const int*>(other);
}
[[gnu::noinline]] std::uint64_t of_variable_size(Captured& captured, std::size_t size) {
    auto* room = static_cast<volatile char*>(__builtin_alloca(size));
    room[size - 1] = 1;
    int numbers[] = {3, 2, 1};
    sorted_into = &captured;
    std::qsort(numbers, std::size(numbers), sizeof numbers[0], compare_and_capture);
    return static_cast<std::uint64_t>(room[size - 1]) + static_cast<std::uint64_t>(numbers[0]);
}
[[gnu::noinline]] std::uint64_t aligned(Captured& captured, std::size_t size) {
    alignas(64) volatile char room[128];
    room[0] = 2;
    return of_variable_size(captured, size) + static_cast<std::uint64_t>(room[0]);
}
void Plain::run(Captured& captured, int depth) {
    if (depth > 0) {
        run(captured, depth - 1);
        return;
    }
    std::vector<std::size_t> sizes = {300, 100, 200};
    std::ranges::sort(sizes, [&](auto one, auto other) {
        if (captured.frames.empty()) aligned(captured, one);
        return one < other;
    });
}

Captured* signalled_into = nullptr;
void on_signal(int) {
    capture(*signalled_into);
}

}  // namespace

TEST_CASE("frames of this process are those of libgcc", "[oracle][frames]") {
    Captured captured;
    const std::unique_ptr<Shape> shape = std::make_unique<Plain>();
    shape->run(captured, 20);
    CHECK(check(captured).frames.size() > 25);
}

TEST_CASE("frames beneath a signal are those of libgcc", "[oracle][frames]") {
    Captured captured;
    signalled_into = &captured;
    struct sigaction action = {}, before = {};
    action.sa_handler = on_signal;
    REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
    REQUIRE(std::raise(SIGUSR1) == 0);
    sigaction(SIGUSR1, &before, nullptr);
    CHECK(check(captured).signals == 1);
}

TEST_CASE("a stack that was copied in part ends where the copy ends", "[oracle][frames]") {
    Captured captured;
    Plain().run(captured, 20);
    Objects objects;
    const auto whole = unwind(captured, objects);
    std::size_t before = 0;
    // Frames are large under sanitizers.
    const auto half = captured.stack.size() / 2;
    REQUIRE(half > 2000);
    for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{500}, std::size_t{2000}, half}) {
        auto part = captured;
        part.stack.resize(size);
        const auto unwound = unwind(part, objects);
        // Under sanitizers the next frame may lie beyond the longest copy.
        const bool far = size + 8192 > StackMemory::longest_copy && unwound.end == StepOutcome::out_of_reach;
        CHECK(to_string(unwound.end) == to_string(far ? StepOutcome::out_of_reach : StepOutcome::stack_too_short));
        REQUIRE(unwound.frames.size() < whole.frames.size());
        CHECK(std::equal(unwound.frames.begin(), unwound.frames.end(), whole.frames.begin()));
        CHECK(unwound.frames.size() >= before);
        before = unwound.frames.size();
    }
    CHECK(before > 3);
}

}  // namespace oracle

#endif
