// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/pt_file.h"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <set>

#include "core/confidence/pt_pickle.h"
#include "core/confidence/pt_zip.h"
#include "core/error.h"
#include "core/llm/files.h"
#include "core/llm/mapped_file.h"

namespace candor {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

// Copies a strided tensor row by row of its last dimension.
void copyStrided(const PickledTensor& source, std::size_t dimension, const char* from, std::byte*& to) {
    const std::size_t element = dtypeSize(source.dtype);
    if (dimension == source.shape.size()) {
        std::memcpy(to, from, element);
        to += element;
        return;
    }
    if (dimension + 1 == source.shape.size() && source.stride[dimension] == 1) {
        const std::size_t row = static_cast<std::size_t>(source.shape[dimension]) * element;
        std::memcpy(to, from, row);
        to += row;
        return;
    }
    const std::size_t step = static_cast<std::size_t>(source.stride[dimension]) * element;
    for (std::int64_t i = 0; i < source.shape[dimension]; ++i)
        copyStrided(source, dimension + 1, from + static_cast<std::size_t>(i) * step, to);
}

class PtReader {
  public:
    explicit PtReader(const MappedFile& file) : zip_(file.bytes()), allowed_(file.size() * 16 + (1 << 20)) {
        for (const auto& [name, bytes] : zip_.entries()) {
            const std::size_t slash = name.find('/');
            if (slash != std::string::npos && name.substr(slash) == "/data.pkl") {
                if (!prefix_.empty()) fail("has two data.pkl");
                prefix_ = name.substr(0, slash + 1);
            }
        }
        if (prefix_.empty()) fail("has no data.pkl; expected what torch.save writes");
        const auto order = zip_.entries().find(prefix_ + "byteorder");
        if (order != zip_.entries().end() && order->second != "little")
            fail("was written on a big-endian machine, which is not supported");
    }

    std::vector<OwnedTensor> read() {
        Unpickler unpickler(zip_.entries().at(prefix_ + "data.pkl"));
        const PickleValue& root = unpickler.run();
        if (root.kind != PickleValue::Kind::Dict) fail("holds no dictionary of tensors");
        flatten(root, {}, 0);
        return std::move(tensors_);
    }

  private:
    void flatten(const PickleValue& dict, const std::string& prefix, int depth) {
        if (depth > 16 || ++visits_ > 100000) fail("its dictionaries are nested too deeply");
        for (const auto& [key, value] : dict.fields) {
            if (key->kind != PickleValue::Kind::Text || key->text.size() > 1000) fail("a key is no name");
            if (tensors_.size() == 100000) fail("holds more than 100000 tensors");
            const std::string name = prefix + key->text;
            if (value->kind == PickleValue::Kind::Dict) {
                flatten(*value, name + ".", depth + 1);
            } else if (value->kind == PickleValue::Kind::Tensor) {
                if (!names_.insert(name).second) fail("tensor \"" + name + "\" appears twice");
                tensors_.push_back(copy(name, value->tensor));
            } else {
                fail("\"" + name.substr(0, 200) + "\" is no tensor");
            }
        }
    }

    OwnedTensor copy(const std::string& name, const PickledTensor& source) {
        const auto found = zip_.entries().find(prefix_ + "data/" + source.storage);
        if (found == zip_.entries().end()) fail("tensor \"" + name + "\" has no data");
        const auto element = static_cast<std::int64_t>(dtypeSize(source.dtype));
        const std::int64_t available = static_cast<std::int64_t>(found->second.size()) / element;
        std::int64_t count = 1, last = source.offset;
        bool overflow = false;
        for (std::size_t i = 0; i < source.shape.size(); ++i) {
            std::int64_t reach = 0;
            overflow |= __builtin_mul_overflow(count, source.shape[i], &count);
            overflow |=
                __builtin_mul_overflow(std::max<std::int64_t>(source.shape[i] - 1, 0), source.stride[i], &reach);
            overflow |= __builtin_add_overflow(last, reach, &last);
        }
        if (overflow || (count > 0 && last >= available)) fail("tensor \"" + name + "\" reaches past its data");
        // Strides of 0 and shared storages let a small file describe huge tensors.
        if (count > static_cast<std::int64_t>(allowed_) / element)
            fail("tensor \"" + name + "\" is larger than its file");
        OwnedTensor tensor{name, source.dtype, source.shape, {}};
        tensor.bytes.resize(static_cast<std::size_t>(count * element));
        allowed_ -= tensor.bytes.size();
        std::byte* to = tensor.bytes.data();
        if (count > 0) copyStrided(source, 0, found->second.data() + source.offset * element, to);
        return tensor;
    }

