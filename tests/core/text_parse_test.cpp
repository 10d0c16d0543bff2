// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/text/choice.h"
#include "core/text/logprob.h"
#include "core/text/match.h"
#include "core/text/normalise.h"
#include "core/text/numbers.h"
#include "core/text/rouge.h"
#include "core/text/verbal.h"
#include "core/text/verdict.h"
#include "tests/testing.h"

using namespace candor;
using Gold = std::vector<std::string>;

// Golden vectors of the method's specification, public fault reports, and scripts that are not Latin.
class TextParseTest : public QObject {
    Q_OBJECT

    static Verdict said(const char* reply) { return parseVerdict(std::string_view(reply)).verdict; }
    static double verbal(const char* reply) { return parseVerbal(reply).value_or(-1); }
    static char choice(const char* reply, int options = 4) { return parseChoice(reply, options).value_or('-'); }

  private slots:
    void verdicts() {
        QVERIFY(elicalVerdict("") && elicalVerdict("incorrect") && elicalVerdict("not certain") &&
                elicalVerdict("un-certain"));
        QVERIFY(!elicalVerdict("certain, no doubt") && !elicalVerdict("Uncertain.") && !elicalVerdict(std::nullopt));
        QVERIFY(said("") == Verdict::Unparsed);
        QVERIFY(said("certain, no doubt") == Verdict::Yes);
        QVERIFY(said("Uncertain.") == Verdict::No);
        QVERIFY(parseVerdict(std::string_view("incorrect"), correctnessWords()).verdict == Verdict::No);
        QVERIFY(parseVerdict(std::string_view("INCORRECT"), correctnessWords()).verdict == Verdict::No);
        for (const char* reply : {"maybe", "[ERROR] timeout", "incorrect", "not certain", "un-certain", "uncertainly",
                                  "I'm not entirely certain", "It isn't uncertain", "certainty", "\xFF"})
            QVERIFY2(said(reply) == Verdict::Unparsed, reply);
        QVERIFY(said("**\uFF23\uFF25\uFF32\uFF34\uFF21\uFF29\uFF2E**") == Verdict::Yes);  // full width
        QVERIFY(said("They are not the same. Uncertain") == Verdict::No);  // the negation ended with its sentence
        const ParsedVerdict both = parseVerdict(std::string_view("certain\nuncertain"));
        QVERIFY(both.verdict == Verdict::Yes && both.contradiction);
        QVERIFY(!parseVerdict(std::string_view("Certain. Certain!")).contradiction);
    }

    void verbalConfidence() {
        QCOMPARE(elicalVerbal("0.8 out of 1"), 1.0);
        QCOMPARE(elicalVerbal("95%"), 0.0);
        QCOMPARE(elicalVerbal("1.5"), 0.5);
        QCOMPARE(elicalVerbal("0.95."), 0.95);
        QCOMPARE(elicalVerbal("0.8/1.0"), 1.0);
        QCOMPARE(verbal("0.8 out of 1"), 0.8);
        QCOMPARE(verbal("95%"), 0.95);
        QCOMPARE(verbal("1.5"), -1.0);
        QCOMPARE(verbal("0.95."), 0.95);
        QCOMPARE(verbal("0"), 0.0);
        QCOMPARE(verbal("1"), 1.0);
        QCOMPARE(verbal("100%"), 1.0);
        QCOMPARE(verbal("There are 5 reasons, score 9/10"), 0.9);
        QCOMPARE(verbal("\u0660.\u0668"), 0.8);   // Arabic-Indic digits
        QCOMPARE(verbal("\u0968\u096b%"), 0.25);  // Devanagari digits
        QCOMPARE(verbal("0.9 (90%)"), 0.9);       // twice the same
        QCOMPARE(verbal("between 0.6 and 0.8"), -1.0);
        QCOMPARE(verbal("7"), -1.0);
        QCOMPARE(verbal("1/0"), -1.0);
        QCOMPARE(verbal("120%"), -1.0);
        QCOMPARE(verbal("version1.0"), -1.0);
        QCOMPARE(verbal("1e999999"), -1.0);
        QCOMPARE(verbal("nan"), -1.0);
    }

