// SPDX-License-Identifier: MIT
// deep_stacks SECONDS: a long process with deep stacks of C++, to be recorded with --call-graph dwarf.
//
// Writes an expression, parses it, and evaluates and sorts, again and again: recursion through virtual functions,
// visitors, std::function, std::sort and std::regex, with much of the library inlined. A stack has 20 to 60 frames.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

class Node {
  public:
    Node() = default;
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    virtual ~Node() = default;
    virtual double value(const std::map<std::string, double>& names) const = 0;
};
using NodePtr = std::unique_ptr<Node>;

class Leaf final : public Node {
  public:
    explicit Leaf(std::variant<double, std::string> content) : content_(std::move(content)) {}
    double value(const std::map<std::string, double>& names) const override {
        struct Visitor {
            const std::map<std::string, double>& names;
            double operator()(double number) const { return number; }
            double operator()(const std::string& name) const {
                const auto found = names.find(name);
                return found == names.end() ? 0 : found->second;
            }
        };
        return std::visit(Visitor{names}, content_);
    }

  private:
    std::variant<double, std::string> content_;
};

class Operation final : public Node {
  public:
    Operation(char sign, std::vector<NodePtr> parts) : parts_(std::move(parts)) {
        if (sign == '+') combine_ = [](double left, double right) { return left + right; };
        if (sign == '*') combine_ = [](double left, double right) { return std::remainder(left * right, 1000); };
        if (sign == '-') combine_ = std::minus<>();
    }
    double value(const std::map<std::string, double>& names) const override {
        std::vector<double> values;
        values.reserve(parts_.size());
        for (const auto& part : parts_) values.push_back(part->value(names));
        std::sort(values.begin(), values.end(), [](double left, double right) { return left > right; });
        double all = 1;
        for (const double one : values) all = combine_(all, one);
        return all;
    }

  private:
    std::vector<NodePtr> parts_;
    std::function<double(double, double)> combine_;
};

std::string expression(std::mt19937& random, int depth) {
    if (depth == 0) return random() % 2 ? "x" + std::to_string(random() % 40) : std::to_string(random() % 1000);
    std::string text = "(";
    text += "+*-"[random() % 3];
    const auto parts = 2 + random() % 2;
    for (unsigned part = 0; part < parts; ++part) text += " " + expression(random, depth - 1);
    return text + ")";
}

class Parser {
  public:
    explicit Parser(const std::string& text) : at_(text.begin()), end_(text.end()) {}
    NodePtr parse() {
        while (at_ != end_ && *at_ == ' ') ++at_;
        return at_ != end_ && *at_ == '(' ? operation() : leaf();
    }

  private:
    NodePtr operation() {
        const char sign = at_[1];
        at_ += 2;
        std::vector<NodePtr> parts;
        while (at_ != end_ && *at_ != ')') parts.push_back(parse());
        ++at_;
        return std::make_unique<Operation>(sign, std::move(parts));
    }
    NodePtr leaf() {
        const auto end = std::find_if(at_, end_, [](char letter) { return letter == ' ' || letter == ')'; });
        const std::string word(std::exchange(at_, end), end);
        if (word.front() == 'x') return std::make_unique<Leaf>(word);
        return std::make_unique<Leaf>(std::strtod(word.c_str(), nullptr));
    }

    std::string::const_iterator at_, end_;
};

double run_once(unsigned seed) {
    std::mt19937 random(seed);
    const auto text = expression(random, 9);
    std::map<std::string, double> names;
    for (int name = 0; name < 40; ++name) names["x" + std::to_string(name)] = name;
    const auto tree = Parser(text).parse();
    double sum = 0;
    for (int round = 0; round < 4; ++round) sum += tree->value(names);
    static const std::regex operands("(x[0-9]+ ?|[0-9]+ ?)+\\)");
    for (std::sregex_iterator at(text.begin(), text.end(), operands), end; at != end; ++at) ++sum;
    return sum;
}

}  // namespace

int main(int count, char** words) {
    const auto end = std::time(nullptr) + (count > 1 ? std::atoi(words[1]) : 1);
    double sum = 0;
    unsigned seed = 0;
    do sum += run_once(++seed);
    while (std::time(nullptr) < end);
    std::printf("%g\n", sum);
}