    ZipReader zip_;
    std::uint64_t allowed_;
    std::string prefix_;
    int visits_ = 0;
    std::vector<OwnedTensor> tensors_;
    std::set<std::string> names_;
};

const char* storageName(Dtype dtype) {
    switch (dtype) {
        case Dtype::F32:
            return "FloatStorage";
        case Dtype::F16:
            return "HalfStorage";
        case Dtype::BF16:
            return "BFloat16Storage";
        case Dtype::F64:
            return "DoubleStorage";
        case Dtype::I64:
            return "LongStorage";
        case Dtype::I32:
            return "IntStorage";
        case Dtype::I16:
            return "ShortStorage";
        case Dtype::I8:
            return "CharStorage";
        case Dtype::U8:
            return "ByteStorage";
        case Dtype::Bool:
            return "BoolStorage";
    }
    throw Error("a dtype that torch does not have");
}

// Writes the few opcodes of protocol 2 that a dictionary of tensors needs.
class Pickler {
  public:
    std::string dictionary(const std::vector<TensorView>& tensors) {
        out_ =
            "\x80\x02"
            "ccollections\nOrderedDict\n)R(";
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            text(tensors[i].name);
            tensor(tensors[i], i);
        }
        return out_ + "u.";
    }

  private:
    void tensor(const TensorView& tensor, std::size_t index) {
        out_ += "ctorch._utils\n_rebuild_tensor_v2\n((";
        text("storage");
        out_ += std::string("ctorch\n") + storageName(tensor.dtype) + "\n";
        text(std::to_string(index));
        text("cpu");
        integer(tensor.elements());
        out_ += "tQ";
        integer(0);
        std::vector<std::int64_t> stride(tensor.shape.size(), 1);
        for (std::size_t i = stride.size(); i-- > 1;)
            stride[i - 1] = stride[i] * std::max<std::int64_t>(tensor.shape[i], 1);
        tuple(tensor.shape);
        tuple(stride);
        out_ +=
            "\x89"
            "ccollections\nOrderedDict\n)RtR";
    }
    void tuple(const std::vector<std::int64_t>& values) {
        out_ += '(';
        for (const std::int64_t value : values) integer(value);
        out_ += 't';
    }
    void little(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) out_ += static_cast<char>(value >> (8 * i));
    }
    void integer(std::int64_t value) {
        const auto raw = static_cast<std::uint64_t>(value);
        if (value <= INT32_MAX)
            out_ += 'J', little(raw, 4);
        else
            out_ += "\x8a\x08", little(raw, 8);
    }
    void text(const std::string& value) {
        out_ += 'X';
        little(value.size(), 4);
        out_ += value;
    }

    std::string out_;
};

}  // namespace

std::vector<OwnedTensor> readPt(const fs::path& file) {
    const auto refuse = [&](const std::string& what) -> InputError {
        return {"bad_pt", file.string() + ": " + what, file.string()};
    };
    const MappedFile mapped(file, "bad_pt");
    if (mapped.size() > 2 && mapped.bytes().substr(0, 2) == "\x80\x02")
        throw refuse("is in the form that torch.save had before 1.6; load it and save it again with a newer torch");
    try {
        return PtReader(mapped).read();
    } catch (const std::runtime_error& error) {
        throw refuse(error.what());
    }
}

void writePt(const fs::path& file, const std::vector<TensorView>& tensors) {
    const std::string prefix = file.stem().string() + "/";
    try {
        writeAtomically(file, [&](std::ostream& out) {
            ZipWriter zip(out);
            zip.add(prefix + "data.pkl", Pickler().dictionary(tensors));
            zip.add(prefix + "byteorder", "little");
            for (std::size_t i = 0; i < tensors.size(); ++i)
                zip.add(prefix + "data/" + std::to_string(i),
                        {reinterpret_cast<const char*>(tensors[i].data), tensors[i].bytes});
            zip.add(prefix + "version", "3\n");
            zip.finish();
        });
    } catch (const Error&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw Error(file.string() + ": " + error.what());
    }
}

}  // namespace candor
