// SPDX-License-Identifier: MIT
#include "support/twin.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <stdexcept>
#include <string>

namespace perfdata::test {
namespace {

// Turner walks through the bytes and swaps integers. It reads values from the untouched input.
class Turner {
  public:
    explicit Turner(const Blob& in) : in_(in), out_(in) {}

    std::uint64_t value(std::size_t at, std::size_t size) const {
        std::uint64_t result = 0;
        for (std::size_t index = 0; index < size; ++index) {
            result |= std::to_integer<std::uint64_t>(in_.at(at + index)) << 8 * index;
        }
        return result;
    }
    std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(value(at, 2)); }
    std::uint32_t u32(std::size_t at) const { return static_cast<std::uint32_t>(value(at, 4)); }
    std::uint64_t u64(std::size_t at) const { return value(at, 8); }
    std::size_t size_at(std::size_t at) const { return static_cast<std::size_t>(u64(at)); }
    std::uint8_t u8(std::size_t at) const { return static_cast<std::uint8_t>(value(at, 1)); }
    std::size_t size() const { return in_.size(); }

    void turn(std::size_t at, std::size_t size) { put(at, value(at, size), size); }
    // put(at, value, size) writes a big-endian integer.
    void put(std::size_t at, std::uint64_t value, std::size_t size) {
        if (at > limit_ || size > limit_ - at) throw std::out_of_range("twin: an integer beyond its record");
        for (std::size_t index = 0; index < size; ++index) {
            out_.at(at + index) = static_cast<std::byte>(value >> 8 * (size - 1 - index) & 0xff);
        }
    }
    // fields(at, sizes) swaps a row of integers, one digit per size, and returns the offset behind them.
    std::size_t fields(std::size_t at, std::string_view sizes) {
        for (const char digit : sizes) {
            const auto size = static_cast<std::size_t>(digit - '0');
            turn(at, size);
            at += size;
        }
        return at;
    }
    // run(at, end, size) swaps integers of one size up to `end`; a remainder stays.
    std::size_t run(std::size_t at, std::size_t end, std::size_t size) {
        for (; at + size <= end; at += size) turn(at, size);
        return at;
    }
    // limit(end) forbids writes from there on. restore(begin, end) restores the input.
    void limit(std::size_t end) { limit_ = end; }
    void restore(std::size_t begin, std::size_t end) {
        for (auto at = begin; at < end; ++at) out_.at(at) = in_.at(at);
    }

    Blob take() { return std::move(out_); }

  private:
    const Blob& in_;
    Blob out_;
    std::size_t limit_ = out_.size();
};

// mirrored(word, widths) returns a word of bit-fields, given by their widths from bit 0 up, as a big-endian compiler
// lays them out: in reverse order, each with its value unchanged.
template <std::size_t Count>
std::uint64_t mirrored(std::uint64_t word, const std::array<unsigned, Count>& widths, unsigned word_bits = 64) {
    std::uint64_t result = 0;
    unsigned at = 0;
    for (const auto width : widths) {
        const auto field = word >> at & ((std::uint64_t{1} << width) - 1);
        result |= field << (word_bits - at - width);
        at += width;
    }
    return result;
}

struct TwinAttr {
    std::uint64_t sample_type = 0, read_format = 0, branch_type = 0, user_mask = 0, interrupt_mask = 0;
    bool sample_id_all = false;
    bool has(unsigned bit) const { return (sample_type >> bit & 1) != 0; }
};

enum Bit : unsigned {
    ip,
    tid,
    time_,
    addr,
    read_,
    callchain,
    id_,
    cpu,
    period,
    stream_id,
    raw,
    branch_stack,
    regs_user,
    stack_user,
    weight,
    data_src,
    identifier,
    transaction,
    regs_intr,
    phys_addr,
    aux,
    cgroup,
    data_page,
    code_page,
    weight_struct
};

class Twin {
  public:
    explicit Twin(const Blob& in) : in_(in) {}

    Blob make() {
        for (std::size_t index = 0; index < 8; ++index) in_.put(7 - index, in_.u8(index), 1);
        if (in_.u64(8) == 16) {
            in_.turn(8, 8);
            records(16, in_.size(), true);
            return in_.take();
        }
        file();
        return in_.take();
    }

