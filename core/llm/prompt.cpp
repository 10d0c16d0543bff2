// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/prompt.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "core/llm/files.h"
#include "core/llm/hash.h"
#include "core/llm/jinja.h"

namespace candor {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kCode = "bad_prompt";

// The chat format that the paper's tool wrote by hand, which differs from the models' own templates (spec 2.1).
const std::string kPaperQwen2 =
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
const std::string kPaperLlama3 =
    "{{ '<|begin_of_text|>' }}{% for message in messages %}{{ '<|start_header_id|>' + message.role + "
    "'<|end_header_id|>\\n\\n' + message.content + '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}";

nlohmann::json tokenizerConfig(const fs::path& folder) {
    const fs::path file = folder / "tokenizer_config.json";
    if (!fs::exists(file)) return nlohmann::json::object();
    nlohmann::json json = readJson(file, 64 << 20, kCode);
    if (!json.is_object()) throw InputError(kCode, file.string() + ": is no JSON object", file.string());
    return json;
}

// A special token is a string, or an object with its content.
std::string tokenText(const nlohmann::json& config, const char* key) {
    const auto found = config.find(key);
    if (found == config.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    const bool object = found->is_object() && found->contains("content") && (*found)["content"].is_string();
    return object ? (*found)["content"].get<std::string>() : std::string();
}

// Several named templates are a list of {name, template}; "default" is the one for chats.
std::string templateIn(const nlohmann::json& config) {
    const auto found = config.find("chat_template");
    if (found == config.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    if (found->is_array())
        for (const auto& entry : *found)
            if (entry.is_object() && entry.value("name", "") == "default") return entry.value("template", "");
    return {};
}

}  // namespace

std::string readChatTemplate(const fs::path& folder) {
    const fs::path file = folder / "chat_template.jinja";
    if (fs::exists(file)) return readFile(file, 1 << 20, kCode);
    return templateIn(tokenizerConfig(folder));
}

struct Prompt::Impl {
    PromptOptions options;
    std::string bos, eos, templateText, templateHash, promptHash;
    std::optional<JinjaTemplate> chat;  // none: the question as it is

    std::string render(const std::vector<Turn>& turns, bool generationPrompt) const;
};

std::string Prompt::Impl::render(const std::vector<Turn>& turns, bool generationPrompt) const {
    if (!chat) return turns.empty() ? std::string() : turns.back().content;
    Json messages = Json::array();
    for (const Turn& turn : turns) messages.push_back({{"role", turn.role}, {"content", turn.content}});
    Json variables = {
        {"messages", messages}, {"add_generation_prompt", generationPrompt}, {"enable_thinking", options.thinking}};
    // transformers passes only the special tokens that the tokenizer has.
    if (!bos.empty()) variables["bos_token"] = bos;
    if (!eos.empty()) variables["eos_token"] = eos;
    try {
        return chat->render(variables);
    } catch (const Error& error) {
        throw InputError(kCode, error.what());
    }
}

Prompt::Prompt(const fs::path& folder, const PromptOptions& options) : impl_(std::make_unique<Impl>()) {
    impl_->options = options;
    const std::string& name = options.name;
    const nlohmann::json config = tokenizerConfig(folder);
    impl_->bos = tokenText(config, "bos_token");
    impl_->eos = tokenText(config, "eos_token");
    impl_->templateText = options.templateText;
    if (name == "none") {
        if (!options.templateText.empty()) throw InputError(kCode, "prompt \"none\" takes no template");
    } else if (name == "paper-qwen2") {
        impl_->templateText = kPaperQwen2;
    } else if (name == "paper-llama3") {
        impl_->templateText = kPaperLlama3;
        // The paper's system turn for Llama 3 has no full stop.
        if (impl_->options.system == PromptOptions().system) impl_->options.system.pop_back();
    } else if (name != "default" && options.templateText.empty()) {
        throw InputError(kCode,
                         "prompt \"" + name + "\" is unknown; expected default, paper-qwen2, paper-llama3 or none");
    }
    if (impl_->templateText.empty() && name == "default") impl_->templateText = readChatTemplate(folder);
    if (impl_->templateText.empty() && name != "none")
        throw InputError(kCode,
                         folder.string() +
                             ": no chat template (chat_template.jinja, or chat_template in tokenizer_config.json); "
                             "give one, or choose paper-qwen2, paper-llama3 or none");
    impl_->templateHash = sha256(impl_->templateText);
    try {
        if (!impl_->templateText.empty()) impl_->chat.emplace(impl_->templateText);
    } catch (const Error& error) {
        throw InputError(kCode, error.what());
    }
    // What surrounds a question decides the hash, however it came about.
    impl_->promptHash = sha256(render("\x01question\x02"));
}

Prompt::~Prompt() = default;
Prompt::Prompt(Prompt&&) noexcept = default;
Prompt& Prompt::operator=(Prompt&&) noexcept = default;

std::string Prompt::render(std::string_view question) const {
    std::vector<Turn> turns;
    if (!impl_->options.system.empty()) turns.push_back({"system", impl_->options.system});
    turns.push_back({"user", impl_->options.userPrefix + std::string(question)});
    return impl_->render(turns, true);
}

std::string Prompt::renderChat(const std::vector<Turn>& turns, bool generationPrompt) const {
    return impl_->render(turns, generationPrompt);
}

const std::string& Prompt::name() const { return impl_->options.name; }
const std::string& Prompt::templateText() const { return impl_->templateText; }
const std::string& Prompt::templateHash() const { return impl_->templateHash; }
const std::string& Prompt::promptHash() const { return impl_->promptHash; }

}  // namespace candor
