// SPDX-License-Identifier: GPL-3.0-or-later
#include <torch/csrc/autograd/custom_function.h>

#include <array>
#include <cmath>

#include "core/llm/kernels.h"
#include "core/llm/torch/cpu_ops.h"
#include "core/llm/torch/parallel.h"

namespace candor::cpu {

namespace {

using kernels::AttentionHeads;
using simd::Bf16;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;

// What the gradient needs of a call besides tensors.
struct Call : torch::CustomClassHolder {
    AttentionHeads shape;
    std::shared_ptr<const AttentionPlan> plan;
    bool joined = true;  // keys and values are columns of the query's matrix
    at::ScalarType type = at::kFloat;

    std::int64_t queryWidth() const { return shape.heads * shape.dim; }
    std::int64_t keyWidth() const { return shape.kvHeads * shape.dim; }
    float scale() const { return static_cast<float>(1 / std::sqrt(static_cast<double>(shape.dim))); }
};

// Columns [first, first + heads * dim) of a matrix, rotated; `to` may start at a column of its own.
void turn(const at::Tensor& from, std::int64_t first, at::Tensor& to, std::int64_t toFirst, const Rotation& rotation,
          std::int64_t heads, std::int64_t dim, float direction, float scale) {
    const auto *cos = rotation.cos.data_ptr<float>(), *sin = rotation.sin.data_ptr<float>();
    const auto run = [&](auto* in, auto* out) {
        parallelRows(from.size(0), 32, [&](auto begin, auto end) {
            kernels::rotate(in + first, from.stride(0), cos, sin, heads, dim, direction, scale, out + toFirst,
                            to.stride(0), begin, end);
        });
    };
    if (from.scalar_type() == at::kBFloat16)
        run(static_cast<const Bf16*>(from.data_ptr()), to.data_ptr<float>());
    else if (to.scalar_type() == at::kBFloat16)
        run(from.data_ptr<float>(), static_cast<Bf16*>(to.data_ptr()));
    else
        run(from.data_ptr<float>(), to.data_ptr<float>());
}

struct State {
    at::Tensor q, k, v, probabilities;  // fp32, rotated, q scaled
};

at::Tensor forward(const Call& call, const at::Tensor& query, const at::Tensor& keysValues, const Rotation& queryTurn,
                   const Rotation& keyTurn, State& state) {
    const auto& [heads, kvHeads, dim] = call.shape;
    const AttentionPlan& plan = *call.plan;
    const at::Tensor& keys = call.joined ? query : keysValues;
    const auto first = call.joined ? call.queryWidth() : 0;
    state.q = at::empty({plan.queries, call.queryWidth()}, at::kFloat);
    state.k = at::empty({plan.tokens, call.keyWidth()}, at::kFloat);
    turn(query, 0, state.q, 0, queryTurn, heads, dim, 1, call.scale());
    turn(keys, first, state.k, 0, keyTurn, kvHeads, dim, 1, 1);
    state.v = keys.narrow(1, first + call.keyWidth(), call.keyWidth()).to(at::kFloat).contiguous();
    state.probabilities = at::empty({heads * plan.probabilities}, at::kFloat);
    at::Tensor out = at::empty({plan.queries, call.queryWidth()}, at::kFloat);
    const auto parts = at::get_num_threads();
    const auto starts = kernels::splitWork(call.shape, plan, parts);
    const float *q = state.q.data_ptr<float>(), *k = state.k.data_ptr<float>(), *v = state.v.data_ptr<float>();
    float *p = state.probabilities.data_ptr<float>(), *o = out.data_ptr<float>();
    parallelParts(parts, [&](std::int64_t part) {
        for (auto work = starts[part]; work < starts[part + 1]; ++work)
            kernels::attend(call.shape, plan, plan.items[work / kvHeads], work % kvHeads, q, k, v, p, o);
    });
    return out.to(call.type);
}

// dq, dk (rotated still) and dv; every thread sums its own dk and dv.
std::array<at::Tensor, 3> backward(const Call& call, const State& state, const at::Tensor& dOut) {
    const AttentionPlan& plan = *call.plan;
    const auto kvHeads = call.shape.kvHeads, parts = static_cast<std::int64_t>(at::get_num_threads());
    at::Tensor dq = at::empty_like(state.q);
    at::Tensor dk = at::zeros({parts, plan.tokens, call.keyWidth()}, at::kFloat), dv = at::zeros_like(dk);
    const auto starts = kernels::splitWork(call.shape, plan, parts);
    const float *q = state.q.data_ptr<float>(), *k = state.k.data_ptr<float>(), *v = state.v.data_ptr<float>();
    const float *p = state.probabilities.data_ptr<float>(), *d = dOut.data_ptr<float>();
    float *toQ = dq.data_ptr<float>(), *toK = dk.data_ptr<float>(), *toV = dv.data_ptr<float>();
    const auto size = plan.tokens * call.keyWidth();
    parallelParts(parts, [&](std::int64_t part) {
        for (auto work = starts[part]; work < starts[part + 1]; ++work)
            kernels::attendBackward(call.shape, plan, plan.items[work / kvHeads], work % kvHeads, q, k, v, p, d, toQ,
                                    toK + part * size, toV + part * size);
    });
    return {dq, parts == 1 ? dk[0] : dk.sum(0), parts == 1 ? dv[0] : dv.sum(0)};
}

struct AttentionFunction : Function<AttentionFunction> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& query, const at::Tensor& keysValues,
                              const Rotation& queryTurn, const Rotation& keyTurn,
                              const c10::intrusive_ptr<Call>& call) {
        State state;
        at::Tensor out = cpu::forward(*call, query, keysValues, queryTurn, keyTurn, state);
        context->save_for_backward(
            {state.q, state.k, state.v, state.probabilities, queryTurn.cos, queryTurn.sin, keyTurn.cos, keyTurn.sin});
        context->saved_data["call"] = c10::IValue::make_capsule(call);
        return out;
    }