  private:
    void file() {
        const auto header_bytes = in_.size_at(8);
        const auto stride = in_.size_at(16);
        const auto attrs = in_.size_at(24), attrs_end = attrs + in_.size_at(32);
        const auto data = in_.size_at(40), data_end = data + in_.size_at(48);
        for (std::size_t at = 8; at < header_bytes; at += 8) in_.turn(at, 8);
        for (auto at = attrs; at + stride <= attrs_end; at += stride) {
            const auto index = add_attr(at);
            attr(at, stride - 16);
            const auto ids = in_.size_at(at + stride - 16), ids_bytes = in_.size_at(at + stride - 8);
            in_.fields(at + stride - 16, "88");
            for (auto place = ids; place < ids + ids_bytes; place += 8) by_id_[in_.u64(place)] = index;
            in_.run(ids, ids + ids_bytes, 8);
        }
        records(data, data_end, false);
        if (header_bytes < 104) return;
        auto entry = data_end;
        for (unsigned number = 0; number < 256; ++number) {
            if ((in_.u64(72 + number / 64 * 8) >> number % 64 & 1) == 0) continue;
            const auto begin = in_.size_at(entry);
            feature(number, begin, begin + in_.size_at(entry + 8));
            in_.fields(entry, "88");
            entry += 16;
        }
    }

    std::size_t add_attr(std::size_t at) {
        const auto bytes = in_.u32(at + 4) == 0 ? 64 : in_.u32(at + 4);
        const auto later = [&](std::size_t offset) { return bytes >= offset + 8 ? in_.u64(at + offset) : 0; };
        attrs_.push_back(
            {in_.u64(at + 24), in_.u64(at + 32), later(72), later(80), later(96), (in_.u64(at + 40) >> 18 & 1) != 0});
        return attrs_.size() - 1;
    }

    void attr(std::size_t at, std::size_t bytes) {
        std::size_t offset = 0;
        for (const char digit : std::string_view("448888844888844842244888")) {
            const auto size = static_cast<std::size_t>(digit - '0');
            if (offset + size > bytes) break;
            in_.turn(at + offset, size);
            offset += size;
        }
        flags(at);
    }
    void flags(std::size_t at) {
        std::array<unsigned, 63> widths{};
        widths.fill(1);
        widths[15] = 2;  // precise_ip
        in_.put(at + 40, mirrored(in_.u64(at + 40), widths), 8);
    }

    void records(std::size_t at, std::size_t end, bool pipe);
    void kernel_record(std::uint32_t type, std::size_t at, std::size_t end, std::uint16_t misc);
    std::size_t tool_record(std::uint32_t type, std::size_t at, std::size_t end, bool pipe);
    void sample(std::size_t at, std::size_t end);
    std::size_t turn_sample(std::size_t at, std::size_t end, bool empty_has_index);
    std::size_t read_values(std::size_t at, std::uint64_t format);
    std::size_t branches(std::size_t at, std::size_t end, const TwinAttr& attr, bool empty_has_index);
    std::size_t registers(std::size_t at, std::uint64_t mask);
    const TwinAttr& attr_of_sample(std::size_t at) const;
    const TwinAttr& attr_of_other(std::size_t begin, std::size_t end) const;
    void cpu_map(std::size_t at);

    void feature(unsigned number, std::size_t at, std::size_t end);
    std::size_t string(std::size_t at) {
        const auto length = in_.u32(at);
        in_.turn(at, 4);
        return at + 4 + length;
    }
    std::size_t strings(std::size_t at) { return repeated(at, "s"); }
    // repeated(at, element): u32 count, then that many elements. s: string, B: bitmap, a digit: integer.
    std::size_t repeated(std::size_t at, std::string_view element) {
        const auto count = in_.u32(at);
        in_.turn(at, 4);
        return elements(at + 4, count, element);
    }
    std::size_t elements(std::size_t at, std::uint64_t count, std::string_view element) {
        for (std::uint64_t index = 0; index < count; ++index) {
            for (const char part : element) {
                if (part == 's') {
                    at = string(at);
                } else if (part == 'B') {
                    const auto words = (in_.size_at(at) + 63) / 64;
                    at = in_.run(at, at + 8 + words * 8, 8);
                } else {
                    at = in_.fields(at, std::string_view(&part, 1));
                }
            }
        }
        return at;
    }
    void build_ids(std::size_t at, std::size_t end);
    void event_desc(std::size_t at);
    void programs(std::size_t at);
    void btf_blobs(std::size_t at);
    void btf(std::size_t at);
    void domains(std::size_t at, std::size_t end);

