// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/spec_form.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "core/experiment/methods.h"
#include "ui/models/format.h"
#include "ui/pages/chips.h"
#include "ui/pages/empty_state.h"
#include "ui/theme/method_style.h"
#include "ui/theme/theme.h"

namespace candor::ui {

namespace {

QStringList toList(const std::vector<std::string>& values) {
    QStringList list;
    for (const std::string& value : values) list << toQt(value);
    return list;
}

std::vector<std::string> fromList(const QStringList& list) {
    std::vector<std::string> values;
    for (const QString& value : list) values.push_back(value.toStdString());
    return values;
}

QString budgetKey(std::int64_t budget) {
    return budget == kAllLabels ? QStringLiteral("all") : QString::number(budget);
}

// The values of `before` that stay keep their order; new ones follow.
std::vector<std::string> merged(const std::vector<std::string>& before, const QStringList& chosen) {
    std::vector<std::string> result;
    QStringList rest = chosen;
    for (const std::string& value : before)
        if (rest.removeAll(toQt(value)) > 0) result.push_back(value);
    for (const std::string& value : fromList(rest)) result.push_back(value);
    return result;
}

}  // namespace

std::vector<int> parseSeeds(const QString& text) {
    std::vector<int> seeds;
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const QStringList ends = part.trimmed().split(QLatin1Char('-'));
        bool first = false, last = false;
        const int from = ends.front().trimmed().toInt(&first), to = ends.back().trimmed().toInt(&last);
        if (!first || !last || ends.size() > 2 || to < from || to - from > 999) return {};
        for (int seed = from; seed <= to; ++seed)
            if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
    }
    return seeds;
}

QString seedsText(const std::vector<int>& seeds) {
    bool run = seeds.size() > 2;
    for (std::size_t i = 1; i < seeds.size(); ++i) run = run && seeds[i] == seeds[i - 1] + 1;
    if (run) return QStringLiteral("%1-%2").arg(seeds.front()).arg(seeds.back());
    QStringList parts;
    for (const int seed : seeds) parts << QString::number(seed);
    return parts.join(QStringLiteral(", "));
}

SpecForm::SpecForm(QWidget* parent)
    : QScrollArea(parent),
      body_(new QWidget),
      column_(new QVBoxLayout(body_)),
      name_(new QLineEdit(body_)),
      seeds_(new QLineEdit(body_)),
      rate_(new QLineEdit(body_)),
      moreBudget_(new QLineEdit(body_)),
      model_(new QComboBox(body_)),
      kind_(new QComboBox(body_)),
      selection_(new QComboBox(body_)),
      train_(new ChipGroup(body_)),
      in_(new ChipGroup(body_)),
      out_(new ChipGroup(body_)),
      methods_(new ChipGroup(body_)),
      budgets_(new ChipGroup(body_)),
      stage1_(new QSpinBox(body_)),
      stage2_(new QSpinBox(body_)),
      batch_(new QSpinBox(body_)),
      error_(makeLabel({}, "negative", body_)),
      kindHint_(makeLabel({}, "secondary", body_)) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setLook(this, "surface");
    setLook(body_, "surface");
    setAccessibleName(tr("The experiment"));
    build();
    setWidget(body_);
}

QWidget* SpecForm::row(const QString& title, QWidget* field, const QString& tip) {
    QLabel* label = makeLabel(title, "secondary", body_);
    label->setToolTip(tip);
    field->setAccessibleName(title);
    if (!tip.isEmpty()) field->setToolTip(tip);
    column_->addWidget(label);
    column_->addWidget(field);
    column_->addSpacing(space::s);
    return field;
}

