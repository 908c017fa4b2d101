// SPDX-License-Identifier: MIT
// Words of call chains in an anonymized recording: code stays, and what lay on the stack beside it does not.
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "perfdata/recording/record_stream.hpp"

#include "bundle/anonymize/code_addresses.hpp"
#include "catch.hpp"
#include "support/features.hpp"
#include "support/sketch.hpp"
#include "unit/annotate/anonymized.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using ChainWords = std::vector<std::uint64_t>;

// The words of the chains that are left of a recording of samples with chains alone.
ChainWords chain_words_left(const Blob& made) {
    ChainWords left;
    const auto recording = Recording::from_memory(made).value();
    auto stream = recording.records();
    for (const RecordView& record : stream) {
        if (record.type() != RecordType::sample) continue;
        constexpr std::size_t chain_at = 8 + 3 * 8;
        for (auto at = chain_at + 8; at < record.bytes.size(); at += 8) {
            left.push_back(record.order.load<std::uint64_t>(record.bytes.data() + at));
        }
    }
    return left;
}

constexpr std::uint64_t chain_kernel = ~std::uint64_t{127}, chain_user = ~std::uint64_t{511},
                        chain_deferred = ~std::uint64_t{639}, chain_guest = ~std::uint64_t{2047};

}  // namespace

TEST_CASE("What is no address is left out of call chains", "[annotate][anonymize]") {
    constexpr std::uint64_t ip = 0x401000, mapped = 0x7f3d48544000;
    const std::uint64_t secrets[] = {
        0x3d485441505f5952, 0x006e69622f3d4854,  // text
        0x0070616d73736170, 0x9f3a5bd2c4e6f708,  // short text, and a key
        0xdeadbeefcafef00d, 0x0000007000000061,  // a key, and UTF-32
        mapped - 1,         mapped + 0x2001,     // where nothing is
        0xffffffff81000000,                      // nor the kernel's in the chain of a program
    };
    const std::uint64_t code[] = {mapped, mapped + 0x1234, mapped + 0x2000, ip, 0xffffffffff600400};
    for (const bool late : {true, false}) {
        for (const auto secret : secrets) {
            ChainWords frames{chain_kernel, 0xffffffff81000000, 0xffff888812345678, chain_user, secret};
            frames.insert(frames.end(), std::begin(code), std::end(code));
            Sketch sketch(Sketch::plain | sample_bit::callchain);
            sketch.feature(Feature::arch, feature_string(std::endian::little, "x86_64"));
            // The mapping of another process counts as well, and one that is recorded later.
            if (!late) sketch.mmap(2, mapped, 0x2000, "/usr/lib/x.so", 4);
            sketch.chain(ip, 1, 5, frames);
            if (late) sketch.mmap(2, mapped, 0x2000, "/usr/lib/x.so", 6);
            auto anonymizer = an_anonymizer();
            const auto file = sketch.build();
            const auto made = anonymized_recording(Recording::from_memory(file).value(), anonymizer);
            INFO("word " << std::hex << secret << (late ? ", mapped later" : ""));
            CHECK(sum_of_kind(anonymizer, "dropped_chain_words") == 1);
            auto want = frames;
            want[4] = 0;
            CHECK(chain_words_left(made) == want);
        }
    }
}

TEST_CASE("Words of the stack that look like marks let nothing pass", "[annotate][anonymize]") {
    constexpr std::uint64_t ip = 0x401000, mapped = 0x7f3d48544000, secret = 0x9f3a5bd2c4e6f708,
                            high = 0xff1234567890abcd, code = 0xffffffff81000000, guest_kernel = ~std::uint64_t{2175},
                            hypervisor = ~std::uint64_t{31};
    struct Marked {
        bool deferring;
        ChainWords frames;
        std::size_t dropped;  // its place; 99: none
    };
    const Marked all[] = {
        // A number that the kernel gave: at the end, and if the event asks for it.
        {true, {chain_kernel, code, chain_deferred, secret}, 99},
        {true, {chain_deferred, secret}, 99},
        {true, {chain_kernel, code, chain_deferred, secret, mapped}, 3},
        {true, {chain_kernel, code, chain_deferred, mapped, secret}, 4},
        {false, {chain_kernel, code, chain_deferred, secret}, 3},
        {false, {chain_user, mapped, chain_deferred, secret}, 3},
        // The kernel's part comes first.
        {false, {chain_user, chain_kernel, high, mapped}, 2},
        {false, {chain_user, mapped, guest_kernel, high, mapped}, 3},
        {false, {chain_user, mapped, hypervisor, high, mapped}, 3},
        {false, {chain_user, mapped, chain_guest, high, mapped}, 3},
        {false, {chain_kernel, code, chain_user, mapped, chain_kernel, high}, 5},
        {false, {chain_kernel, high, chain_user, mapped}, 99},
    };
    for (const auto& one : all) {
        Sketch sketch(Sketch::plain | sample_bit::callchain);
        if (one.deferring) sketch.defer_callchains();
        sketch.feature(Feature::arch, feature_string(std::endian::little, "x86_64"));
        sketch.mmap(2, mapped, 0x2000, "/usr/lib/x.so", 4);
        sketch.chain(ip, 1, 5, one.frames);
        auto anonymizer = an_anonymizer();
        const auto file = sketch.build();
        const auto left = chain_words_left(anonymized_recording(Recording::from_memory(file).value(), anonymizer));
        auto want = one.frames;
        if (one.dropped < want.size()) want[one.dropped] = 0;
        INFO("case " << &one - std::begin(all));
        CHECK(left == want);
    }
}

