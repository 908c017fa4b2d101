// SPDX-License-Identifier: MIT
// BTF that is damaged or newer than libbpf: available strings are read, and nothing is printed.
#include <cstdio>
#include <unistd.h>

#include "perfdata/symbols/bpf/btf.hpp"

#include "catch.hpp"
#include "unit/symbols/btf_builder.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using B = BtfBuilder;

// StandardError captures everything written to file descriptor 2.
class StandardError {
  public:
    StandardError() : kept_(::dup(2)), file_(std::tmpfile()) {
        REQUIRE(kept_ >= 0);
        REQUIRE(file_ != nullptr);
        std::fflush(stderr);
        ::dup2(::fileno(file_), 2);
    }
    ~StandardError() { restore(); }
    StandardError(const StandardError&) = delete;
    StandardError& operator=(const StandardError&) = delete;

    // text() returns it and ends the capture.
    std::string text() {
        restore();
        std::string all;
        std::rewind(file_);
        for (int character = std::fgetc(file_); character != EOF; character = std::fgetc(file_)) {
            all += static_cast<char>(character);
        }
        std::fclose(file_);
        return all;
    }

  private:
    void restore() {
        if (kept_ < 0) return;
        std::fflush(stderr);
        ::dup2(kept_, 2);
        ::close(kept_);
        kept_ = -1;
    }

    int kept_;
    std::FILE* file_;
};

struct SampleBtf {
    explicit SampleBtf(std::endian byte_order) : order(byte_order), builder(byte_order) {
        function = builder.function("real", builder.prototype(builder.integer("int")));
        data = builder.blob();
    }
    Result<perfdata::Btf> parse() const { return perfdata::Btf::parse({3, 1000, data}, AnyOrder(order)); }
    Result<perfdata::Btf> patched_at(std::size_t at, std::uint32_t value) {
        data = patched(data, order, at, value);
        return parse();
    }

    std::endian order;
    B builder;
    std::uint32_t function = 0;
    Blob data;
};

}  // namespace

TEST_CASE("Texts are found by offset, also in the middle of a text", "[symbols][btf]") {
    const SampleBtf sample(GENERATE(std::endian::little, std::endian::big));
    const auto btf = sample.parse();
    REQUIRE(btf);
    CHECK(btf->text(0).empty());
    CHECK(btf->text(1) == "int");
    CHECK(btf->text(2) == "nt");
    CHECK(btf->text(5) == "real");
    CHECK(btf->text(9).empty());  // its NUL
    CHECK(btf->text(10).empty());
    CHECK(btf->text(~0u).empty());
}

TEST_CASE("Without a whole header nothing is usable", "[symbols][btf]") {
    SampleBtf sample(GENERATE(std::endian::little, std::endian::big));
    const auto size = GENERATE(0u, 1u, 4u, 8u, 23u);
    sample.data.resize(size);
    const auto btf = sample.parse();
    REQUIRE_FALSE(btf);
    CHECK(btf.error().code == ErrorCode::truncated);
    CHECK(btf.error().where == "feature BPF_BTF");
    CHECK(btf.error().detail.find("BTF 3") != std::string::npos);
    CHECK(btf.error().offset >= 1000);
    CHECK(btf.error().offset <= 1024);
}

TEST_CASE("Without BTF's magic nothing is usable, nor with that of the other byte order", "[symbols][btf]") {
    SampleBtf sample(std::endian::little);
    CHECK(sample.patched_at(B::magic, 0x00010001).error().code == ErrorCode::malformed);
    const SampleBtf big(std::endian::big);
    const auto wrong = perfdata::Btf::parse({3, 1000, big.data}, AnyOrder(std::endian::little));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::malformed);
    CHECK(wrong.error().offset == 1000);
}

TEST_CASE("Strings that go beyond the blob make it unusable", "[symbols][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto field = GENERATE(B::header_size, B::strings_offset, B::strings_size);
    const auto value = GENERATE(std::uint32_t{0xffffffff}, std::uint32_t{0x80000000}, std::uint32_t{1000});
    SampleBtf sample(order);
    const auto btf = sample.patched_at(field, value);
    REQUIRE_FALSE(btf);
    CHECK(btf.error().code == ErrorCode::truncated);
}

