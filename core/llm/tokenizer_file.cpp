// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/tokenizer_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/llm/files.h"
#include "core/llm/hash.h"

namespace candor {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kLargest = 256 << 20;
constexpr std::int32_t kLargestId = 1 << 26;

std::int32_t idFrom(const Json& value, const std::string& what) {
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() < kLargestId;
    if (!fits) throw Error(what.substr(0, 100) + ": " + value.dump().substr(0, 60) + " is no token id");
    return value.get<std::int32_t>();
}

bool blank(const Json& object, const char* key) {  // absent, null or empty
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ||
           (found->is_string() && found->get_ref<const std::string&>().empty());
}

std::pair<std::string, std::string> mergeFrom(const Json& merge) {
    if (merge.is_array() && merge.size() == 2) return {merge[0].get<std::string>(), merge[1].get<std::string>()};
    if (!merge.is_string()) throw Error("a merge is neither a string nor a pair");
    const auto& text = merge.get_ref<const std::string&>();
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
        throw Error("merge \"" + text.substr(0, 100) + "\" is not two tokens");
    return {text.substr(0, space), text.substr(space + 1)};
}

BpeParts bpeFrom(const Json& model) {
    // Old files have no type.
    if (const std::string type = model.value("type", "BPE"); type != "BPE")
        throw Error("model type \"" + type + "\" is not supported; byte-level BPE is");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (!blank(model, key)) throw Error(std::string("model: ") + key + " is not supported");
    if (!blank(model, "dropout") && model["dropout"] != 0) throw Error("model: dropout is not supported");
    if (model.contains("byte_fallback") && model["byte_fallback"] == true)
        throw Error("model: byte_fallback (a SentencePiece vocabulary) is not supported; byte-level BPE is");
    BpeParts parts;
    const Json& vocabulary = model.at("vocab");
    if (!vocabulary.is_object()) throw Error("model: vocab is no object");
    parts.vocabulary.reserve(vocabulary.size());
    for (const auto& [token, id] : vocabulary.items())
        parts.vocabulary.emplace(token, idFrom(id, "vocab \"" + token + '"'));
    const Json& merges = model.at("merges");
    if (!merges.is_array()) throw Error("model: merges is no array");
    parts.merges.reserve(merges.size());
    for (const Json& merge : merges) parts.merges.push_back(mergeFrom(merge));
    if (!blank(model, "unk_token")) parts.unknown = model["unk_token"].get<std::string>();
    parts.fuseUnknown = model.value("fuse_unk", false);
    parts.ignoreMerges = model.value("ignore_merges", false);
    return parts;
}

std::vector<AddedToken> addedFrom(const Json& list, const TextMap<std::int32_t>& vocabulary) {
    if (!list.is_array()) throw Error("added_tokens is no array");
    std::vector<AddedToken> tokens;
    for (const Json& json : list) {
        AddedToken token;
        token.content = json.at("content").get<std::string>();
        if (token.content.empty()) continue;
        token.id = idFrom(json.at("id"), "added token \"" + token.content + '"');
        // The vocabulary's id counts where both have one, as in Hugging Face.
        if (const auto known = vocabulary.find(token.content); known != vocabulary.end()) token.id = known->second;
        token.special = json.value("special", false);
        token.normalized = json.value("normalized", !token.special);
        token.singleWord = json.value("single_word", false);
        token.lstrip = json.value("lstrip", false);
        token.rstrip = json.value("rstrip", false);
        tokens.push_back(std::move(token));
    }
    std::ranges::stable_sort(tokens, {}, &AddedToken::id);
    for (std::size_t i = 1; i < tokens.size(); ++i)
        if (tokens[i].id == tokens[i - 1].id && tokens[i].content != tokens[i - 1].content)
            throw Error("added tokens \"" + tokens[i - 1].content.substr(0, 80) + "\" and \"" +
                        tokens[i].content.substr(0, 80) + "\" have the same id");
    return tokens;
}

void templateFrom(const Json& processor, TokenizerParts& parts) {
    bool seen = false;
    for (const Json& piece : processor.at("single")) {
        if (piece.contains("Sequence")) {
            if (seen) throw Error("post_processor: the text appears twice in the template");
            seen = true;
            continue;
        }
        const auto name = piece.at("SpecialToken").at("id").get<std::string>();
        for (const Json& id : processor.at("special_tokens").at(name).at("ids"))
            (seen ? parts.after : parts.before).push_back(idFrom(id, "post_processor"));
    }
    if (!seen) throw Error("post_processor: the template leaves the text out");
}

void postProcessorFrom(const Json& json, TokenizerParts& parts, int depth) {
    if (json.is_null()) return;
    const auto type = json.at("type").get<std::string>();
    if (type == "ByteLevel") return;  // moves offsets only
    if (type == "Sequence") {
        if (depth > 4) throw Error("post_processor: sequences nested too deeply");
        for (const Json& part : json.at("processors")) postProcessorFrom(part, parts, depth + 1);
        return;
    }
    if (!parts.before.empty() || !parts.after.empty())
        throw Error("post_processor: two parts that add tokens are not supported");
    if (type == "TemplateProcessing") return templateFrom(json, parts);
    if (type == "RobertaProcessing" || type == "BertProcessing") {
        parts.before = {idFrom(json.at("cls").at(1), "post_processor")};
        parts.after = {idFrom(json.at("sep").at(1), "post_processor")};
        return;
    }
    throw Error("post_processor \"" + type + "\" is not supported");
}

void checkDecoder(const Json& decoder) {
    if (decoder.is_object() && decoder.value("type", "") == "ByteLevel") return;
    throw Error("decoder " + (decoder.is_object() ? decoder.value("type", "without a type") : "null") +
                " is not supported; ByteLevel is");
}

TokenizerParts partsFrom(const Json& json) {
    TokenizerParts parts;
    if (!json.is_object() || !json.contains("model") || !json["model"].is_object()) throw Error("has no model");
    const auto field = [&](const char* key) { return json.contains(key) ? json[key] : Json(); };
    parts.bpe = bpeFrom(json["model"]);
    parts.normalizer = Normalizer(field("normalizer"));
    parts.preTokenizer.emplace(field("pre_tokenizer"));
    if (!parts.preTokenizer->byteLevel())
        throw Error("pre_tokenizer is not byte-level; only byte-level BPE tokenizers are supported");
    if (json.contains("added_tokens")) parts.added = addedFrom(json["added_tokens"], parts.bpe.vocabulary);
    postProcessorFrom(field("post_processor"), parts, 0);
    checkDecoder(field("decoder"));
    return parts;
}

}  // namespace

TokenizerParts readTokenizerFile(const std::filesystem::path& file) {
    constexpr const char* code = "bad_tokenizer";
    const std::string text = readFile(file, kLargest, code);
    try {
        TokenizerParts parts = partsFrom(parseJson(text, file, code));
        parts.hash = sha256(text);
        return parts;
    } catch (const InputError&) {
        throw;
    } catch (const Json::exception& error) {
        throw InputError(code, file.string() + ": a field is missing or of another type: " + error.what(),
                         file.string());
    } catch (const Error& error) {
        throw InputError(code, file.string() + ": " + error.what(), file.string());
    }
}

}  // namespace candor
