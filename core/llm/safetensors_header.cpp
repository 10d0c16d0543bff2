// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_set>

namespace candor {

namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

Dtype dtypeOf(const std::string& name, const std::string& tensor) {
    for (int i = 0; i <= static_cast<int>(Dtype::Bool); ++i)
        if (name == dtypeName(static_cast<Dtype>(i))) return static_cast<Dtype>(i);
    fail("tensor \"" + tensor + "\" has dtype " + name.substr(0, 40) + ", which is not supported");
}

// Reads the three levels of a header as they come, so that a hostile one builds no tree in memory.
class HeaderSax : public Json::json_sax_t {
  public:
    SafetensorsHeader header;

    bool start_object(std::size_t) override {
        if (depth_ == 2 || inArray_) fail("an object where " + where() + " expects a value");
        if (++depth_ == 2) metadata_ = key_ == "__metadata__", entry_ = {}, seen_.clear(), entry_.name = key_;
        return true;
    }
    bool key(string_t& text) override {
        if (depth_ == 1) {
            if (!names_.insert(text).second) fail("key \"" + text.substr(0, 200) + "\" appears twice");
            key_ = text;
        } else {
            if (!seen_.insert(text).second)
                fail("key \"" + text.substr(0, 200) + "\" appears twice in \"" + key_ + "\"");
            field_ = text;
        }
        return true;
    }
    bool end_object() override {
        if (depth_-- == 2 && !metadata_) finishEntry();
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ != 2 || metadata_ || inArray_ || (field_ != "shape" && field_ != "data_offsets"))
            fail("an array at " + where());
        inArray_ = true, numbers_.clear();
        return true;
    }
    bool end_array() override {
        inArray_ = false;
        if (field_ == "shape") {
            entry_.shape.assign(numbers_.begin(), numbers_.end());
        } else {
            if (numbers_.size() != 2) fail("data_offsets of \"" + key_ + "\" are not two numbers");
            entry_.begin = numbers_[0], entry_.end = numbers_[1];
        }
        return true;
    }
    bool number_unsigned(number_unsigned_t value) override {
        if (!inArray_) fail("a number at " + where());
        if (value > std::numeric_limits<std::int64_t>::max()) fail("number too large at " + where());
        if (numbers_.size() == 64) fail("more than 64 dimensions at " + where());
        numbers_.push_back(value);
        return true;
    }
    bool number_integer(number_integer_t) override { fail("a negative number at " + where()); }
    bool number_float(number_float_t, const string_t&) override { fail("a number that is no integer at " + where()); }
    bool string(string_t& text) override {
        if (depth_ == 2 && metadata_) {
            header.metadata[field_] = text;
        } else if (depth_ == 2 && field_ == "dtype" && !inArray_) {
            entry_.dtype = dtypeOf(text, key_);
        } else {
            fail("a string at " + where());
        }
        return true;
    }
    bool null() override { fail("null at " + where()); }
    bool boolean(bool) override { fail("a boolean at " + where()); }
    bool binary(binary_t&) override { fail("binary data at " + where()); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        fail("the header is not JSON at byte " + std::to_string(position));
    }

  private:
    std::string where() const {
        std::string text = "header";
        if (depth_ >= 1) text = "\"" + key_.substr(0, 200) + "\"";
        if (depth_ >= 2) text += "." + field_.substr(0, 200);
        return text;
    }

    void finishEntry() {
        for (const char* field : {"dtype", "shape", "data_offsets"})
            if (!seen_.contains(field)) fail("tensor \"" + key_ + "\" has no " + field);
        if (seen_.size() != 3) fail("tensor \"" + key_ + "\" has a field that is not dtype, shape or data_offsets");
        auto bytes = static_cast<std::int64_t>(dtypeSize(entry_.dtype));
        for (const std::int64_t size : entry_.shape)
            if (__builtin_mul_overflow(bytes, size, &bytes)) fail("the shape of \"" + key_ + "\" overflows");
        if (entry_.begin > entry_.end || entry_.end - entry_.begin != static_cast<std::uint64_t>(bytes))
            fail("tensor \"" + key_ + "\" needs " + std::to_string(bytes) + " bytes, its offsets are " +
                 std::to_string(entry_.begin) + " to " + std::to_string(entry_.end));
        header.tensors.push_back(std::move(entry_));
    }

    int depth_ = 0;
    bool metadata_ = false, inArray_ = false;
    std::string key_, field_;
    TensorEntry entry_;
    std::vector<std::uint64_t> numbers_;
    std::set<std::string> seen_;
    std::unordered_set<std::string> names_;
};

}  // namespace

SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t dataSize) {
    if (json.empty() || json.front() != '{') fail("the header does not start with {");
    HeaderSax sax;
    Json::sax_parse(json.begin(), json.end(), &sax);
    auto& tensors = sax.header.tensors;
    std::ranges::stable_sort(tensors, [](const TensorEntry& a, const TensorEntry& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    std::uint64_t place = 0;
    for (const TensorEntry& tensor : tensors) {
        if (tensor.end > dataSize)
            fail("tensor \"" + tensor.name + "\" ends at byte " + std::to_string(tensor.end) + " of " +
                 std::to_string(dataSize) + ": the file is truncated or damaged");
        if (tensor.begin < place) fail("tensor \"" + tensor.name + "\" overlaps another");
        if (tensor.begin > place) fail("a gap before tensor \"" + tensor.name + "\"");
        place = tensor.end;
    }
    if (place != dataSize) fail(std::to_string(dataSize - place) + " bytes after the last tensor belong to none");
    return std::move(sax.header);
}

}  // namespace candor
