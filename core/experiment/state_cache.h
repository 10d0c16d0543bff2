// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace candor {

enum class StateDtype : std::uint8_t { Fp32 = 0, Fp16 = 1 };  // stored on disk: do not renumber

// What one file of cached hidden states holds. `model` is the project's name of it.
struct StateInfo {
    std::string key;  // Backbone::stateKey: names the file
    std::string model;
    std::string readPosition = "last";
    std::string provenance;  // JSON object, as the backbone gave it
    int layer = -1;
    int width = 0;
    StateDtype dtype = StateDtype::Fp32;
    std::int64_t rows = 0;     // filled by open()
    std::uintmax_t bytes = 0;  // size on disk, filled by open()
};

// Hidden states of questions, found by their exact text, in NAME.candor.d/states/KEY.states. A view of a file;
// readers never see half a write: a block that was cut off is ignored and overwritten by the next append.
class StateCache {
  public:
    // Reads the header and the index. Throws Error naming the file and its fault if it is damaged.
    static StateCache open(const std::filesystem::path& file);

    const StateInfo& info() const { return info_; }
    const std::filesystem::path& file() const { return file_; }
    bool contains(const std::string& question) const;
    // States of `questions`, row-major questions x width, fp32. Throws Error for one that is not there.
    std::vector<float> read(std::span<const std::string> questions) const;
    // Adds questions to the file and to this view of it, whatever other processes added meanwhile; those that are there
    // already are skipped. Throws Error.
    void append(std::span<const std::string> questions, std::span<const float> matrix);

  private:
    struct Place {
        std::uint64_t offset;
    };
    StateInfo info_;
    std::filesystem::path file_;
    std::unordered_map<std::string, Place> places_;  // by 16 bytes of SHA-256 of the text
};

std::filesystem::path statesFolder(const std::filesystem::path& projectFolder);  // "states" in it
std::filesystem::path statesFile(const std::filesystem::path& projectFolder, const std::string& key);

// Writes a file anew, atomically: matrix is row-major questions x info.width. Makes the folder. Throws Error.
void writeStates(const std::filesystem::path& file, const StateInfo& info, std::span<const std::string> questions,
                 std::span<const float> matrix);
// Adds questions; what the file holds already is skipped. Makes the file if it is absent. Throws Error.
void appendStates(const std::filesystem::path& file, const StateInfo& info, std::span<const std::string> questions,
                  std::span<const float> matrix);

// Headers of every readable file in the states folder (damaged ones are left out), by name.
std::vector<StateInfo> listStates(const std::filesystem::path& projectFolder);

}  // namespace candor
