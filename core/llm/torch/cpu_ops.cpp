// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/torch/cpu_ops.h"

#include <torch/csrc/autograd/custom_function.h>

#include "core/llm/kernels.h"
#include "core/llm/torch/parallel.h"

namespace candor::cpu {

namespace {

using simd::Bf16;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;

template <class T>
T* data(const at::Tensor& tensor) {
    return static_cast<T*>(tensor.data_ptr());
}

// Calls use(T{}) with the element type of the products.
template <class Use>
void dispatch(at::ScalarType type, const Use& use) {
    if (type == at::kBFloat16)
        use(Bf16{});
    else
        use(float{});
}

bool gradients() { return at::GradMode::is_enabled() && !c10::InferenceMode::is_enabled(); }

// Rows that are worth a thread of their own, for rows of `width` values.
std::int64_t leastRows(std::int64_t width) { return std::max<std::int64_t>(1, 16384 / width); }

at::Tensor normForward(const at::Tensor& x, const at::Tensor& weight, double eps, at::ScalarType type,
                       at::Tensor& inverse) {
    const auto rows = x.size(0), width = x.size(1);
    at::Tensor y = at::empty({rows, width}, at::TensorOptions(type));
    inverse = at::empty({rows}, at::kFloat);
    dispatch(type, [&](auto t) {
        using T = decltype(t);
        parallelRows(rows, leastRows(width), [&](auto begin, auto end) {
            kernels::rmsNorm(data<float>(x), data<float>(weight), eps, width, data<T>(y), data<float>(inverse), begin,
                             end);
        });
    });
    return y;
}

struct NormFunction : Function<NormFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight, double eps,
                              at::ScalarType type) {
        at::Tensor inverse;
        at::Tensor y = normForward(x, weight, eps, type, inverse);
        context->save_for_backward({x, weight, inverse});
        return y;
    }

    static tensor_list backward(AutogradContext* context, tensor_list gradient) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1], &inverse = saved[2], dy = gradient[0].contiguous();
        at::Tensor dx = at::empty_like(x);
        dispatch(dy.scalar_type(), [&](auto t) {
            using T = decltype(t);
            parallelRows(x.size(0), leastRows(x.size(1)), [&](auto begin, auto end) {
                kernels::rmsNormBackward(data<T>(dy), data<float>(x), data<float>(weight), data<float>(inverse),
                                         x.size(1), data<float>(dx), begin, end);
            });
        });
        return {dx, {}, {}, {}};
    }
};

at::Tensor gluForward(const at::Tensor& gateUp) {
    const auto rows = gateUp.size(0), half = gateUp.size(1) / 2;
    at::Tensor out = at::empty({rows, half}, gateUp.options());
    dispatch(gateUp.scalar_type(), [&](auto t) {
        using T = decltype(t);
        parallelRows(rows, leastRows(half),
                     [&](auto begin, auto end) { kernels::swiGlu(data<T>(gateUp), half, data<T>(out), begin, end); });
    });
    return out;
}

struct GluFunction : Function<GluFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& gateUp) {
        context->save_for_backward({gateUp});
        return gluForward(gateUp);
    }

    static tensor_list backward(AutogradContext* context, tensor_list gradient) {
        const at::Tensor gateUp = context->get_saved_variables()[0], dOut = gradient[0].contiguous();
        at::Tensor dGateUp = at::empty_like(gateUp);
        dispatch(gateUp.scalar_type(), [&](auto t) {
            using T = decltype(t);
            parallelRows(gateUp.size(0), leastRows(dOut.size(1)), [&](auto begin, auto end) {
                kernels::swiGluBackward(data<T>(dOut), data<T>(gateUp), dOut.size(1), data<T>(dGateUp), begin, end);
            });
        });
        return {dGateUp};
    }
};

at::Tensor frozenProduct(const at::Tensor& x, const FrozenLinear& frozen) {
    if (!frozen.bias.defined()) return at::mm(x, frozen.weight.t());
    return at::addmm(frozen.bias.to(x.scalar_type()), x, frozen.weight.t());
}

// The A matrices of a joined map below each other, in the dtype of the products.
at::Tensor joinA(const LoraParts& lora, at::ScalarType type) {
    std::vector<at::Tensor> all;
    for (const auto& part : lora) all.push_back(part.a.detach());
    return at::cat(all).to(type);
}

