// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace candor {

// The part of Jinja that chat templates use, rendered as transformers renders it (trim_blocks, lstrip_blocks): for,
// if, set, namespace, expressions, the filters, tests and methods of strings and lists that templates call. Anything
// else is an error that names it; what a template never reaches (its branches for tools) may hold anything that
// parses. Const use is thread safe.
class JinjaTemplate {
  public:
    explicit JinjaTemplate(std::string_view text);  // throws Error with the line of what it cannot read
    ~JinjaTemplate();
    JinjaTemplate(JinjaTemplate&&) noexcept;
    JinjaTemplate& operator=(JinjaTemplate&&) noexcept;

    // `variables` is an object. Throws Error; also what the template itself raises (raise_exception).
    std::string render(const nlohmann::ordered_json& variables) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace candor
