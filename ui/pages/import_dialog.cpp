// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/import_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/pages/empty_state.h"
#include "ui/theme/theme.h"

namespace candor::ui {

ImportDialog::ImportDialog(const QStringList& files, const QStringList& models, QWidget* parent)
    : QDialog(parent),
      files_(new QListWidget(this)),
      dataset_(new QLineEdit(this)),
      split_(new QLineEdit(this)),
      role_(new QComboBox(this)),
      domain_(new QComboBox(this)),
      model_(new QComboBox(this)),
      hint_(makeLabel({}, "secondary", this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Import"));
    resize(560, 480);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    column->addWidget(makeLabel(tr("Import questions and answers"), "section", this));
    QLabel* what = makeLabel(tr("JSON lines with question and answer, HonestyBench rows, MMLU, CSV or TSV. Rows are "
                                "counted over all files."),
                             "secondary", this);
    what->setWordWrap(true);
    column->addWidget(what);
    files_->setAccessibleName(tr("Files"));
    files_->setMinimumHeight(96);
    column->addWidget(files_, 1);
    auto* row = new QHBoxLayout;
    auto* add = new QPushButton(tr("Add files..."), this);
    auto* remove = new QPushButton(tr("Remove"), this);
    setLook(remove, "quiet");
    row->addWidget(add);
    row->addWidget(remove);
    row->addStretch(1);
    column->addLayout(row);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(space::s);
    dataset_->setPlaceholderText(tr("nq"));
    split_->setPlaceholderText(tr("test"));
    role_->addItem(tr("evaluation"), static_cast<int>(Role::Eval));
    role_->addItem(tr("training"), static_cast<int>(Role::Train));
    domain_->addItem(tr("in-domain"), static_cast<int>(Domain::In));
    domain_->addItem(tr("out-of-domain"), static_cast<int>(Domain::Out));
    domain_->addItem(tr("none"), static_cast<int>(Domain::None));
    model_->setEditable(true);
    model_->addItem(QString());
    model_->addItems(models);
    model_->lineEdit()->setPlaceholderText(tr("needed where the files hold answers"));
    const std::pair<QString, QWidget*> fields[] = {{tr("Dataset"), dataset_},
                                                   {tr("Split"), split_},
                                                   {tr("Role"), role_},
                                                   {tr("Domain"), domain_},
                                                   {tr("Model"), model_}};
    for (const auto& [name, field] : fields) {
        field->setAccessibleName(name);
        form->addRow(name, field);
    }
    column->addLayout(form);
    hint_->setWordWrap(true);
    column->addWidget(hint_);
    auto* buttons = new QDialogButtonBox(this);
    import_ = buttons->addButton(tr("Import"), QDialogButtonBox::AcceptRole);
    setLook(import_, "primary");
    buttons->addButton(QDialogButtonBox::Cancel);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        std::vector<std::filesystem::path> paths;
        for (int i = 0; i < files_->count(); ++i) paths.emplace_back(files_->item(i)->text().toStdString());
        emit importAsked(paths, options());
        accept();
    });
    connect(add, &QPushButton::clicked, this, [this] {
        auto* dialog = new QFileDialog(this, tr("Files to import"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFiles);
        dialog->setNameFilters({tr("Questions (*.jsonl *.json *.csv *.tsv)"), tr("All files (*)")});
        connect(dialog, &QFileDialog::filesSelected, this, &ImportDialog::addFiles);
        dialog->open();
    });
    connect(remove, &QPushButton::clicked, this, [this] {
        delete files_->currentItem();
        check();
    });
    connect(dataset_, &QLineEdit::textChanged, this, &ImportDialog::check);
    connect(split_, &QLineEdit::textChanged, this, &ImportDialog::check);
    addFiles(files);
}

void ImportDialog::addFiles(const QStringList& files) {
    files_->addItems(files);
    if (!files.isEmpty()) guess();
    check();
}

// "eval_people.jsonl" and "nq_test.jsonl" say what they are.
void ImportDialog::guess() {
    if (!dataset_->text().isEmpty() || files_->count() == 0) return;
    const QStringList parts = QFileInfo(files_->item(0)->text()).completeBaseName().split(QLatin1Char('_'));
    const QStringList splits = {QStringLiteral("train"), QStringLiteral("test"), QStringLiteral("dev"),
                                QStringLiteral("eval"),  QStringLiteral("ood"),  QStringLiteral("validation")};
    QString dataset, split;
    for (const QString& part : parts) {
        if (split.isEmpty() && splits.contains(part.toLower()))
            split = part.toLower();
        else
            dataset += (dataset.isEmpty() ? QString() : QStringLiteral("_")) + part;
    }
    dataset_->setText(dataset);
    split_->setText(split == QStringLiteral("ood") ? QStringLiteral("eval") : split);
    if (split == QStringLiteral("train")) role_->setCurrentIndex(1);
    if (split == QStringLiteral("ood")) domain_->setCurrentIndex(1);
}

void ImportDialog::check() {
    QString missing;
    if (files_->count() == 0)
        missing = tr("Add at least one file.");
    else if (dataset_->text().trimmed().isEmpty())
        missing = tr("Name the dataset.");
    else if (split_->text().trimmed().isEmpty())
        missing = tr("Name the split, such as train or test.");
    hint_->setText(missing.isEmpty() ? tr("Importing the same content again changes nothing.") : missing);
    import_->setEnabled(missing.isEmpty());
}

db::ImportOptions ImportDialog::options() const {
    db::ImportOptions options;
    options.dataset = dataset_->text().trimmed().toStdString();
    options.split = split_->text().trimmed().toStdString();
    options.role = static_cast<Role>(role_->currentData().toInt());
    options.domain = static_cast<Domain>(domain_->currentData().toInt());
    options.model = model_->currentText().trimmed().toStdString();
    return options;
}

}  // namespace candor::ui
