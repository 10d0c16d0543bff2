// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/byte_level.h"

#include <array>

#include "core/text/unicode.h"

namespace candor {

namespace {

struct Alphabet {
    std::array<char32_t, 256> ofByte{};
    std::array<int, 512> ofCharacter{};

    Alphabet() {
        ofCharacter.fill(-1);
        char32_t next = 0x100;
        for (int byte = 0; byte < 256; ++byte) {
            const bool visible = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
            ofByte[byte] = visible ? static_cast<char32_t>(byte) : next++;
            ofCharacter[ofByte[byte]] = byte;
        }
    }
};

const Alphabet& alphabet() {
    static const Alphabet instance;
    return instance;
}

}  // namespace

std::optional<std::string> bytesOfSpelling(std::string_view spelling) {
    std::string bytes;
    bytes.reserve(spelling.size());
    for (std::size_t at = 0; at < spelling.size();) {
        const auto ascii = static_cast<unsigned char>(spelling[at]);
        const char32_t c = ascii < 0x80 ? (++at, ascii) : decodeAt(spelling, at);
        const int byte = c < 512 ? alphabet().ofCharacter[c] : -1;
        if (byte < 0) return {};
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

std::string spellingOfBytes(std::string_view bytes) {
    std::string spelling;
    for (const char byte : bytes) appendUtf8(spelling, alphabet().ofByte[static_cast<unsigned char>(byte)]);
    return spelling;
}

}  // namespace candor
