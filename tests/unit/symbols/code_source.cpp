// SPDX-License-Identifier: MIT
// What a new source of code must answer, and what it has for nothing.
#include "symbols/code_source.hpp"

#include <type_traits>
#include <utility>

#include "catch.hpp"

using namespace perfdata;

namespace {

// The four questions.
class Name : public virtual CodeSource {
  public:
    FrameName name(const Frame&) const override {
        FrameName name;
        name.symbol = "scratch";
        return name;
    }
};
class Extent : public virtual CodeSource {
  public:
    FunctionExtent extent(const Frame& frame) const override {
        Frame begin = frame;
        begin.offset = 0;
        return {begin, 64, {}};
    }
};
class Image : public virtual CodeSource {
  public:
    Result<CodeImage> image(const CodeVersion& version, std::uint64_t) const override { return no_extent(version); }
};
class Lines : public virtual CodeSource {
  public:
    Result<std::vector<LineStart>> lines(const Frame&, std::uint64_t) const override {
        return std::vector<LineStart>{};
    }
};
template <class... Answers>
class Scratch : public Answers... {};

// A source that leaves one of them open cannot be made: it does not compile in code_sources.
static_assert(!std::is_abstract_v<Scratch<Name, Extent, Image, Lines>>);
static_assert(std::is_abstract_v<Scratch<Extent, Image, Lines>>);
static_assert(std::is_abstract_v<Scratch<Name, Image, Lines>>);
static_assert(std::is_abstract_v<Scratch<Name, Extent, Lines>>);
static_assert(std::is_abstract_v<Scratch<Name, Extent, Image>>);

}  // namespace

TEST_CASE("a source of code with four answers has the others for nothing", "[symbols][code_source]") {
    const Scratch<Name, Extent, Image, Lines> scratch;
    const CodeSource& source = scratch;
    Frame frame;
    frame.offset = 24;
    CHECK(source.function(frame).offset == 0);
    CHECK(source.wants_a_name(frame));
    CHECK(source.lines_size(frame) == 0);
    CHECK_FALSE(source.lines_problem(frame, {}));

    CodeVersion version;
    version.function = frame;
    const auto image = source.image(version, 64);
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::missing);
    CHECK(image.error().where == "scratch");
}