TEST_CASE("One byte of string more than the blob has is too much, as many as it has are not", "[symbols][btf]") {
    SampleBtf sample(std::endian::little);
    const auto strings = static_cast<std::uint32_t>(10);
    CHECK(sample.patched_at(B::strings_size, strings));
    CHECK_FALSE(sample.patched_at(B::strings_size, strings + 1));
}

TEST_CASE("Types that libbpf refuses leave the texts readable", "[symbols][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    SampleBtf sample(order);
    SECTION("a kind that is not known yet") {
        sample.builder.type(31, "future", 0);
        sample.data = sample.builder.blob();
    }
    SECTION("types larger than their section") {
        sample.builder.type(B::kind_struct, "cut", 8, 1000);
        sample.data = sample.builder.blob();
    }
    SECTION("a type section that goes beyond the strings") {
        sample.data = patched(sample.data, order, B::types_size, std::uint32_t{0x1000});
    }
    SECTION("a type section at an odd offset") {
        sample.data = patched(sample.data, order, B::types_offset, std::uint32_t{2});
    }
    SECTION("a version from the future") {
        sample.data = patched(sample.data, order, 2, std::uint8_t{9});
    }
    const auto btf = sample.parse();
    REQUIRE(btf);
    CHECK(btf->text(1) == "int");
    CHECK(btf->text(5) == "real");
    if (btf->problem()) {
        CHECK(btf->problem()->code == ErrorCode::malformed);
        CHECK(btf->problem()->where == "feature BPF_BTF");
        CHECK(btf->problem()->offset == 1000);
        CHECK(btf->problem()->detail.find("BTF 3: libbpf refuses its types") == 0);
        CHECK(btf->function_name(sample.function).empty());
        CHECK(btf->prototype(sample.function).empty());
    } else {
        CHECK(btf->prototype(sample.function) == "int real(void)");
    }
}

TEST_CASE("A kind that is not known is a problem, and said to be one", "[symbols][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    SampleBtf sample(order);
    sample.builder.type(31, "future", 0);
    sample.data = sample.builder.blob();
    const auto btf = sample.parse();
    REQUIRE(btf);
    CHECK(btf->problem());
}

TEST_CASE("Strings without a NUL at their end are a problem, and a text without an end is empty", "[symbols][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    SampleBtf sample(order);
    sample.data.back() = std::byte{'!'};
    const auto btf = sample.parse();
    REQUIRE(btf);
    CHECK(btf->problem());
    CHECK(btf->text(1) == "int");
    CHECK(btf->text(5).empty());
}

TEST_CASE("A longer header, as newer kernels have, is skipped", "[symbols][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    SampleBtf sample(order);
    sample.data = sample.builder.blob(32);
    const auto btf = sample.parse();
    REQUIRE(btf);
    CHECK(btf->text(5) == "real");
    if (order == std::endian::little) {
        CHECK_FALSE(btf->problem());
        CHECK(btf->prototype(sample.function) == "int real(void)");
    } else {
        CHECK(btf->problem());  // libbpf reads the longer header only in native byte order
    }
}

TEST_CASE("libbpf prints nothing, whatever it dislikes", "[symbols][btf]") {
    std::vector<std::pair<std::endian, Blob>> blobs;
    for (const auto order : {std::endian::little, std::endian::big}) {
        SampleBtf sample(order);
        blobs.emplace_back(order, sample.builder.blob(32));  // big-endian: "unsupported header length"
        for (const auto field : {B::types_offset, B::types_size, B::strings_size}) {
            blobs.emplace_back(order, patched(sample.data, order, field, std::uint32_t{3}));
        }
        sample.builder.type(31, "future", 0);
        blobs.emplace_back(order, sample.builder.blob());
    }
    StandardError held;
    std::size_t problems = 0;
    for (const auto& [order, data] : blobs) {
        const auto btf = perfdata::Btf::parse({3, 0, data}, AnyOrder(order));
        problems += btf && btf->problem() ? 1 : 0;
        if (btf) (void)btf->prototype(3);
    }
    const auto printed = held.text();
    CHECK(printed.empty());
    CHECK(problems >= 5);
}

