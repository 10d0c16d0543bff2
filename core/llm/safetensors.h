// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace candor {

enum class Dtype : std::uint8_t { F32, F16, BF16, F64, I64, I32, I16, I8, U8, Bool };

std::size_t dtypeSize(Dtype dtype);  // bytes of one element
const char* dtypeName(Dtype dtype);  // as safetensors spells it: "F32", "BF16", "BOOL", ...

// A tensor inside a mapped file: row-major, little endian, `data` possibly unaligned (copy, or use toFloats).
struct TensorView {
    std::string name;
    Dtype dtype = Dtype::F32;
    std::vector<std::int64_t> shape;
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::int64_t elements() const;
};

// One .safetensors file, or the folder of a model (model.safetensors, or the shards that its index names), mapped
// privately and copy-on-write. Views live as long as this object. Const use is thread safe. Throws InputError
// ("bad_safetensors") naming file and fault; nothing is allocated on the word of a damaged header.
class TensorFiles {
  public:
    explicit TensorFiles(const std::filesystem::path& fileOrFolder);
    ~TensorFiles();
    TensorFiles(TensorFiles&&) noexcept;
    TensorFiles& operator=(TensorFiles&&) noexcept;

    const TensorView* find(const std::string& name) const;  // nullptr: no such tensor
    const std::vector<TensorView>& tensors() const;         // by file, then by place in it
    const std::vector<std::filesystem::path>& files() const;
    const std::map<std::string, std::string>& metadata() const;  // of the first file

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// All values as fp32, exact for F16 and BF16. Throws Error for integers wider than fp32 holds exactly.
std::vector<float> toFloats(const TensorView& tensor);

// Writes atomically (a temporary file beside it, then a rename); the header is padded to 64 bytes.
void writeSafetensors(const std::filesystem::path& file, const std::vector<TensorView>& tensors,
                      const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

}  // namespace candor
