// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/torch/packing.h"

#include <algorithm>
#include <numeric>

namespace candor {

namespace {

std::vector<std::int64_t> sortedOrder(std::span<const TokenRow* const> rows) {
    std::vector<std::int64_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return rows[a]->ids != rows[b]->ids ? rows[a]->ids < rows[b]->ids : rows[a]->padPosition < rows[b]->padPosition;
    });
    return order;
}

std::size_t commonPrefix(const TokenRow& a, const TokenRow& b) {
    const auto [end, other] = std::mismatch(a.ids.begin(), a.ids.end(), b.ids.begin(), b.ids.end());
    return static_cast<std::size_t>(end - a.ids.begin());
}

// Builds the tree from rows in sorted order: the open path is the previous row's chain of segments.
class Packer {
  public:
    explicit Packer(Packed& out) : out_(out) {}

    // `shared`: how many leading tokens this row has in common with the previous one.
    void add(const TokenRow& row, std::size_t shared, std::int64_t index) {
        closeTo(static_cast<std::int64_t>(shared));
        std::int64_t last = path_.empty() ? -1 : out_.segments[path_.back()].end - 1;
        if (row.ids.size() > shared) {
            open();
            for (std::size_t i = shared; i < row.ids.size(); ++i)
                last = token(row.ids[i], static_cast<std::int64_t>(i));
        }
        depth_ = static_cast<std::int64_t>(row.ids.size());
        if (row.padPosition >= 0) last = readOut(row);
        out_.read[index] = last;
    }

  private:
    void open() {
        const auto here = out_.tokens();
        out_.segments.push_back({here, here, path_.empty() ? -1 : path_.back()});
        path_.push_back(static_cast<std::int64_t>(out_.segments.size()) - 1);
    }

    std::int64_t token(std::int32_t id, std::int64_t position, bool blind = false) {
        out_.ids.push_back(id);
        out_.positions.push_back(position);
        out_.blind.push_back(blind);
        out_.segmentOf.push_back(path_.back());
        out_.segments[path_.back()].end = out_.tokens();
        out_.longest = std::max(out_.longest, position + 1);
        return out_.tokens() - 1;
    }

    // A leaf of its own below the row's chain, so that nothing else sees it.
    std::int64_t readOut(const TokenRow& row) {
        open();
        const auto last = token(row.padId, row.padPosition, true);
        path_.pop_back();
        return last;
    }

    // Shortens the open path to `depth` tokens; a segment that is cut in the middle is split in two.
    void closeTo(std::int64_t depth) {
        while (!path_.empty()) {
            const auto length = out_.segments[path_.back()].end - out_.segments[path_.back()].begin;
            if (depth_ == depth) return;
            if (depth_ - length >= depth) {
                depth_ -= length;
                path_.pop_back();
            } else {
                split(path_.back(), length - (depth_ - depth));
                depth_ = depth;
            }
        }
    }

    // The first `keep` tokens stay in segment `at`; the rest becomes a child that takes over its children.
    void split(std::int64_t at, std::int64_t keep) {
        const auto tail = static_cast<std::int64_t>(out_.segments.size());
        const Segment whole = out_.segments[at];
        out_.segments[at].end = whole.begin + keep;
        for (auto& segment : out_.segments)
            if (segment.parent == at) segment.parent = tail;
        out_.segments.push_back({whole.begin + keep, whole.end, at});
        for (auto i = whole.begin + keep; i < whole.end; ++i) out_.segmentOf[i] = tail;
    }

    Packed& out_;
    std::vector<std::int64_t> path_;
    std::int64_t depth_ = 0;
};

// Splitting appends segments out of order; everything that walks them wants parents first.
void sortSegments(Packed& packed) {
    std::vector<std::int64_t> order(packed.segments.size()), place(packed.segments.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return packed.segments[a].begin < packed.segments[b].begin; });
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int64_t>(i);
    std::vector<Segment> sorted;
    for (const auto from : order) {
        sorted.push_back(packed.segments[from]);
        if (sorted.back().parent >= 0) sorted.back().parent = place[sorted.back().parent];
    }
    packed.segments = std::move(sorted);
    for (auto& segment : packed.segmentOf) segment = place[segment];
}

}  // namespace

Packed pack(std::span<const TokenRow* const> rows, bool share) {
    Packed packed;
    packed.read.resize(rows.size());
    Packer packer(packed);
    const TokenRow* previous = nullptr;
    for (const auto index : sortedOrder(rows)) {
        const TokenRow& row = *rows[index];
        packer.add(row, share && previous ? commonPrefix(*previous, row) : 0, index);
        previous = &row;
    }
    sortSegments(packed);
    return packed;
}

std::vector<std::vector<std::int64_t>> planBatches(std::span<const TokenRow* const> rows, std::int64_t maxTokens,
                                                   std::int64_t maxRows) {
    std::vector<std::vector<std::int64_t>> batches;
    std::int64_t tokens = 0;
    const TokenRow* previous = nullptr;
    for (const auto index : sortedOrder(rows)) {
        const TokenRow& row = *rows[index];
        const auto own = static_cast<std::int64_t>(row.size());
        const auto added = own - (previous ? static_cast<std::int64_t>(commonPrefix(*previous, row)) : 0);
        const bool full =
            !batches.empty() && maxRows > 0 && static_cast<std::int64_t>(batches.back().size()) >= maxRows;
        if (batches.empty() || full || tokens + added > maxTokens) {
            batches.emplace_back();
            tokens = own;
        } else {
            tokens += added;
        }
        batches.back().push_back(index);
        previous = &row;
    }
    return batches;
}

}  // namespace candor
