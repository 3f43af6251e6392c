#include "chronoveil/engine/perturb/kept_rows.h"

#include "chronoveil/base/interrupted.h"

namespace chronoveil::engine {

Result<KeptRows> KeptRows::of(data::FieldRows& from) {
  KeptRows kept;
  kept.columns_ = from.columns();
  while (true) {
    CV_CHECK(check_interrupted());
    CV_TRY(const std::span<const std::string_view> fields, from.next());
    if (fields.empty()) return kept;
    for (const std::string_view field : fields) {
      kept.text_ += field;
      kept.ends_.push_back(kept.text_.size());
    }
    kept.lasts_.push_back(kept.ends_.size());
  }
}

Result<std::span<const std::string_view>> KeptRows::next() {
  const auto row = static_cast<std::size_t>(handed_out_);
  fields_.clear();
  if (row == lasts_.size()) return std::span<const std::string_view>();
  const std::string_view all = text_;
  for (std::size_t i = row == 0 ? 0 : lasts_[row - 1]; i < lasts_[row]; ++i) {
    const std::size_t start = i == 0 ? 0 : ends_[i - 1];
    fields_.push_back(all.substr(start, ends_[i] - start));
  }
  ++handed_out_;
  return std::span<const std::string_view>(fields_);
}

void KeptRows::rewind() { handed_out_ = 0; }

}  // namespace chronoveil::engine
