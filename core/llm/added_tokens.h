// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace candor {

// A token that is looked for in the text before anything else happens to it.
struct AddedToken {
    std::int32_t id = 0;
    std::string content;
    bool special = false;
    bool normalized = false;              // looked for after normalisation
    bool singleWord = false;              // only where no word character touches it
    bool lstrip = false, rstrip = false;  // takes the white space beside it along
};

// A piece of the text: a token's id, or -1 for text between tokens.
struct TokenSpan {
    std::int32_t id = -1;
    std::string_view text;
};

// Finds some added tokens in a text, the longest of those that start leftmost, as Hugging Face tokenizers does.
class TokenFinder {
  public:
    void add(const AddedToken& token, const std::string& content);
    bool empty() const { return tokens_.empty(); }
    // Calls `take` for each span in order; empty text spans are left out.
    void split(std::string_view text, const std::function<void(const TokenSpan&)>& take) const;

  private:
    struct Node {
        std::unordered_map<unsigned char, int> next;
        int token = -1;
    };
    int longestAt(std::string_view text, std::size_t at, std::size_t& end) const;

    std::vector<Node> nodes_ = {Node{}};
    std::vector<AddedToken> tokens_;
    bool starts_[256] = {};
};

}  // namespace candor