    Turner in_;
    std::vector<TwinAttr> attrs_;
    std::map<std::uint64_t, std::size_t> by_id_;
    std::size_t available_cpus_ = 0;  // from NRCPUS, which precedes CPU_TOPOLOGY
};

void Twin::records(std::size_t at, std::size_t end, bool pipe) {
    while (at < end) {
        const auto type = in_.u32(at);
        const auto misc = in_.u16(at + 4);
        const std::size_t size = in_.u16(at + 6);
        if (size < 8 || size > end - at) throw std::runtime_error("twin: a damaged record");
        in_.fields(at, "422");
        const auto record_end = at + size;
        if (type == 9) {
            sample(at, record_end);
        } else if (type < 64) {
            kernel_record(type, at, record_end, misc);
        }
        at = record_end + (type < 64 ? 0 : tool_record(type, at, record_end, pipe));
    }
}

const TwinAttr& Twin::attr_of_sample(std::size_t at) const {
    if (attrs_.size() == 1) return attrs_[0];
    for (const auto& attr : attrs_) {
        std::size_t place = at + 8;
        if (!attr.has(identifier)) {
            if (!attr.has(id_)) continue;
            for (const auto bit : {ip, tid, time_, addr}) place += attr.has(bit) ? 8 : 0;
        }
        const auto found = by_id_.find(in_.u64(place));
        if (found != by_id_.end() && &attrs_[found->second] == &attr) return attr;
    }
    throw std::runtime_error("twin: a sample of no event");
}

const TwinAttr& Twin::attr_of_other(std::size_t begin, std::size_t end) const {
    if (attrs_.size() == 1 || !attrs_.at(0).sample_id_all) return attrs_.at(0);
    for (const auto& attr : attrs_) {
        std::size_t back = 8;
        if (!attr.has(identifier)) back += (attr.has(cpu) ? 8 : 0) + (attr.has(stream_id) ? 8 : 0);
        if (end - begin < back + 8) continue;
        const auto found = by_id_.find(in_.u64(end - back));
        if (found != by_id_.end() && &attrs_[found->second] == &attr) return attr;
    }
    return attrs_[0];
}

void Twin::kernel_record(std::uint32_t type, std::size_t at, std::size_t end, std::uint16_t misc) {
    const auto& attr = attr_of_other(at, end);
    if (attr.sample_id_all) {
        std::string trailer;
        for (const auto bit : {tid, time_, id_, stream_id, cpu, identifier}) {
            if (attr.has(bit)) trailer += bit == tid || bit == cpu ? "44" : "8";
        }
        std::size_t bytes = 0;
        for (const char digit : trailer) bytes += static_cast<std::size_t>(digit - '0');
        end -= bytes;
        in_.fields(end, trailer);
    }
    const auto body = at + 8;
    switch (type) {
        case 1: in_.fields(body, "44888"); break;
        case 2: in_.fields(body, "88"); break;
        case 3:
        case 12:
        case 15: in_.fields(body, "44"); break;
        case 4:
        case 7: in_.fields(body, "44448"); break;
        case 5:
        case 6:
        case 11: in_.fields(body, "888"); break;
        case 8:
            in_.fields(body, "44");
            in_.run(body + 8, end, 8);
            break;
        case 10:
            in_.fields(body, "44888");
            if ((misc >> 14 & 1) == 0) in_.fields(at + 40, "4488");
            in_.fields(at + 64, "44");
            break;
        case 13:
        case 19:
        case 21: in_.fields(body, "8"); break;
        case 14: break;
        case 16:
            in_.fields(body, "44");
            in_.run(body + 8, end, 8);
            break;
        case 17: in_.fields(body, "8422"); break;
        case 18: in_.fields(body, "224"); break;
        case 20: in_.fields(body, "822"); break;
        case 22: in_.run(body, end, 8); break;
        default: throw std::runtime_error("twin: an unknown kernel record");
    }
}

void Twin::cpu_map(std::size_t at) {
    const auto kind = in_.u16(at);
    const std::size_t count = in_.u16(at + 2);
    if (kind > 2) throw std::runtime_error("twin: a CPU map of a kind that is not known");
    in_.turn(at, 2);
    if (kind == 2) {
        in_.fields(at + 4, "22");
        return;
    }
    in_.turn(at + 2, 2);
    if (kind == 0) in_.run(at + 4, at + 4 + 2 * count, 2);
    if (kind != 1) return;
    const auto word = in_.u16(at + 4);
    if (word != 4 && word != 8) throw std::runtime_error("twin: a CPU mask of odd words");
    in_.turn(at + 4, 2);
    if (word == 4) in_.run(at + 6, at + 6 + 4 * count, 4);
    if (word == 8) in_.run(at + 10, at + 10 + 8 * count, 8);
}

// Returns the size of the data behind the record.
std::size_t Twin::tool_record(std::uint32_t type, std::size_t at, std::size_t end, bool pipe) {
    const auto body = at + 8;
    switch (type) {
        case 64: {
            const auto index = add_attr(body);
            const auto bytes = in_.u32(body + 4) == 0 ? 64 : in_.u32(body + 4);
            attr(body, bytes);
            for (auto place = body + bytes; place + 8 <= end; place += 8) by_id_[in_.u64(place)] = index;
            in_.run(body + bytes, end, 8);
            return 0;
        }
        case 65: in_.fields(body, "8"); return 0;
        case 66: in_.run(body, end, 4); return pipe ? in_.u32(body) : 0;
        case 67: in_.fields(body, "4"); return 0;
        case 68:
        case 82: return 0;
        case 69:
        case 75:
        case 77: in_.run(body, end, 8); return 0;
        case 70:
            in_.fields(body, "44");
            in_.run(body + 8, end, 8);
            return 0;
        case 71: in_.fields(body, "8884444"); return in_.size_at(body);
        case 72: {
            const auto format = in_.u32(at + 28);
            in_.fields(body, "4444448");
            if (format >= 1) in_.fields(at + 40, "8");
            if (format >= 2) in_.fields(at + 112, "44");
            return 0;
        }
        case 73:
            in_.fields(body, "8");
            for (auto place = at + 16; place + 24 <= end; place += 24) in_.turn(place, 8);
            return 0;
        case 74: cpu_map(body); return 0;
        case 76: in_.fields(body, "844888"); return 0;
        case 78: {
            const auto kind = in_.u64(body);
            in_.fields(body, "88");
            if (kind == 1) in_.turn(at + 24, 8);
            if (kind == 3) cpu_map(at + 24);
            return 0;
        }
        case 79: in_.run(body, std::min(end, at + 48), 8); return 0;
        case 80:
            in_.fields(body, "8");
            if (end > at + 16) feature(static_cast<unsigned>(in_.u64(body)), at + 16, end);
            return 0;
        case 84: in_.turn(at + 520, 8); return 0;
        case 85: in_.fields(body, "8422444444888"); return 0;
        case 86:
            in_.fields(body, "8422");
            in_.run(at + 24, end, 4);
            return 0;
        default:
            if (type < 87) throw std::runtime_error("twin: a record that cannot be turned");
            return 0;
    }
}

std::size_t Twin::read_values(std::size_t at, std::uint64_t format) {
    const auto bits = [&](std::uint64_t mask) { return static_cast<std::size_t>(std::popcount(format & mask)); };
    const std::size_t values = (format & 8) != 0 ? in_.size_at(at) * (1 + bits(4 | 16)) : bits(4 | 16);
    return in_.run(at, at + 8 * (1 + bits(1 | 2) + values), 8);
}

std::size_t Twin::branches(std::size_t at, std::size_t end, const TwinAttr& attr, bool empty_has_index) {
    constexpr std::array<unsigned, 10> widths = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};
    const auto count = in_.size_at(at);
    in_.turn(at, 8);
    at += 8;
    if ((attr.branch_type >> 17 & 1) != 0 && (count != 0 || empty_has_index)) at = in_.fields(at, "8");
    for (std::size_t index = 0; index < count; ++index, at += 24) {
        in_.fields(at, "88");
        in_.put(at + 16, mirrored(in_.u64(at + 16), widths), 8);
    }
    if ((attr.branch_type >> 19 & 1) != 0) at = in_.run(at, std::min(end, at + 8 * count), 8);
    return at;
}

