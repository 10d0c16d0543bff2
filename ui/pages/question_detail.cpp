// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/question_detail.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/models/format.h"
#include "ui/pages/answer_view.h"
#include "ui/pages/confidence_axis.h"
#include "ui/pages/empty_state.h"
#include "ui/theme/theme.h"

namespace candor::ui {

namespace {

constexpr qsizetype kLongest = 20000;  // of one text in the pane
constexpr std::size_t kGold = 5;

// Right-to-left text keeps its own direction between our words: first strong isolates.
QString isolated(const QString& text) { return QChar(0x2068) + text.left(kLongest) + QChar(0x2069); }

}  // namespace

QuestionDetail::QuestionDetail(QWidget* parent) : QScrollArea(parent), body_(new QWidget) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setLook(this, "surface");
    setLook(body_, "surface");
    setAccessibleName(tr("The question"));
    setWidget(body_);
    auto* column = new QVBoxLayout(body_);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::s);
    const auto add = [&](const char* look) {
        QLabel* label = makeLabel({}, look, body_);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
        return label;
    };
    where_ = add("secondary");
    question_ = add("question");
    gold_ = add("secondary");
    column->addSpacing(space::m);
    answerHead_ = add("section");
    answer_ = add("");
    strip_ = new TokenStrip(body_);
    column->addWidget(strip_);
    tokens_ = add("secondary");
    column->addSpacing(space::m);
    axisHead_ = add("section");
    axis_ = new ConfidenceAxis(body_);
    column->addWidget(axis_);
    column->addSpacing(space::m);
    samplesHead_ = add("section");
    samples_ = new SampleList(body_);
    column->addWidget(samples_);
    column->addStretch(1);
    connect(axis_, &ConfidenceAxis::runActivated, this, &QuestionDetail::runActivated);
    clear({});
}

QString QuestionDetail::questionText() const { return question_->text(); }

void QuestionDetail::clear(const QString& reason) {
    for (QLabel* label : {where_, question_, gold_, answerHead_, answer_, tokens_, samplesHead_, axisHead_})
        label->clear();
    where_->setText(reason);
    strip_->setLogprobs({});
    samples_->setSamples({});
    axis_->hide();
}

void QuestionDetail::show(const db::QuestionDetail& detail, qint64 selectedRun, double confidence) {
    const db::QuestionRow& row = detail.question;
    where_->setText(
        tr("%1/%2, row %3").arg(displayText(row.key.dataset), displayText(row.key.split), formatCount(row.key.row)));
    question_->setText(toQt(row.text).left(kLongest));
    QStringList gold;
    for (std::size_t i = 0; i < std::min(kGold, row.gold.size()); ++i) gold << isolated(displayText(row.gold[i]));
    QString goldText =
        gold.isEmpty() ? tr("No gold answer") : tr("Gold: %1").arg(gold.join(QStringLiteral("  \u00b7  ")));
    if (row.gold.size() > kGold) goldText += tr("  +%1 more").arg(row.gold.size() - kGold);
    gold_->setText(goldText);
    QStringList all;
    for (std::size_t i = 0; i < std::min<std::size_t>(60, row.gold.size()); ++i) all << displayText(row.gold[i]);
    gold_->setToolTip(all.join(QLatin1Char('\n')).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")));

    std::optional<bool> correct;
    if (detail.labels && detail.labels->greedyCorrect && *detail.labels->greedyCorrect != Verdict::Unparsed)
        correct = *detail.labels->greedyCorrect == Verdict::Yes;
    QString head = tr("Greedy answer");
    if (correct) head += *correct ? tr(": right") : tr(": wrong");
    if (std::isfinite(confidence)) head += tr(", confidence %1").arg(formatMetric(confidence));
    answerHead_->setText(head);
    const AnswerRecord* answers = detail.answers ? &*detail.answers : nullptr;
    answer_->setText(answers && answers->greedy ? toQt(*answers->greedy).left(kLongest)
                                                : tr("This model has no greedy answer here."));
    tokens_->clear();
    strip_->setLogprobs(answers ? answers->greedyLogprobs : std::vector<double>());
    if (answers && !answers->greedyLogprobs.empty()) {
        const auto n = static_cast<double>(answers->greedyLogprobs.size());
        const double mean = std::accumulate(answers->greedyLogprobs.begin(), answers->greedyLogprobs.end(), 0.0) / n;
        tokens_->setText(tr("%1 tokens, less sure where stronger; N-Prob %2")
                             .arg(formatCount(static_cast<qint64>(n)), formatMetric(std::exp(mean))));
    }
    samplesHead_->setText(answers && !answers->samples.empty() ? tr("%1 sampled answers").arg(answers->samples.size())
                                                               : QString());
    samples_->setSamples(answers ? groupSamples(*answers, detail.labels ? &*detail.labels : nullptr)
                                 : std::vector<SampleRow>());
    axisHead_->setText(detail.confidences.empty()       ? QString()
                       : detail.confidences.size() == 1 ? tr("Confidence of one run")
                                                        : tr("Confidence of %1 runs").arg(detail.confidences.size()));
    axis_->setVisible(!detail.confidences.empty());
    axis_->setConfidences(detail.confidences, selectedRun, correct);
}

}  // namespace candor::ui