void SpecForm::build() {
    column_->setContentsMargins(space::m, space::m, space::m, space::m);
    column_->setSpacing(space::xs);
    error_->setWordWrap(true);
    column_->addWidget(error_);
    row(tr("Name"), name_);

    auto* trained = new QWidget(body_);
    auto* trainedLine = new QHBoxLayout(trained);
    trainedLine->setContentsMargins(0, 0, 0, 0);
    auto* browse = new QPushButton(tr("Folder..."), trained);
    browse_ = browse;
    model_->setEditable(true);
    model_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    model_->setMinimumContentsLength(10);
    trainedLine->addWidget(model_, 1);
    trainedLine->addWidget(browse);
    kind_->addItem(tr("Head on cached hidden states"), QStringLiteral("head"));
    kind_->addItem(tr("LoRA adapter and head"), QStringLiteral("lora"));
    row(tr("Trains"), kind_);
    kindHint_->setWordWrap(true);
    column_->addWidget(kindHint_);
    row(tr("Model"), trained);
    model_->setAccessibleName(tr("Model"));

    row(tr("Training sets"), train_);
    row(tr("Evaluation, in-domain"), in_);
    row(tr("Evaluation, out-of-domain"), out_);
    row(tr("Methods"), methods_);
    row(tr("Budgets, labels in all"), budgets_, tr("Training and selection together"));
    moreBudget_->setPlaceholderText(tr("Another budget, Enter adds it"));
    moreBudget_->setAccessibleName(tr("Another budget"));
    column_->addWidget(moreBudget_);
    column_->addSpacing(space::s);
    row(tr("Seeds"), seeds_, tr("A list such as 0, 1, 2 or a range such as 0-4"));

    auto* numbers = new QWidget(body_);
    auto* grid = new QGridLayout(numbers);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::s);
    grid->setVerticalSpacing(space::xs);
    const std::pair<QString, QWidget*> fields[] = {{tr("Epochs, stage 1"), stage1_},
                                                   {tr("Epochs, stage 2"), stage2_},
                                                   {tr("Learning rate"), rate_},
                                                   {tr("Batch"), batch_}};
    int at = 0;
    for (const auto& [title, field] : fields) {
        field->setAccessibleName(title);
        grid->addWidget(makeLabel(title, "secondary", numbers), at / 2 * 2, at % 2);
        grid->addWidget(field, at / 2 * 2 + 1, at % 2);
        ++at;
    }
    for (QSpinBox* box : {stage1_, stage2_}) box->setRange(1, 1000);
    batch_->setRange(1, 8192);
    column_->addWidget(numbers);
    column_->addSpacing(space::s);
    selection_->addItem(tr("automatic: k-fold below 200 labels, else hold-out"), QString());
    selection_->addItem(tr("hold-out, taken from the budget"), QStringLiteral("holdout"));
    selection_->addItem(tr("k-fold over the budget"), QStringLiteral("kfold"));
    selection_->addItem(tr("last epoch"), QStringLiteral("last"));
    selection_->addItem(tr("test labels, as the paper (marked)"), QStringLiteral("test"));
    selection_->setMinimumContentsLength(12);
    selection_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    row(tr("Checkpoint chosen by"), selection_);
    column_->addStretch(1);

    for (QLineEdit* field : {name_, seeds_, rate_}) connect(field, &QLineEdit::textEdited, this, &SpecForm::take);
    for (QSpinBox* field : {stage1_, stage2_, batch_}) connect(field, &QSpinBox::valueChanged, this, &SpecForm::take);
    for (ChipGroup* group : {train_, in_, out_, methods_, budgets_})
        connect(group, &ChipGroup::changed, this, &SpecForm::take);
    for (QComboBox* box : {kind_, selection_}) connect(box, &QComboBox::activated, this, &SpecForm::take);
    connect(model_, &QComboBox::editTextChanged, this, &SpecForm::take);
    connect(moreBudget_, &QLineEdit::returnPressed, this, [this] {
        bool ok = false;
        const qlonglong budget = QLocale().toLongLong(moreBudget_->text(), &ok);
        if (!ok || budget < 1) return;
        moreBudget_->clear();
        budgets_->setChosen(budgets_->chosen() << QString::number(budget));
        take();
    });
    connect(browse, &QPushButton::clicked, this, [this] {
        auto* dialog = new QFileDialog(this, tr("Folder of the model"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::Directory);
        connect(dialog, &QFileDialog::fileSelected, model_, &QComboBox::setEditText);
        dialog->open();
    });
}

void SpecForm::setData(const ProjectData& data) {
    QStringList train, in, out, models;
    for (const db::DatasetRow& row : data.datasets) {
        QStringList& list = row.role == Role::Train ? train : row.domain == Domain::Out ? out : in;
        if (const QString name = toQt(row.dataset); !list.contains(name)) list << name;
    }
    for (const db::ModelRow& model : data.models) models << toQt(model.name);
    filling_ = true;
    const auto plain = [](const QString& value) { return displayText(value); };
    train_->setChoices(train, plain);
    in_->setChoices(in, plain);
    out_->setChoices(out, plain);
    const QString typed = model_->currentText();
    if (model_->count() != models.size()) {
        model_->clear();
        model_->addItems(models);
        model_->setEditText(typed);
    }
    filling_ = false;
}