std::size_t Twin::registers(std::size_t at, std::uint64_t mask) {
    const std::size_t count = in_.u64(at) == 0 ? 0 : static_cast<std::size_t>(std::popcount(mask));
    return in_.run(at, at + 8 + 8 * count, 8);
}

// An empty branch stack may or may not have hw_idx: the reading that ends with the record is right.
void Twin::sample(std::size_t at, std::size_t end) {
    for (const bool empty_has_index : {false, true}) {
        in_.restore(at + 8, end);
        in_.limit(end);
        try {
            if (turn_sample(at, end, empty_has_index) == end) return in_.limit(in_.size());
        } catch (const std::out_of_range&) {
        }
    }
    throw std::runtime_error("twin: a sample that does not fit its event");
}

std::size_t Twin::turn_sample(std::size_t at, std::size_t end, bool empty_has_index) {
    const auto& attr = attr_of_sample(at);
    at += 8;
    const auto plain = [&](Bit bit, std::string_view sizes) {
        if (attr.has(bit)) at = in_.fields(at, sizes);
    };
    plain(identifier, "8");
    plain(ip, "8");
    plain(tid, "44");
    plain(time_, "8");
    plain(addr, "8");
    plain(id_, "8");
    plain(stream_id, "8");
    plain(cpu, "44");
    plain(period, "8");
    if (attr.has(read_)) at = read_values(at, attr.read_format);
    if (attr.has(callchain)) at = in_.run(at, at + 8 + 8 * in_.size_at(at), 8);
    if (attr.has(raw)) {
        const auto size = in_.u32(at);
        in_.turn(at, 4);
        at += 4 + size;
    }
    if (attr.has(branch_stack)) at = branches(at, end, attr, empty_has_index);
    if (attr.has(regs_user)) at = registers(at, attr.user_mask);
    if (attr.has(stack_user)) {
        const auto size = in_.size_at(at);
        in_.turn(at, 8);
        at += 8 + size;
        if (size != 0) at = in_.fields(at, "8");
    }
    plain(weight, "8");
    plain(weight_struct, "8");  // its members are in reverse order: swap the word as a whole
    plain(data_src, "8");
    plain(transaction, "8");
    if (attr.has(regs_intr)) at = registers(at, attr.interrupt_mask);
    plain(phys_addr, "8");
    plain(cgroup, "8");
    plain(data_page, "8");
    plain(code_page, "8");
    if (attr.has(aux)) {
        const auto size = in_.size_at(at);
        in_.turn(at, 8);
        at += 8 + size;
    }
    return at;
}