    static tensor_list backward(AutogradContext* context, tensor_list gradient) {
        const auto saved = context->get_saved_variables();
        const auto capsule = context->saved_data["call"].toCapsule();
        const auto& call = static_cast<const Call&>(*capsule);
        const auto& [heads, kvHeads, dim] = call.shape;
        const auto [dq, dk, dv] =
            cpu::backward(call, {saved[0], saved[1], saved[2], saved[3]}, gradient[0].to(at::kFloat).contiguous());
        const auto first = call.joined ? call.queryWidth() : 0;
        const auto options = at::TensorOptions(call.type);
        const auto width = call.queryWidth() + (call.joined ? 2 * call.keyWidth() : 0);
        at::Tensor toQuery = at::empty({call.plan->queries, width}, options);
        at::Tensor toKeys = call.joined ? toQuery : at::empty({call.plan->tokens, 2 * call.keyWidth()}, options);
        turn(dq, 0, toQuery, 0, {saved[4], saved[5]}, heads, dim, -1, call.scale());
        turn(dk, 0, toKeys, first, {saved[6], saved[7]}, kvHeads, dim, -1, 1);
        toKeys.narrow(1, first + call.keyWidth(), call.keyWidth()).copy_(dv);
        return {toQuery, call.joined ? at::Tensor() : toKeys, {}, {}, {}};
    }
};

}  // namespace

at::Tensor attention(const at::Tensor& query, const at::Tensor& keysValues, const Rotation& queryTurn,
                     const Rotation& keyTurn, const AttentionHeads& shape,
                     const std::shared_ptr<const AttentionPlan>& plan) {
    auto call = c10::make_intrusive<Call>();
    call->shape = shape;
    call->plan = plan;
    call->joined = !keysValues.defined();
    call->type = query.scalar_type();
    const bool wanted = query.requires_grad() || (keysValues.defined() && keysValues.requires_grad());
    if (wanted && at::GradMode::is_enabled() && !c10::InferenceMode::is_enabled())
        return AttentionFunction::apply(query, call->joined ? query : keysValues, queryTurn, keyTurn, call);
    State state;
    return forward(*call, query, keysValues, queryTurn, keyTurn, state);
}

}  // namespace candor::cpu
