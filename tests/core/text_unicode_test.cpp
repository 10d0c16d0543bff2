// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/unicode.h"

#include "tests/testing.h"

using namespace candor;

class TextUnicodeTest : public QObject {
    Q_OBJECT

  private slots:
    void decodesAndEncodes() {
        const std::string text = "na\u00efve \u7f6e\u4fe1\u5ea6 \u062b\u0642\u0629 \U0001F600";
        QCOMPARE(encodeUtf8(decodeUtf8(text)), text);
        QCOMPARE(decodeUtf8(text).size(), std::size_t(15));
        QVERIFY(isValidUtf8(text));
        QVERIFY(!isAscii(text));
        QVERIFY(isAscii("twelve bytes"));
    }

    // The Unicode standard's own example of maximal subparts (table 3-8).
    void replacesBrokenBytes() {
        const std::string broken = "\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64";
        QCOMPARE(encodeUtf8(decodeUtf8(broken)), std::string("a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd"));
        QVERIFY(!isValidUtf8(broken));
        for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xFF"})
            QVERIFY2(!isValidUtf8(bad), bad);
        QCOMPARE(nfc("e\u0301\xFF"), std::string("\u00e9\uFFFD"));
        std::string text;
        appendUtf8(text, 0xD800);
        appendUtf8(text, 0x110000);
        QCOMPARE(text, std::string("\uFFFD\uFFFD"));
    }

    void normalises() {
        QCOMPARE(nfc("e\u0301"), std::string("\u00e9"));
        QCOMPARE(nfd("\u00e9"), std::string("e\u0301"));
        QCOMPARE(nfkd("\uFF19\uFF10\uFF05\u00a0\ufb01"), std::string("90% fi"));
        QCOMPARE(nfkc("\u212b"), std::string("\u00c5"));
        QCOMPARE(nfd("\uac00"), std::string("\u1100\u1161"));                       // Hangul
        QCOMPARE(nfc("\u05d1\u05bc\u05b0"), std::string("\u05d1\u05b0\u05bc"));     // marks in canonical order
        QCOMPARE(nfc(std::string("a\0b\u0301", 5)), std::string("a\0b\u0301", 5));  // NUL does not end the text
    }

    // Every code point decomposes as the whole-string form says, and within the buffer.
    void decomposesAlone() {
        char32_t parts[kLongestDecomposition];
        for (char32_t c = 0; c <= 0x10FFFF; ++c) {
            if (c >= 0xD800 && c <= 0xDFFF) continue;
            std::string text;
            appendUtf8(text, c);
            const std::size_t size = decompose(c, parts);
            if (encodeUtf8(std::u32string_view(parts, size)) != nfkd(text)) QCOMPARE(int(c), -1);
        }
    }

    void knowsCategories() {
        QVERIFY(isLetter(category(U'\u6771')) && isMark(category(0x301)) && isNumber(category(U'\u0663')));
        QVERIFY(isPunctuation(category(U'_')) && isSymbol(category(U'$')) && isSeparator(category(0xA0)));
        QVERIFY(isControl(category(U'\n')) && isControl(category(0x378)) && isControl(category(0x110000)));
        QVERIFY(isSpace(U'\n') && isSpace(0x3000) && isSpace(0x85) && isSpace(0x1F) && !isSpace(0x200B));
        QCOMPARE(lower("\u00c9T\u00c9 \u0416"), std::string("\u00e9t\u00e9 \u0436"));
    }
};

CANDOR_TEST(TextUnicodeTest);
#include "text_unicode_test.moc"
