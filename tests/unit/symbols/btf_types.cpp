// SPDX-License-Identifier: MIT
// C prototypes from BTF of either byte order.
#include "perfdata/symbols/bpf/btf.hpp"

#include "catch.hpp"
#include "unit/symbols/btf_builder.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using B = BtfBuilder;

class Types : public BtfBuilder {
  public:
    explicit Types(std::endian order = std::endian::little) : BtfBuilder(order), order_(order) {}

    // declared(type, name) returns the declaration of a parameter: the text between the parentheses of "int f(...)".
    std::string declared(std::uint32_t type, std::string_view name = "v") {
        const auto text = whole(integer("int"), {{std::string(name), type}});
        REQUIRE(text.starts_with("int f("));
        REQUIRE(text.ends_with(")"));
        return text.substr(6, text.size() - 7);
    }
    std::string whole(std::uint32_t result, const std::vector<Parameter>& parameters, Linkage linkage = is_global) {
        const auto id = function("f", prototype(result, parameters), linkage);
        data_ = blob();
        const auto btf = perfdata::Btf::parse({1, 0, data_}, AnyOrder(order_));
        REQUIRE(btf);
        REQUIRE_FALSE(btf->problem());
        CHECK(btf->function_name(id) == "f");
        return btf->prototype(id);
    }

  private:
    std::endian order_;
    Blob data_;
};

}  // namespace

TEST_CASE("A prototype has linkage, result, name and parameters", "[symbols][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Types types(order);
    const auto word = types.integer("__u64", 8);
    const auto small = types.refer(B::kind_typedef, "u32", types.integer("unsigned int"));
    CHECK(types.whole(small, {{"v", word}}, B::is_static) == "static u32 f(__u64 v)");
    CHECK(types.whole(small, {{"v", word}, {"n", small}}) == "u32 f(__u64 v, u32 n)");
    CHECK(types.whole(small, {}, B::is_extern) == "extern u32 f(void)");
}

TEST_CASE("void stands for no result and for no parameters", "[symbols][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CHECK(Types(order).whole(0, {}) == "void f(void)");
}

TEST_CASE("Variable arguments end the list", "[symbols][btf]") {
    Types types(GENERATE(std::endian::little, std::endian::big));
    const auto format = types.pointer(types.constant(types.integer("char", 1)));
    CHECK(types.whole(types.integer("long", 8), {{"format", format}, {"", 0}}) == "long f(const char *format, ...)");
    CHECK(types.whole(0, {{"", 0}}) == "void f(...)");
}

TEST_CASE("Pointers and qualifiers stand where C puts them", "[symbols][btf]") {
    Types types(GENERATE(std::endian::little, std::endian::big));
    const auto character = types.integer("char", 1);
    const auto text = types.pointer(types.constant(character));
    CHECK(types.declared(types.pointer(character), "p") == "char *p");
    CHECK(types.declared(text, "p") == "const char *p");
    CHECK(types.declared(types.constant(types.pointer(character)), "p") == "char *const p");
    CHECK(types.declared(types.constant(text), "p") == "const char *const p");
    CHECK(types.declared(types.pointer(types.constant(types.pointer(character))), "p") == "char *const *p");
    CHECK(types.declared(types.pointer(text), "p") == "const char **p");
    CHECK(types.declared(types.pointer(0), "p") == "void *p");
    CHECK(types.declared(types.pointer(types.constant(0)), "p") == "const void *p");
    CHECK(types.declared(types.constant(types.pointer(types.constant(0))), "p") == "const void *const p");
    CHECK(types.declared(types.refer(B::kind_volatile, "", character), "v") == "volatile char v");
    CHECK(types.declared(types.refer(B::kind_restrict, "", types.pointer(character)), "p") == "char *restrict p");
    CHECK(types.declared(types.refer(B::kind_volatile, "", types.pointer(character)), "p") == "char *volatile p");
    CHECK(types.declared(types.constant(types.refer(B::kind_volatile, "", character)), "v") == "const volatile char v");
}

TEST_CASE("Two qualifiers of one pointer both stand behind its star", "[symbols][btf]") {
    Types types;
    const auto pointer = types.pointer(types.integer("int"));
    const auto both = types.constant(types.refer(B::kind_volatile, "", pointer));
    CHECK(types.declared(both, "p") == "int *volatile const p");
}

TEST_CASE("Parameters without a name have no space left for it", "[symbols][btf]") {
    Types types;
    const auto character = types.integer("char", 1);
    CHECK(types.declared(character, "") == "char");
    CHECK(types.declared(types.pointer(character), "") == "char *");
    CHECK(types.declared(types.constant(types.pointer(character)), "") == "char *const");
    CHECK(types.declared(types.array(character, 3), "") == "char[3]");
    CHECK(types.declared(types.pointer(types.prototype(0)), "") == "void (*)(void)");
}