// Adds the low-rank terms to y; returns x A^T of all parts side by side.
at::Tensor addLowRank(const at::Tensor& x, const at::Tensor& a, const LoraParts& lora, at::Tensor& y) {
    const at::Tensor low = at::mm(x, a.t());
    std::int64_t column = 0;
    for (const auto& part : lora) {
        const auto r = part.a.size(0);
        y.narrow(1, part.offset, part.b.size(0))
            .addmm_(low.narrow(1, column, r), part.b.detach().to(x.scalar_type()).t(), 1, part.scale);
        column += r;
    }
    return low;
}

// What a linear map's gradient needs besides activations.
struct LinearCall : torch::CustomClassHolder {
    LinearCall(FrozenLinear f, LoraParts l, bool input) : frozen(std::move(f)), lora(std::move(l)), wantsInput(input) {}
    FrozenLinear frozen;
    LoraParts lora;
    bool wantsInput;
};

struct LinearFunction : Function<LinearFunction> {
    // `trained`: the A and B of `call` in turn, for autograd to see.
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, at::TensorList trained,
                              const c10::intrusive_ptr<LinearCall>& call) {
        at::Tensor y = frozenProduct(x, call->frozen), low, a;
        if (!trained.empty()) {
            a = joinA(call->lora, x.scalar_type());
            low = addLowRank(x, a, call->lora, y);
        }
        context->save_for_backward({x, low, a});
        context->saved_data["call"] = c10::IValue::make_capsule(call);
        return y;
    }

    static tensor_list backward(AutogradContext* context, tensor_list gradient) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &low = saved[1], &a = saved[2], dy = gradient[0].contiguous();
        const auto capsule = context->saved_data["call"].toCapsule();
        const auto& call = static_cast<const LinearCall&>(*capsule);
        tensor_list result(1);
        if (call.wantsInput) result[0] = at::mm(dy, call.frozen.weight);
        if (a.defined()) lowRankBackward(x, low, a, dy, call.lora, result);
        result.emplace_back();
        return result;
    }

    static void lowRankBackward(const at::Tensor& x, const at::Tensor& low, const at::Tensor& a, const at::Tensor& dy,
                                const LoraParts& lora, tensor_list& result) {
        const auto type = x.scalar_type();
        at::Tensor dLow = at::empty_like(low);
        std::vector<at::Tensor> dB;
        std::int64_t column = 0;
        for (const auto& part : lora) {
            const auto r = part.a.size(0);
            const at::Tensor dPart = dy.narrow(1, part.offset, part.b.size(0));
            dLow.narrow(1, column, r).copy_(at::mm(dPart, part.b.detach().to(type)).mul_(part.scale));
            dB.push_back(at::mm(dPart.t(), low.narrow(1, column, r)).to(at::kFloat).mul_(part.scale));
            column += r;
        }
        if (result[0].defined()) result[0].addmm_(dLow, a);
        const at::Tensor dA = at::mm(dLow.t(), x).to(at::kFloat);
        column = 0;
        for (std::size_t i = 0; i < lora.size(); ++i) {
            result.push_back(dA.narrow(0, column, lora[i].a.size(0)));
            result.push_back(dB[i]);
            column += lora[i].a.size(0);
        }
    }
};

}  // namespace

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, at::ScalarType type) {
    if (gradients() && x.requires_grad()) return NormFunction::apply(x.contiguous(), weight, eps, type);
    at::Tensor inverse;
    return normForward(x.contiguous(), weight, eps, type, inverse);
}

at::Tensor swiGlu(const at::Tensor& gateUp) {
    return gradients() && gateUp.requires_grad() ? GluFunction::apply(gateUp.contiguous())
                                                 : gluForward(gateUp.contiguous());
}

at::Tensor linear(const at::Tensor& x, const FrozenLinear& frozen, const LoraParts& lora) {
    if (gradients() && (x.requires_grad() || !lora.empty())) {
        std::vector<at::Tensor> trained;
        for (const auto& part : lora) trained.insert(trained.end(), {part.a, part.b});
        return LinearFunction::apply(x, at::TensorList(trained),
                                     c10::make_intrusive<LinearCall>(frozen, lora, x.requires_grad()));
    }
    at::Tensor y = frozenProduct(x, frozen);
    if (!lora.empty()) addLowRank(x, joinA(lora, x.scalar_type()), lora, y);
    return y;
}

}  // namespace candor::cpu
