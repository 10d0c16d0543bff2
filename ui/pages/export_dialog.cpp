// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>
#include <QPushButton>

#include "core/error.h"
#include "db/project.h"
#include "ui/export/figure.h"
#include "ui/models/format.h"
#include "ui/pages/empty_state.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/plot_view.h"
#include "ui/theme/theme.h"
#include "ui/window/settings.h"

namespace candor::ui {

// The page as it will be, scaled to fit.
class ExportDialog::Preview : public QWidget {
  public:
    explicit Preview(const PlotView& plot, QWidget* parent) : QWidget(parent), plot_(plot) {
        setMinimumSize(360, 260);
        setAccessibleName(QObject::tr("Preview of the figure"));
    }
    void setOptions(FigureOptions options) {
        options.dpi = 160;
        page_ = QImage();
        if (plot_.emptyReason().isEmpty()) try {
                page_ = QImage::fromData(figureBytes(plot_, QStringLiteral("png"), options));
            } catch (const Error&) {  // the dialog says why
            }
        QWidget::update();
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        if (page_.isNull()) return;
        QPainter painter(this);
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        QSize size = page_.size().scaled(this->size() - QSize(16, 16), Qt::KeepAspectRatio);
        const QRect page(QPoint((width() - size.width()) / 2, (height() - size.height()) / 2), size);
        painter.drawImage(page, page_);
        painter.setPen(theme().line);
        painter.drawRect(page.adjusted(-1, -1, 0, 0));
    }

  private:
    const PlotView& plot_;
    QImage page_;
};

ExportDialog::ExportDialog(PlotView& plot, const QString& name, db::Project& project, Settings& settings,
                           QWidget* parent)
    : QDialog(parent),
      plot_(plot),
      settings_(settings),
      format_(new QComboBox(this)),
      preset_(new QComboBox(this)),
      columns_(new QComboBox(this)),
      title_(new QCheckBox(tr("Title above the figure"), this)),
      path_(new QLineEdit(this)),
      size_(makeLabel({}, "secondary", this)),
      error_(makeLabel({}, "negative", this)),
      preview_(new Preview(plot, this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Export figure"));
    format_->addItems(figureFormats());
    preset_->addItems(figurePresets());
    columns_->addItem(tr("one column"), 1);
    columns_->addItem(tr("whole page"), 2);
    format_->setCurrentText(settings.value(QStringLiteral("export/format"), QStringLiteral("pdf")));
    preset_->setCurrentText(settings.value(QStringLiteral("export/preset"), QStringLiteral("iclr")));
    const QFileInfo file(QString::fromStdString(project.file().string()));
    QString stem = name.toLower();
    for (QChar& c : stem)
        if (!c.isLetterOrNumber()) c = QLatin1Char('-');
    path_->setText(file.absolutePath() + QLatin1Char('/') + file.completeBaseName() + QStringLiteral("-figures/") +
                   stem);
    path_->setMinimumWidth(320);
    format_->setAccessibleName(tr("File type"));
    preset_->setAccessibleName(tr("Venue"));
    columns_->setAccessibleName(tr("Width"));
    path_->setAccessibleName(tr("File"));

    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(space::l, space::l, space::l, space::l);
    across->setSpacing(space::l);
    across->addWidget(preview_, 1);
    auto* column = new QVBoxLayout;
    across->addLayout(column);
    column->addWidget(makeLabel(tr("Export figure"), "section", this));
    auto* form = new QFormLayout;
    form->addRow(tr("File type"), format_);
    form->addRow(tr("Preset"), preset_);
    form->addRow(tr("Width"), columns_);
    form->addRow({}, title_);
    auto* where = new QHBoxLayout;
    auto* browse = new QPushButton(tr("..."), this);
    browse->setAccessibleName(tr("Choose the file"));
    browse->setFixedWidth(36);
    where->addWidget(path_, 1);
    where->addWidget(browse);
    form->addRow(tr("File"), where);
    form->addRow({}, size_);
    column->addLayout(form);
    error_->setWordWrap(true);
    column->addWidget(error_);
    column->addStretch(1);
    auto* buttons = new QDialogButtonBox(this);
    QPushButton* save = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    setLook(save, "primary");
    buttons->addButton(QDialogButtonBox::Cancel);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    for (QComboBox* box : {format_, preset_, columns_})
        connect(box, &QComboBox::currentIndexChanged, this, &ExportDialog::update_);
    connect(title_, &QCheckBox::toggled, this, &ExportDialog::update_);
    connect(browse, &QPushButton::clicked, this, [this] {
        auto* files = new QFileDialog(this, tr("Export figure"), path_->text());
        files->setAttribute(Qt::WA_DeleteOnClose);
        files->setAcceptMode(QFileDialog::AcceptSave);
        connect(files, &QFileDialog::fileSelected, path_, &QLineEdit::setText);
        files->open();
    });
    update_();
}

FigureOptions ExportDialog::options() const {
    FigureOptions options;
    options.preset = preset_->currentText();
    options.columns = columns_->currentData().toInt();
    options.titled = title_->isChecked();
    options.format = format_->currentText();
    return options;
}

void ExportDialog::update_() {
    const FigureOptions chosen = options();
    const QSize size = figureSize(plot_, chosen);
    size_->setText(
        tr("%1 x %2 in, %3 pt text")
            .arg(QLocale().toString(size.width() / 72.0, 'f', 2), QLocale().toString(size.height() / 72.0, 'f', 2))
            .arg(paperStyle(chosen).label));
    preview_->setOptions(chosen);
    error_->setText(plot_.emptyReason());
}

void ExportDialog::save() {
    try {
        QString path = path_->text().trimmed();
        const QString format = format_->currentText();
        if (QFileInfo(path).suffix().toLower() != format) path += QLatin1Char('.') + format;
        QDir().mkpath(QFileInfo(path).absolutePath());
        const QString written = candor::ui::exportFigure(plot_, path, options());
        settings_.setValue(QStringLiteral("export/format"), format);
        settings_.setValue(QStringLiteral("export/preset"), preset_->currentText());
        emit exported(written);
        accept();
    } catch (const Error& error) {
        error_->setText(toQt(error.what()));
    }
}

}  // namespace candor::ui