void Twin::feature(unsigned number, std::size_t at, std::size_t end) {
    switch (number) {
        case 1:
        case 15:
        case 19: break;
        case 2: build_ids(at, end); break;
        case 3:
        case 4:
        case 5:
        case 6:
        case 8:
        case 9: string(at); break;
        case 7: available_cpus_ = in_.u32(at); [[fallthrough]];
        case 33: in_.fields(at, "44"); break;
        case 10:
        case 23:
        case 24: in_.fields(at, "8"); break;
        case 11: strings(at); break;
        case 12: event_desc(at); break;
        case 13: {
            at = strings(strings(at));
            at = in_.run(at, std::min(end, at + 8 * available_cpus_), 4);
            if (at == end) break;
            at = strings(at);
            in_.run(at, end, 4);
            break;
        }
        case 14: repeated(at, "488s"); break;
        case 16: repeated(at, "4s"); break;
        case 17: repeated(at, "s44"); break;
        case 18: in_.run(at, end, 8); break;
        case 20: repeated(in_.fields(at, "4"), "4444sss"); break;
        case 21: in_.fields(at, "88"); break;
        case 22: elements(in_.fields(at, "888"), in_.u64(at + 16), "88B"); break;
        case 25: programs(at); break;
        case 26: btf_blobs(at); break;
        case 27: in_.fields(at, "44444"); break;
        case 28:
        case 30: repeated(at, "ss"); break;
        case 29: in_.fields(at, "4488"); break;
        case 31: {
            const auto count = in_.u32(at);
            at = in_.fields(at, "4");
            for (std::uint32_t index = 0; index < count; ++index) at = string(repeated(at, "ss"));
            break;
        }
        case 32: domains(at, end); break;
        case 34: in_.fields(at, "4"); break;
        default: throw std::runtime_error("twin: an unknown feature");
    }
}