TEST_CASE("Arrays and pointers to them bind as in C", "[symbols][btf]") {
    Types types(GENERATE(std::endian::little, std::endian::big));
    const auto number = types.integer("int");
    const auto row = types.array(number, 4);
    CHECK(types.declared(row, "a") == "int a[4]");
    CHECK(types.declared(types.array(row, 3), "a") == "int a[3][4]");
    CHECK(types.declared(types.pointer(row), "p") == "int (*p)[4]");
    CHECK(types.declared(types.array(types.pointer(number), 2), "a") == "int *a[2]");
    CHECK(types.declared(types.constant(row), "a") == "const int a[4]");
    CHECK(types.declared(types.array(number, 0), "a") == "int a[0]");
}

TEST_CASE("Function pointers carry their own parameters", "[symbols][btf]") {
    Types types(GENERATE(std::endian::little, std::endian::big));
    const auto number = types.integer("int");
    const auto callback = types.prototype(types.integer("long", 8), {{"i", number}, {"", types.pointer(0)}});
    CHECK(types.declared(types.pointer(callback), "fn") == "long (*fn)(int i, void *)");
    CHECK(types.declared(types.array(types.pointer(callback), 2), "fns") == "long (*fns[2])(int i, void *)");
    CHECK(types.declared(types.constant(types.pointer(callback)), "fn") == "long (*const fn)(int i, void *)");
    CHECK(types.declared(types.pointer(types.pointer(callback)), "fn") == "long (**fn)(int i, void *)");
    CHECK(types.whole(types.pointer(callback), {{"n", number}}) == "long (*f(int n))(int i, void *)");
}

TEST_CASE("Tagged types say which tag they are of", "[symbols][btf]") {
    Types types(GENERATE(std::endian::little, std::endian::big));
    CHECK(types.declared(types.pointer(types.composite(B::kind_struct, "cell")), "c") == "struct cell *c");
    CHECK(types.declared(types.composite(B::kind_union, "both")) == "union both v");
    CHECK(types.declared(types.enumeration("mode", {"ADD", "ROTATE"})) == "enum mode v");
    CHECK(types.declared(types.composite(B::kind_enum64, "wide")) == "enum wide v");
    CHECK(types.declared(types.pointer(types.composite(B::kind_fwd, "later")), "p") == "struct later *p");
    CHECK(types.declared(types.pointer(types.composite(B::kind_fwd, "later", true)), "p") == "union later *p");
    CHECK(types.declared(types.composite(B::kind_struct, "")) == "struct {...} v");
    CHECK(types.declared(types.composite(B::kind_enum, "")) == "enum {...} v");
}

TEST_CASE("Typedefs, floats and integers go by their names", "[symbols][btf]") {
    Types types(GENERATE(std::endian::little, std::endian::big));
    const auto unnamed = types.composite(B::kind_struct, "");
    CHECK(types.declared(types.refer(B::kind_typedef, "cell_t", unnamed)) == "cell_t v");
    CHECK(types.declared(types.floating("double")) == "double v");
    CHECK(types.declared(types.constant(types.refer(B::kind_typedef, "word_t", types.integer("int")))) ==
          "const word_t v");
}

TEST_CASE("A type tag leaves the type as it is", "[symbols][btf]") {
    Types types;
    const auto tagged = types.refer(B::kind_type_tag, "user", types.integer("char", 1));
    CHECK(types.declared(types.pointer(tagged), "p") == "char *p");
}

TEST_CASE("Only functions have function names and prototypes", "[symbols][btf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    B builder(order);
    const auto number = builder.integer("int");
    const auto proto = builder.prototype(number);
    const auto function = builder.function("real", proto);
    const auto data = builder.blob();
    const auto btf = perfdata::Btf::parse({1, 0, data}, AnyOrder(order));
    REQUIRE(btf);
    CHECK(btf->function_name(function) == "real");
    for (const auto id : {0u, number, proto, function + 1, 0x7fffffffu, ~0u}) {
        INFO("type " << id);
        CHECK(btf->function_name(id).empty());
        CHECK(btf->prototype(id).empty());
    }
}

TEST_CASE("Moved type information still answers", "[symbols][btf]") {
    B builder;
    const auto function = builder.function("real", builder.prototype(builder.integer("int")));
    const auto data = builder.blob();
    auto first = perfdata::Btf::parse({1, 0, data}, AnyOrder(std::endian::little));
    REQUIRE(first);
    const auto second = std::move(*first);
    CHECK(second.prototype(function) == "int real(void)");
    CHECK(second.text(1) == "int");
}