TEST_CASE("Words of call chains are judged by the machine and the context", "[annotate][anonymize]") {
    struct Judged {
        std::string_view arch;
        std::uint64_t mark, word;
        bool stays;
    };
    constexpr std::uint64_t none = 0x1000;  // no mark: the sample's own address
    const Judged all[] = {
        {"x86_64", chain_kernel, 0xffffffffc0123456, true},   {"x86_64", chain_kernel, 0xfeffffffc0123456, false},
        {"x86_64", chain_kernel, 0x0000555555554000, false},  {"x86_64", none, 0xffffffffc0123456, true},
        {"x86_64", none, 0x9f3a5bd2c4e6f708, false},          {"x86_64", chain_guest, 0xffffffffc0123456, true},
        {"x86_64", chain_guest, 0x0000555555554000, false},   {"aarch64", chain_kernel, 0xffff800008123456, true},
        {"aarch64", chain_kernel, 0xdead800008123456, false}, {"aarch64", chain_user, 0xffffffffff600400, false},
        {"s390x", chain_kernel, 0x0000000000123456, true},    {"s390x", chain_user, 0x0000000000123456, false},
        {"s390x", chain_kernel, 0x3d485441505f5952, false},   {"", chain_kernel, 0xffffffffc0123456, true},
        {"", chain_user, 0xffffffffc0123456, false},
    };
    for (const auto& one : all) {
        INFO(one.arch << ' ' << std::hex << one.mark << ' ' << one.word);
        const std::uint64_t frames[] = {one.mark, one.word};
        Sketch sketch(Sketch::plain | sample_bit::callchain);
        if (!one.arch.empty()) sketch.feature(Feature::arch, feature_string(std::endian::little, one.arch));
        // Mappings of the kernel and of more than a machine has say nothing.
        Writer body(std::endian::little);
        body.u32(~std::uint32_t{0}).u32(0).u64(0).u64(~std::uint64_t{0}).u64(0);
        sketch.kernel_record(RecordType::mmap, body.padded_text("[kernel.kallsyms]_text").take(), 3, 1, Sketch::kernel);
        sketch.kernel_record(RecordType::mmap, body.padded_text("//anon").take(), 4, 1, Sketch::user);
        sketch.chain(0x1000, 1, 5, frames);
        auto anonymizer = an_anonymizer();
        const auto file = sketch.build();
        CHECK(chain_words_left(anonymized_recording(Recording::from_memory(file).value(), anonymizer)) ==
              ChainWords{one.mark, one.stays ? one.word : 0});
    }
}

TEST_CASE("A set of addresses is bounded", "[annotate][anonymize]") {
    RangeSet all;
    for (std::uint64_t at = 20000; at != 0; --at) all.add(at * 100, at * 100 + 50);
    all.add(1010, 1120);
    all.finish();
    for (const auto inside : {100u, 150u, 1000u, 1060u, 1120u, 1150u, 2000050u}) CHECK(all.contains(inside));
    for (const auto outside : {0u, 99u, 151u, 1151u, 2000051u}) CHECK(!all.contains(outside));
    RangeSet few(3);
    for (std::uint64_t at = 1; at < 10000; ++at) few.add(at * 100, at * 100 + 50);
    few.finish();
    CHECK(few.contains(100));
    CHECK(few.contains(350));
    CHECK(!few.contains(450));
}