    void choices() {
        QCOMPARE(choice("B"), 'B');
        QCOMPARE(choice("b."), 'B');
        QCOMPARE(choice("**C**"), 'C');
        QCOMPARE(choice("(d) Lviv"), 'D');
        QCOMPARE(choice("B. Vitamin D"), 'B');
        QCOMPARE(choice("A. Vitamin B is water soluble"), 'A');
        QCOMPARE(choice("Antwort: C"), 'C');
        QCOMPARE(choice("The answer is B because a car moves"), 'B');
        QCOMPARE(choice("The correct answer is (C)."), 'C');
        QCOMPARE(choice("Answer: **D. Lviv**"), 'D');
        QCOMPARE(choice("I would go with B here"), 'B');
        QCOMPARE(choice("\uFF22"), 'B');
        QCOMPARE(choice("A good question. It is Paris."), '-');
        QCOMPARE(choice("The answer is not B"), '-');
        QCOMPARE(choice("Either B or C"), '-');
        QCOMPARE(choice("E"), '-');
        QCOMPARE(choice("E", 5), 'E');
        QCOMPARE(choice("the answer a person gives"), '-');
        QCOMPARE(choice(""), '-');
    }

    void hasAnswer() {
        QVERIFY(elicalHasAnswer(Gold{"A"}, "B. Paris"));
        QVERIFY(!elicalHasAnswer(Gold{"B"}, "A. Paris"));
        QVERIFY(elicalHasAnswer(Gold{"U.S."}, "the u s army"));
        QVERIFY(!elicalHasAnswer(Gold{"caf\u00e9"}, "cafe"));
        QVERIFY(!elicalHasAnswer(Gold{"O'Neil"}, "ONeil"));
        for (const char* empty : {"A", "The", "", "!!!", "The The", "$"})
            QVERIFY2(elicalHasAnswer(Gold{empty}, "anything") && !containsAnswer(Gold{empty}, "anything"), empty);
        QVERIFY(!elicalHasAnswer(Gold{"US$"}, "anything"));
        QVERIFY(elicalHasAnswer(Gold{"th\u00e9"}, "\u0301"));  // the base letters went as an article
        QVERIFY(!containsAnswer(Gold{"B"}, "A. Paris"));
        QVERIFY(containsAnswer(Gold{"U.S."}, "the u s army"));
    }

    void rouge() {
        QCOMPARE(rougeL("the cat the dog the cat", "the dog the cat"), 0.8);
        QVERIFY(std::abs(rougeL("It was 1912. The ship sank.", "The ship sank in 1912.") - 4.0 / 11) < 1e-12);
        QCOMPARE(rougeL("paris", "Paris"), 0.0);
        QCOMPARE(rougeL("", "Paris"), 0.0);
        QCOMPARE(rougeLNormalised("paris!", "The Paris"), 1.0);
        QVERIFY(std::abs(*elicalRougeL("the cat the dog the cat", "the dog the cat") - 1.0) < 1e-6);
        QVERIFY(std::abs(*elicalRougeL("It was 1912. The ship sank.", "The ship sank in 1912.") - 0.727273) < 1e-6);
        QCOMPARE(*elicalRougeL("paris", "Paris"), 0.0);
        QVERIFY(!elicalRougeL("", "Paris") && !elicalRougeL("Paris", "..."));
    }

    void exactAndF1() {
        QVERIFY(exactMatch(Gold{"x", "The Beatles"}, "beatles!"));
        QVERIFY(!exactMatch(Gold{"", "!!!"}, "?"));
        QCOMPARE(tokenF1(Gold{"red red car", "bus"}, "red car"), 0.8);
        QCOMPARE(tokenF1(Gold{"the"}, "the"), 0.0);
    }

    void yesAndNoComeFirst() {
        QVERIFY(containsAnswer(Gold{"no"}, "No, they were not."));
        QVERIFY(!containsAnswer(Gold{"no"}, "Yes, there is no doubt."));
        QVERIFY(containsAnswer(Gold{"no doubt"}, "Yes, there is no doubt."));
    }

    void agreement() {
        const char* asked = "Where is the headquarters of Hitachi located?";
        const auto core = [&](const char* answer) { return coreOf(asked, answer); };
        QCOMPARE(core("The headquarters of Hitachi is in Tokyo, Japan. It is old."), std::string("tokyo japan"));
        QVERIFY(coreAgrees(core("Tokyo"), core("It is in Tokyo, Japan.")));
        QVERIFY(coreAgrees(core("It is located there."), core("Hitachi.")));  // nothing left of both
        QVERIFY(!coreAgrees(core("It is located there."), core("Tokyo")));
        QVERIFY(!coreAgrees("tokyo", "tokyos"));
        QVERIFY(coreAgrees("x y", "z y x"));     // 5 * 2 >= 2 + 3
        QVERIFY(!coreAgrees("x p q", "z y x"));  // 5 * 1 < 3 + 3
        QCOMPARE(firstSentence("St. Mary (1st). Then"), std::string_view("St."));
        QCOMPARE(firstSentence("J. R. Smith"), std::string_view("J. R. Smith"));
        QCOMPARE(firstSentence("Pi is 3.14\nreally"), std::string_view("Pi is 3.14"));
    }