TEST_CASE("Type ids that lead nowhere are question marks or nothing", "[symbols][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    B builder(order);
    const auto number = builder.integer("int");
    const auto result = builder.function("result", builder.prototype(999));
    const auto parameter = builder.function("parameter", builder.prototype(number, {{"p", builder.pointer(999)}}));
    const auto no_proto = builder.function("no_proto", 999);
    const auto not_a_proto = builder.function("not_a_proto", number);
    const auto void_proto = builder.function("void_proto", 0);
    const auto linkage = builder.function("linkage", builder.prototype(number), 77);
    const auto data = builder.blob();
    const auto btf = perfdata::Btf::parse({3, 0, data}, AnyOrder(order));
    REQUIRE(btf);
    if (btf->problem()) {  // newer versions of libbpf check first
        CHECK(btf->prototype(result).empty());
        return;
    }
    CHECK(btf->prototype(result) == "? result(void)");
    CHECK(btf->prototype(parameter) == "int parameter(? *p)");
    CHECK(btf->prototype(no_proto).empty());
    CHECK(btf->prototype(not_a_proto).empty());
    CHECK(btf->prototype(void_proto).empty());
    CHECK(btf->function_name(not_a_proto) == "not_a_proto");
    CHECK(btf->prototype(linkage) == "int linkage(void)");
}

TEST_CASE("Names outside the strings are empty", "[symbols][btf]") {
    B builder;
    const auto function = builder.function("real", builder.prototype(builder.integer("int")));
    const auto data = patched(builder.blob(), std::endian::little, 24 + 16 + 12, std::uint32_t{0x7fffffff});
    const auto btf = perfdata::Btf::parse({3, 0, data}, AnyOrder(std::endian::little));
    REQUIRE(btf);
    CHECK(btf->function_name(function).empty());
}

TEST_CASE("Types that refer to themselves come to an end", "[symbols][btf]") {
    B builder;
    const auto number = builder.integer("int");
    const auto loop = builder.next_id();
    SECTION("a pointer to itself") {
        builder.pointer(loop);
    }
    SECTION("a constant of itself") {
        builder.constant(loop);
    }
    SECTION("an array of itself") {
        builder.array(loop, 5);
    }
    SECTION("a prototype that returns itself") {
        builder.prototype(loop, {{"p", number}});
    }
    SECTION("a prototype that takes itself, often") {
        builder.prototype(number, {20, {"p", loop}});
    }
    SECTION("two that refer to each other") {
        builder.pointer(loop + 1);
        builder.constant(loop);
    }
    const auto function = builder.function("f", builder.prototype(number, {{"a", loop}, {"b", loop}}));
    const auto data = builder.blob();
    const auto btf = perfdata::Btf::parse({3, 0, data}, AnyOrder(std::endian::little));
    REQUIRE(btf);
    const auto text = btf->prototype(function);
    CHECK(text.size() < 1'000'000);
    if (!btf->problem()) CHECK(text.find(" f(") != std::string::npos);
}

TEST_CASE("A prototype stays short even if its types branch without end", "[symbols][btf]") {
    // 12 KB of BTF: a prototype that takes itself forty times, and a thousand parameters without a type.
    B builder;
    const auto number = builder.integer("int");
    const auto loop = builder.next_id();
    std::vector<B::Parameter> parameters(40, {"", loop});
    parameters.resize(1040, {"", 0});
    builder.prototype(number, parameters);
    const auto function = builder.function("f", builder.prototype(number, {{"p", loop}}));
    const auto data = builder.blob();
    const auto btf = perfdata::Btf::parse({3, 0, data}, AnyOrder(std::endian::little));
    REQUIRE(btf);
    CHECK(btf->prototype(function).size() < 10'000);
}

TEST_CASE("Types behind a header of an odd size are refused, texts are not", "[symbols][btf]") {
    B builder;
    const auto number = builder.integer("int");
    const auto function = builder.function("f", builder.prototype(number, {}));
    auto data = builder.blob();
    REQUIRE(perfdata::Btf::parse({3, 0, data}, AnyOrder(std::endian::little))->function_name(function) == "f");
    constexpr std::size_t header_size = 24;
    data.insert(data.begin() + header_size, std::byte{0});
    data[4] = std::byte{header_size + 1};
    const auto btf = perfdata::Btf::parse({3, 0, data}, AnyOrder(std::endian::little));
    REQUIRE(btf);
    REQUIRE(btf->problem());
    CHECK(btf->problem()->detail.find("a header of 25 bytes") != std::string::npos);
    CHECK(btf->text(1) == "int");
    CHECK(btf->function_name(function).empty());
}