void Twin::domains(std::size_t at, std::size_t end) {
    const bool named = in_.u32(at) >= 17;
    at = in_.fields(at, "44");
    while (at < end) {
        at = in_.fields(at, "4");
        at = repeated(at, named ? "4sss" : "4ss");
    }
}

void Twin::build_ids(std::size_t at, std::size_t end) {
    while (at + 36 <= end) {
        const std::size_t size = in_.u16(at + 6);
        if (size < 36) throw std::runtime_error("twin: a damaged build-id");
        in_.fields(at, "4224");
        at += size;
    }
}

void Twin::event_desc(std::size_t at) {
    const auto count = in_.u32(at);
    const auto bytes = in_.u32(at + 4);
    at = in_.fields(at, "44");
    for (std::uint32_t index = 0; index < count; ++index) {
        attr(at, bytes);
        const auto ids = in_.u32(at + bytes);
        at = string(in_.fields(at + bytes, "4"));
        at = in_.run(at, at + std::size_t{8} * ids, 8);
    }
}

void Twin::programs(std::size_t at) {
    struct Array {
        std::size_t offset, count, size, record_size;  // offsets of fields in the info; 0 if the size is fixed
    };
    constexpr std::array<Array, 9> arrays = {{{24, 16, 1, 0},
                                              {32, 20, 1, 0},
                                              {56, 52, 4, 0},
                                              {112, 104, 8, 0},
                                              {120, 108, 4, 0},
                                              {136, 144, 4, 132},
                                              {152, 148, 4, 172},
                                              {160, 168, 8, 176},
                                              {184, 180, 1, 0}}};
    const auto count = in_.u32(at);
    at = in_.fields(at, "4");
    for (std::uint32_t index = 0; index < count; ++index) {
        const auto info_bytes = in_.u32(at), data_bytes = in_.u32(at + 4);
        const auto bits = in_.u64(at + 8);
        in_.fields(at, "448");
        const auto info = at + 16, data = info + info_bytes;
        if (info_bytes < 232) throw std::runtime_error("twin: a short bpf_prog_info");
        in_.fields(info, "44");
        in_.fields(info + 16, "44888448");
        in_.fields(info + 80, "4");
        in_.put(info + 84, mirrored(in_.u32(info + 84), std::array<unsigned, 2>{1, 31}, 32), 4);
        in_.fields(info + 88, "8844884484488444488884444");
        for (std::size_t bit = 0; bit < arrays.size(); ++bit) {
            if ((bits >> bit & 1) == 0) continue;
            const auto& array = arrays[bit];
            const auto begin = data + in_.size_at(info + array.offset);
            const std::size_t stride = array.record_size == 0 ? array.size : in_.u32(info + array.record_size);
            const auto end = begin + in_.u32(info + array.count) * stride;
            if (end > data + data_bytes) throw std::runtime_error("twin: a damaged program");
            if (array.size != 1) in_.run(begin, end, array.size);
        }
        at = data + data_bytes;
    }
}

void Twin::btf_blobs(std::size_t at) {
    const auto count = in_.u32(at);
    at = in_.fields(at, "4");
    for (std::uint32_t index = 0; index < count; ++index) {
        const auto bytes = in_.u32(at + 4);
        in_.fields(at, "44");
        if (bytes >= 24 && in_.u16(at + 8) == 0xeb9f) btf(at + 8);
        at += 8 + bytes;
    }
}

// BTF's types consist of u32 only; the rest is text.
void Twin::btf(std::size_t at) {
    const auto header = in_.u32(at + 4);
    const auto types = at + header + in_.u32(at + 8);
    const auto types_bytes = in_.u32(at + 12);
    in_.turn(at, 2);
    in_.run(at + 4, at + header, 4);
    in_.run(types, types + types_bytes, 4);
}

}  // namespace

Blob big_endian_twin(const Blob& file) {
    return Twin(file).make();
}

}  // namespace perfdata::test