    void otherScripts() {
        QCOMPARE(normalised("Caf\u00e9 \u2019N\u00ba1\u2019"), std::string("cafe no1"));
        QCOMPARE(normalised("\u0627\u0644\u0642\u064e\u0627\u0647\u0650\u0631\u064e\u0629\u061f"),
                 std::string("\u0627\u0644\u0642\u0627\u0647\u0631\u0629"));  // Arabic vowel signs and question mark
        QVERIFY(
            containsAnswer(Gold{"\u05d9\u05e8\u05d5\u05e9\u05dc\u05d9\u05dd"},
                           "\u200f\u05d9\u05b0\u05e8\u05d5\u05bc\u05e9\u05c1\u05b8\u05dc\u05b7\u05d9\u05b4\u05dd.") ==
            false);  // a direction mark is no separator: part of the token, as the rule says
        QVERIFY(containsAnswer(Gold{"\u05d9\u05e8\u05d5\u05e9\u05dc\u05d9\u05dd"},
                               "\u05d9\u05b0\u05e8\u05d5\u05bc\u05e9\u05c1\u05b8\u05dc\u05b7\u05d9\u05b4\u05dd."));
        QVERIFY(containsAnswer(Gold{"\u6771\u4eac"}, "\u6771\u4eac\u3002"));
        QVERIFY(!containsAnswer(Gold{"\u6771\u4eac"}, "\u7b54\u3048\u306f\u6771\u4eac\u3067\u3059"));
        QVERIFY(containsAnswer(Gold{"\u30ab\u30ca"}, "\uff76\uff85"));                          // half-width kana
        QVERIFY(containsAnswer(Gold{"\u039f\u0394\u039f\u03a3"}, "\u03bf\u03b4\u03bf\u03c2"));  // final sigma
        QVERIFY(containsAnswer(Gold{"\u0130stanbul"}, "istanbul"));
        QVERIFY(containsAnswer(Gold{"e\u0301t\u00e9"}, "\u00c9te\u0301"));
        QVERIFY(!containsAnswer(Gold{"\U0001F600"}, "\U0001F600"));  // a symbol normalises to nothing
        QCOMPARE(normalised("b\xFF\xFE"), std::string("b"));
    }

    void matchesAreDescribed() {
        const Gold gold{"Mark Twain", "Samuel Clemens"};
        QVERIFY(findAnswer(gold, "It was not Mark Twain.")->negated);
        QVERIFY(findAnswer(gold, "It wasn't Mark Twain")->negated);
        QVERIFY(!findAnswer(gold, "Not Bierce but Mark Twain: not Mark Twain's brother")->negated);
        QCOMPARE(findAnswer(gold, "Samuel Clemens")->gold, std::size_t(1));
        QVERIFY(!findAnswer(gold, "Bierce") && !findAnswer(Gold{"!!!"}, "!!!"));
    }

    void numbers() {
        QCOMPARE(numbersIn("1.0, 10 and 1,000 or 12,34"), (std::vector<double>{1, 10, 1000, 12, 34}));
        QCOMPARE(numbersIn("three hundred and twenty-one thousand five"), std::vector<double>{321005});
        QCOMPARE(numbersIn("one two, B52 and -4"), (std::vector<double>{1, 2, -4}));
        QVERIFY(!statesNumber(Gold{"1.0"}, "10") && statesNumber(Gold{"1,000"}, "about 1000 men"));
        QVERIFY(statesNumber(Gold{"2"}, "two") && statesNumber(Gold{"Two"}, "It has 2."));
        QVERIFY(!statesNumber(Gold{"2 Unlimited"}, "two") && !statesNumber(Gold{"", "x"}, "two"));
        QVERIFY(!containsAnswer(Gold{"2"}, "two"));  // the string rule says no
    }

    void probabilities() {
        QVERIFY(!nProb(std::vector<double>{}));
        QVERIFY(!nProb(std::vector<double>{0.5}));
        QVERIFY(!nProb(std::vector<double>{-1, std::nan("")}));
        QCOMPARE(*elicalNProb(-1.75, 5), std::exp(-0.35));
        QVERIFY(!elicalNProb(0, 0));
    }
};

CANDOR_TEST(TextParseTest);
#include "text_parse_test.moc"
