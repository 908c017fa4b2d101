// SPDX-License-Identifier: MIT
// Models of profile files: random ones, which describe the same few programs, so that merging has something to join.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "recording/stored/model.hpp"

namespace perfdata::test {

// StoredModel is a model that is being made. Rows are canonical only after finish().
class StoredModel {
  public:
    // content: any text, which stands for what was recorded.
    explicit StoredModel(std::string_view content);

    stored::Ref<stored::Text> text(std::string_view bytes);
    template <class Row>
    stored::Ref<Row> add(Row row) {
        auto& table = model.table<Row>();
        table.push_back(std::move(row));
        return stored::Ref<Row>(table.size() - 1);
    }
    // event(name) adds an event of the next position, which has hardware's type and that config.
    stored::Ref<stored::Event> event(std::string_view name, std::uint64_t config);
    // file(path, build_id) adds a mapped file.
    stored::Ref<stored::Object> file(std::string_view path, std::string_view build_id);
    // function(object, begin, symbol, bytes) adds a function of a file with one version: that code.
    stored::Ref<stored::Function> function(stored::Ref<stored::Object> object, std::uint64_t begin,
                                           std::string_view symbol, std::string_view bytes);
    // version(function, number, bytes) adds a version of a function.
    void version(stored::Ref<stored::Function> function, std::uint32_t number, std::string_view bytes);
    stored::Ref<stored::Frame> frame(stored::Ref<stored::Function> function, std::uint64_t offset);
    // node(frame, caller) adds a node below another.
    stored::Ref<stored::Node> node(stored::Ref<stored::Frame> frame, stored::Ref<stored::Node> caller = {});
    stored::Ref<stored::Task> task(std::string_view comm, std::uint32_t pid);
    void cell(stored::Ref<stored::Task> task, stored::Ref<stored::Node> node, stored::Ref<stored::Event> event,
              std::uint64_t hits);

    stored::Model finish() &&;

    stored::Model model;

  private:
    std::map<std::string, stored::Ref<stored::Text>, std::less<>> texts_;
};

// random_model(seed) has rows in every table. Models of different seeds are different recordings of the same programs,
// made on different machines.
stored::Model random_model(std::uint32_t seed);

// written(model) returns the bytes of its file, not packed.
std::string written(const stored::Model& model);

}  // namespace perfdata::test
