// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/confidence/adapter_files.h"
#include "core/llm/regex.h"

namespace candor {

// What adapter_config.json says about one linear module of one layer.
struct ModuleAdapter {
    int r = 0;
    double scale = 1;
};

// adapter_config.json of a LoRA adapter. Matching of names follows PEFT: a list of targets by suffix, a string as a
// regex for the whole path, patterns by regex for the end of the path, the first that matches.
class PeftConfig {
  public:
    // Throws InputError ("bad_adapter") naming what is missing or of a kind that is not supported (DoRA, ...).
    explicit PeftConfig(const std::filesystem::path& file);

    const AdapterConfig& config() const { return config_; }
    // `path` as PEFT sees it: "layers.0.self_attn.q_proj", with "model." before it for causal models.
    std::optional<ModuleAdapter> module(const std::string& path) const;
    // Targets and patterns that match none of these paths.
    std::vector<std::string> unmatchedTargets(const std::vector<std::string>& paths) const;
    std::vector<std::string> unmatchedPatterns(const std::vector<std::string>& paths) const;

  private:
    bool targets(const std::string& target, const std::string& path) const;
    void readTargets(const std::filesystem::path& file, const std::string& text);
    AdapterConfig config_;
    std::vector<std::string> targetList_;
    std::optional<Regex> targetRegex_;
    std::vector<Regex> rankRegexes_, alphaRegexes_;
};

// The file that PEFT reads.
std::string peftConfigText(const AdapterConfig& config, const ModelConfig& model);

}  // namespace candor
