// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "demangle_parts.hpp"
#include "libiberty_demangle.hpp"

namespace perfdata {
namespace {

using Component = demangle_component;

// Longer names stay mangled, as in perf and in the compiler's runtime. This bounds the depth of the parser, which needs
// up to 300 bytes of stack for each letter.
constexpr std::size_t longest_cxx_name = 1024;

// Largest size of a tree of components if everything referred to more than once is written out each time.
constexpr std::uint32_t most_components = 16384;
// Each pack expansion and each template parameter searches what is below it, or what it stands for.
constexpr std::uint64_t most_looks = std::uint64_t{1} << 22;
// libiberty's printer keeps an array of templates × references to parameters on the stack, 16 bytes each.
constexpr std::uint64_t most_saved_templates = 16384;

// Returns true if parsing may take exponential time: after "cv", a conversion operator, libiberty tries each "T_I...E"
// twice, so each level of nesting doubles the time. The letters may also belong to an identifier.
bool is_slow_to_parse(std::string_view symbol) {
    constexpr unsigned most_tries = 8;
    unsigned tries = 0;
    for (auto at = symbol.find("cv"); at < symbol.size() && (at = symbol.find("_I", at)) != symbol.npos; ++at) {
        // T_I, T0_I, TL0__I
        auto begin = at;
        while (begin != 0 && (symbol[begin - 1] == '_' || (symbol[begin - 1] >= '0' && symbol[begin - 1] <= '9') ||
                              (symbol[begin - 1] >= 'A' && symbol[begin - 1] <= 'S'))) {
            --begin;
        }
        if (begin != 0 && symbol[begin - 1] == 'T' && ++tries > most_tries) return true;
    }
    return false;
}

#if defined(__clang__)
#define PERFDATA_PLAIN_FRAME [[clang::noinline, clang::no_sanitize("address", "memory")]]
#else
#define PERFDATA_PLAIN_FRAME [[gnu::noinline, gnu::noclone, gnu::no_sanitize("address")]]
#endif

// Fills the stack that the next function called from here will have.
PERFDATA_PLAIN_FRAME void fill_stack(unsigned char value) {
    constexpr std::size_t enough = 1024;  // cplus_demangle_v3_components() has less than 200
    volatile unsigned char area[enough];
    for (auto& byte : area) byte = value;
}

// Parses a name. cplus_demangle_v3_components() does not set d_info::unresolved_name_state as d_demangle_callback()
// does: it finds there what the stack held before, so a name with "sr" (as "sr3std7is_sameI...") would be readable in
// one build or thread and not in another. Not 0 means to try the new syntax of such names, 0 the old one: both are
// tried here, in the order of d_demangle_callback().
PERFDATA_PLAIN_FRAME Component* parse(const char* symbol, int options, void** memory) {
    fill_stack(1);
    auto* root = cplus_demangle_v3_components(symbol, options, memory);
    if (root == nullptr && std::strstr(symbol, "sr") != nullptr) {
        fill_stack(0);
        root = cplus_demangle_v3_components(symbol, options, memory);
    }
    // As the last thing done, a call would become a jump, with another stack than what was filled.
    asm volatile("" : "+r"(root));
    return root;
}

#undef PERFDATA_PLAIN_FRAME

// Tree is the components of a name. Several may refer to one, so it really is a graph.
class Tree {
  public:
    Tree(const std::string& symbol, int options) {
        void* memory = nullptr;
        root_ = parse(symbol.c_str(), options, &memory);
        components_.reset(static_cast<Component*>(memory));
        count_ = 2 * symbol.size();  // as in cplus_demangle_init_info()
    }

    Component* root() const { return root_; }

    // Returns true if the printer stays within bounds.
    bool harmless() const {
        const auto all = expanded();
        if (!all) return false;
        return all->components * all->looks <= most_looks &&
               std::uint64_t{all->templates} * all->references <= most_saved_templates;
    }

  private:
    // Sums over everything below a component, counted as often as it would be printed.
    struct Sums {
        std::uint64_t components = 1, looks = 0, templates = 0, references = 0;

        void operator+=(const Sums& other) {
            components += other.components;
            looks += other.looks;
            templates += other.templates;
            references += other.references;
        }
    };
    struct FreeComponents {
        void operator()(Component* components) const { std::free(components); }
    };