void SpecForm::setSpec(const ExperimentSpec& spec) {
    spec_ = spec;
    filling_ = true;
    problem_.clear();
    if (name_->text() != toQt(spec.name)) name_->setText(toQt(spec.name));
    model_->setEditText(toQt(spec.model));
    kind_->setCurrentIndex(spec.adapterType == "head" ? 0 : 1);
    train_->setChosen(toList(spec.train));
    in_->setChosen(toList(spec.evalIn));
    out_->setChosen(toList(spec.evalOut));
    QStringList methods;
    for (const char* name : {"elical", "cal-only", "eli-only", "consis-sem", "n-prob", "prob", "probe", "features",
                             "text-prior", "set-prior"})
        methods << QLatin1String(name);
    for (const std::string& name : spec.methods)
        if (!methods.contains(toQt(name))) methods << toQt(name);
    methods_->setChoices(
        methods, [](const QString& method) { return methodStyle(method).name; }, true);
    methods_->setChosen(toList(spec.methods));
    std::vector<std::int64_t> budgets = {50, 100, 250, 500, 1000};
    budgets.insert(budgets.end(), spec.budgets.begin(), spec.budgets.end());
    std::erase(budgets, kAllLabels);
    std::sort(budgets.begin(), budgets.end());
    budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
    QStringList keys, chosen;
    for (const std::int64_t budget : budgets) keys << budgetKey(budget);
    keys << budgetKey(kAllLabels);
    for (const std::int64_t budget : spec.budgets) chosen << budgetKey(budget);
    budgets_->setChoices(
        keys, [](const QString& key) { return key == QStringLiteral("all") ? key : formatCount(key.toLongLong()); });
    budgets_->setChosen(chosen);
    seeds_->setText(seedsText(spec.seeds));
    stage1_->setValue(spec.stage1Epochs.fallback);
    stage2_->setValue(spec.stage2Epochs.fallback);
    rate_->setText(QString::number(spec.optimiser.lr, 'g', 6));
    batch_->setValue(spec.optimiser.batch);
    selection_->setCurrentIndex(
        spec.selection.rule ? selection_->findData(QString::fromUtf8(nameOf(*spec.selection.rule))) : 0);
    filling_ = false;
    showKind();
    error_->hide();
}

void SpecForm::showKind() {
    const bool head = spec_.adapterType == "head";
    kindHint_->setText(head ? tr("Fast: a linear head on states that are computed once.")
                            : tr("The paper's way: adapts the model itself. Choose its folder."));
}

void SpecForm::take() {
    if (filling_) return;
    problem_.clear();
    spec_.name = name_->text().trimmed().toStdString();
    spec_.model = model_->currentText().trimmed().toStdString();
    spec_.adapterType = kind_->currentData().toString().toStdString();
    spec_.train = merged(spec_.train, train_->chosen());
    spec_.evalIn = merged(spec_.evalIn, in_->chosen());
    spec_.evalOut = merged(spec_.evalOut, out_->chosen());
    spec_.methods = merged(spec_.methods, methods_->chosen());
    spec_.budgets.clear();
    for (const QString& key : budgets_->chosen())
        spec_.budgets.push_back(key == QStringLiteral("all") ? kAllLabels : key.toLongLong());
    std::sort(spec_.budgets.begin(), spec_.budgets.end(), [](std::int64_t a, std::int64_t b) {
        return (a == kAllLabels ? INT64_MAX : a) < (b == kAllLabels ? INT64_MAX : b);
    });
    if (const std::vector<int> seeds = parseSeeds(seeds_->text()); !seeds.empty())
        spec_.seeds = seeds;
    else
        problem_ = tr("Seeds are a list such as 0, 1, 2 or a range such as 0-4.");
    bool ok = false;
    const double rate = QLocale::c().toDouble(rate_->text().trimmed(), &ok);
    if (ok && rate > 0)
        spec_.optimiser.lr = rate;
    else
        problem_ = tr("The learning rate is a number above 0, such as 3e-4.");
    spec_.stage1Epochs.fallback = stage1_->value();
    spec_.stage2Epochs.fallback = stage2_->value();
    if (spec_.optimiser.microBatch == spec_.optimiser.batch || spec_.optimiser.microBatch > batch_->value())
        spec_.optimiser.microBatch = batch_->value();
    spec_.optimiser.batch = batch_->value();
    const QString rule = selection_->currentData().toString();
    spec_.selection.rule.reset();
    for (const SelectionRule known :
         {SelectionRule::Holdout, SelectionRule::KFold, SelectionRule::Last, SelectionRule::Test})
        if (rule == QString::fromUtf8(nameOf(known))) spec_.selection.rule = known;
    error_->setText(problem_);
    error_->setVisible(!problem_.isEmpty());
    showKind();
    emit changed();
}

}  // namespace candor::ui
