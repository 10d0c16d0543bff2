// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

struct Turn {
    std::string role;  // "system", "user", "assistant"
    std::string content;
};

struct PromptOptions {
    std::string name = "default";  // "default" (the folder's chat template), "paper-qwen2", "paper-llama3", "none"
    std::string templateText;      // not empty: this Jinja chat template instead of the folder's
    std::string system = "You are a helpful assistant.";  // empty: no system turn
    std::string userPrefix = "Answer the following question.\nQuestion: ";
    bool thinking = false;  // what templates with a thinking mode are told (enable_thinking)
};

// How a question becomes the text that the model reads. Encode it without the post-processor: a BOS comes only from
// the template's own text. Const use is thread safe.
class Prompt {
  public:
    // Throws InputError ("bad_prompt"): no template in the folder and none given, an unknown name, a construct that
    // is not supported.
    explicit Prompt(const std::filesystem::path& modelFolder, const PromptOptions& options = {});
    ~Prompt();
    Prompt(Prompt&&) noexcept;
    Prompt& operator=(Prompt&&) noexcept;

    std::string render(std::string_view question) const;
    std::string renderChat(const std::vector<Turn>& turns, bool generationPrompt = true) const;

    const std::string& name() const;
    const std::string& templateText() const;  // empty for the named prompts that need none
    const std::string& templateHash() const;  // SHA-256 of it
    const std::string& promptHash() const;    // SHA-256 of the text around a question; names stored answers and states

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// The chat template of a model folder (chat_template.jinja, else tokenizer_config.json), empty if it has none.
std::string readChatTemplate(const std::filesystem::path& modelFolder);

}  // namespace candor
