// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/confidence/adapter_files.h"
#include "core/experiment/backbone.h"
#include "core/llm/torch/decoder.h"
#include "core/train/objective.h"

namespace candor {

// A fresh adapter: A uniform +-1/sqrt(in) (PEFT's Kaiming uniform), B zero, head weight and bias uniform
// +-1/sqrt(in) (torch's nn.Linear). Throws InputError ("bad_adapter") for options that make no adapter.
Adapter freshAdapter(const ModelConfig& model, const AdapterOptions& options, std::uint64_t seed);

// An adapter and its head as one flat fp32 vector, and the tensors over it: they alias the vector on the CPU and are
// copies on another device, renewed by refresh(). The tensors are leaves that take gradients if `trainable`.
class AdapterTensors {
  public:
    AdapterTensors(const Adapter& adapter, const ModelConfig& model, at::Device device, bool trainable);
    AdapterTensors(const AdapterTensors&) = delete;
    AdapterTensors& operator=(const AdapterTensors&) = delete;

    std::span<float> parameters() { return parameters_; }
    const std::vector<ParameterBlock>& blocks() const { return blocks_; }
    void refresh();

    const std::vector<LayerLora>& layers() const { return layers_; }
    const std::vector<at::Tensor>& leaves() const { return leaves_; }  // one a block
    double dropout() const { return adapter_.config.dropout; }
    at::Tensor logits(const at::Tensor& hidden) const;  // [n, width] -> [n]
    Adapter adapter() const;                            // with the current values

  private:
    void layOut(const ModelConfig& model);
    void add(const std::string& name, std::vector<std::int64_t> shape, const std::vector<float>& values);
    void makeTensors(const ModelConfig& model, bool trainable);

    Adapter adapter_;  // its values are those of construction
    at::Device device_;
    std::vector<float> parameters_;
    std::vector<ParameterBlock> blocks_;
    std::vector<at::Tensor> leaves_;
    std::vector<LayerLora> layers_;
};

}  // namespace candor
