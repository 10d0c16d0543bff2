// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/llm/safetensors.h"

namespace candor {

// Where a pickled tensor's values lie: in the archive entry data/<storage>.
struct PickledTensor {
    std::string storage;
    Dtype dtype = Dtype::F32;
    std::int64_t offset = 0;  // elements
    std::vector<std::int64_t> shape, stride;
};

// A value that a restricted pickle can hold. Containers refer to values that the Unpickler owns.
struct PickleValue {
    enum class Kind : std::uint8_t {
        None,
        Bool,
        Integer,
        Float,
        Text,
        Tuple,
        List,
        Dict,
        Global,
        Storage,
        Tensor,
        Mark
    };
    Kind kind = Kind::None;
    std::int64_t integer = 0;                                   // Bool, Integer
    std::string text;                                           // Text; Global: "module name"
    std::vector<PickleValue*> items;                            // Tuple, List
    std::vector<std::pair<PickleValue*, PickleValue*>> fields;  // Dict, in order
    PickledTensor tensor;                                       // Storage (dtype and storage only), Tensor
};

// Reads a pickle of tensors without running anything: the few globals that a state dict needs are known by name, any
// other is an error that names it. Throws std::runtime_error. Memory stays in proportion to the text.
class Unpickler {
  public:
    explicit Unpickler(std::string_view text) : text_(text) {}
    const PickleValue& run();  // call once; lives as long as this object

  private:
    using Kind = PickleValue::Kind;
    bool step(unsigned char code);  // false: the pickle ends
    bool stepValue(unsigned char code);
    bool stepContainer(unsigned char code);

    std::string_view take(std::uint64_t size);
    std::uint64_t number(int bytes);
    std::string line();
    PickleValue* make(Kind kind);
    PickleValue* pop();
    PickleValue* top(Kind kind);
    std::vector<PickleValue*> popToMark();
    void pushInteger(std::int64_t value);
    void pushText(std::string_view text);
    void pushTuple(std::vector<PickleValue*> items);
    void pushGlobal(std::string name);
    void setItems(const std::vector<PickleValue*>& items);
    void remember(std::uint64_t index);
    void recall(std::uint64_t index);
    void reduce();
    void build();
    void persistent();
    PickleValue* rebuildTensor(const std::vector<PickleValue*>& arguments);

    std::string_view text_;
    std::size_t at_ = 0;
    std::deque<PickleValue> values_;
    std::vector<PickleValue*> stack_;
    std::vector<PickleValue*> memo_;
};

}  // namespace candor
