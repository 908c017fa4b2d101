// SPDX-License-Identifier: MIT
// The memory that unwinding reads: a part of the user stack, copied into the sample.
#pragma once

#include <algorithm>
#include <cstdint>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// OtherMemory answers reads outside of what a copy of the stack could have: constants in a file, say. Few
// expressions need it.
class OtherMemory {
  public:
    virtual ~OtherMemory() = default;
    // Reads `width` bytes (1, 2, 4 or 8) as an integer of the program. Returns false if they are not known.
    virtual bool read(std::uint64_t address, unsigned width, std::uint64_t& value) const = 0;
};

// StackMemory is the copied bytes of one sample's stack: [begin, begin + size) of the process, from the stack pointer
// upwards. The bytes must outlive it.
//
//                 begin                            end                     reach
//       | dead part | copied bytes                  | a larger copy has it   |
//    ---+-----------+-------------------------------+------------------------+---
//    far   unknown   value                           beyond                   far
class StackMemory {
  public:
    enum class Answer : std::uint8_t {
        value,
        beyond,   // above what was copied: a larger copy (--call-graph dwarf,SIZE) would have it
        far,      // further above, or on another stack: no copy would have it
        unknown,  // just below the stack pointer, or no address of user space: no stack lies there
    };
    struct Word {
        std::uint64_t value = 0;
        Answer answer = Answer::unknown;
    };
    // No stack is larger than this unless the caller knows.
    static constexpr std::uint64_t usual_room = std::uint64_t{8} << 20;
    // The longest copy: the size of a sample has 16 bits, and that of a copy is a multiple of 8.
    static constexpr std::uint64_t longest_copy = 65528;

    // limit: where the stack's mapping ends; 0: usual_room above its begin. other: null if nothing else is known.
    StackMemory(Bytes copied, std::uint64_t begin, AnyOrder order, std::uint64_t limit = 0,
                const OtherMemory* other = nullptr)
        : copied_(copied), begin_(begin), order_(order), other_(other) {
        const auto room = limit == 0 ? usual_room : limit - begin;
        room_ = room < copied.size() ? copied.size() : room;
        reach_ = std::max<std::uint64_t>(copied.size(), std::min(room_, longest_copy));
    }

    std::uint64_t begin() const { return begin_; }
    std::uint64_t size() const { return copied_.size(); }
    AnyOrder order() const { return order_; }

    // Returns true for an address that may lie on the same stack: not below the copied bytes, nor above its room.
    bool on_stack(std::uint64_t address) const { return address - begin_ < room_; }
    // Returns true for an address of Answer::far.
    bool is_far(std::uint64_t address) const {
        constexpr std::uint64_t dead = 4096;  // bytes, a page
        return address - begin_ >= reach_ && in_user_space(address) && begin_ - address > dead;
    }
    // Returns true for a number that may be the address of a stack.
    static bool in_user_space(std::uint64_t address) {
        constexpr std::uint64_t lowest = 0x10000;  // mmap_min_addr
        return address >= lowest && address >> 63 == 0;
    }
    // Returns how many bytes a copy must have for all reads so far that were answered `beyond`; 0: there were none.
    std::uint64_t wanted() const { return wanted_; }

    // Reads an integer of `width` bytes: 1, 2, 4 or 8.
    Word read(std::uint64_t address, unsigned width) const {
        const auto at = address - begin_;
        if (at < copied_.size() && width <= copied_.size() - at) {
            return {load(copied_.data() + at, width), Answer::value};
        }
        return elsewhere(address, width);
    }

  private:
    std::uint64_t load(const std::byte* at, unsigned width) const {
        switch (width) {
            case 8: return order_.load<std::uint64_t>(at);
            case 4: return order_.load<std::uint32_t>(at);
            case 2: return order_.load<std::uint16_t>(at);
            default: return order_.load<std::uint8_t>(at);
        }
    }
    Word elsewhere(std::uint64_t address, unsigned width) const {
        const auto at = address - begin_;
        if (at < reach_ && width <= reach_ - at) {
            wanted_ = std::max(wanted_, at + width);
            return {0, Answer::beyond};
        }
        Word word;
        if (other_ != nullptr && other_->read(address, width, word.value)) {
            word.answer = Answer::value;
        } else if (is_far(address) || at < reach_) {
            word.answer = Answer::far;
        }
        return word;
    }

    Bytes copied_;
    std::uint64_t begin_, room_ = 0, reach_ = 0;
    mutable std::uint64_t wanted_ = 0;
    AnyOrder order_;
    const OtherMemory* other_;
};

}  // namespace perfdata