    static std::array<const Component*, 2> children(const Component& component) {
        switch (component.type) {
            case DEMANGLE_COMPONENT_NAME:
            case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
            case DEMANGLE_COMPONENT_FUNCTION_PARAM:
            case DEMANGLE_COMPONENT_SUB_STD:
            case DEMANGLE_COMPONENT_BUILTIN_TYPE:
            case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
            case DEMANGLE_COMPONENT_OPERATOR:
            case DEMANGLE_COMPONENT_CHARACTER:
            case DEMANGLE_COMPONENT_NUMBER:
            case DEMANGLE_COMPONENT_UNNAMED_TYPE: return {};
            case DEMANGLE_COMPONENT_EXTENDED_OPERATOR: return {component.u.s_extended_operator.name};
            case DEMANGLE_COMPONENT_FIXED_TYPE: return {component.u.s_fixed.length};
            case DEMANGLE_COMPONENT_CTOR: return {component.u.s_ctor.name};
            case DEMANGLE_COMPONENT_DTOR: return {component.u.s_dtor.name};
            case DEMANGLE_COMPONENT_LAMBDA:
            case DEMANGLE_COMPONENT_DEFAULT_ARG: return {component.u.s_unary_num.sub};
            default: return {component.u.s_binary.left, component.u.s_binary.right};
        }
    }

    static Sums own(const Component& component) {
        Sums sums;
        switch (component.type) {
            case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
            case DEMANGLE_COMPONENT_PACK_EXPANSION: sums.looks = 1; break;
            case DEMANGLE_COMPONENT_TEMPLATE: sums.templates = 1; break;
            case DEMANGLE_COMPONENT_REFERENCE:
            case DEMANGLE_COMPONENT_RVALUE_REFERENCE: sums.references = 1; break;
            default: break;
        }
        return sums;
    }

    // Returns the sums; nothing if they are too large, or if a component is below itself. Visits each component once.
    std::optional<Sums> expanded() const {
        enum class State : std::uint8_t { unseen, open, done };
        struct Entry {
            Sums sums;
            State state = State::unseen;
        };
        std::vector<Entry> entries(count_);
        std::vector<const Component*> open{root_};
        while (!open.empty()) {
            const auto* component = open.back();
            const auto index = static_cast<std::size_t>(component - components_.get());
            if (index >= entries.size()) return {};
            auto& entry = entries[index];
            const auto below = children(*component);
            if (entry.state == State::done) {  // it was on the list twice
                open.pop_back();
                continue;
            }
            if (entry.state == State::unseen) {
                entry.state = State::open;
                for (const auto* child : below) {
                    if (child == nullptr) continue;
                    const auto place = static_cast<std::size_t>(child - components_.get());
                    if (place >= entries.size() || entries[place].state == State::open) return {};
                    if (entries[place].state == State::unseen) open.push_back(child);
                }
                continue;
            }
            entry.sums = own(*component);
            for (const auto* child : below) {
                if (child != nullptr) entry.sums += entries[static_cast<std::size_t>(child - components_.get())].sums;
            }
            if (entry.sums.components > most_components) return {};
            entry.state = State::done;
            open.pop_back();
        }
        return entries[static_cast<std::size_t>(root_ - components_.get())].sums;
    }

    std::unique_ptr<Component, FreeComponents> components_;
    Component* root_ = nullptr;
    std::size_t count_ = 0;
};

// Printing is the printer's output, and the way out of the printer: its callback cannot stop it. The printer allocates
// nothing, and there are only C frames between it and print().
struct Printing {
    BoundedText& text;
    std::jmp_buf too_long;
};

void add_cxx_text(const char* text, std::size_t size, void* opaque) {
    auto& printing = *static_cast<Printing*>(opaque);
    if (!printing.text.add(text, size)) std::longjmp(printing.too_long, 1);
}

bool print(Component* root, int options, Printing& printing) {
    if (setjmp(printing.too_long) != 0) return false;
    return cplus_demangle_print_callback(options, root, add_cxx_text, &printing) != 0;
}

}  // namespace

std::optional<std::string> demangle_cxx(const std::string& symbol, NameStyle style) {
    if (symbol.size() > longest_cxx_name || is_slow_to_parse(symbol)) return {};
    const int options = style == NameStyle::full ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;
    const Tree tree(symbol, options);
    if (tree.root() == nullptr || !tree.harmless()) return {};
    BoundedText text(most_readable(symbol.size()));
    Printing printing{text, {}};
    if (!print(tree.root(), options, printing) || !text.whole()) return {};
    return std::string(text.text());
}

}  // namespace perfdata
