#include "chronoveil/post/joint/smooth.h"

#include <algorithm>

namespace chronoveil::post::joint {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

namespace {

Smooth room_for(const Dictionary& dictionary, Eigen::Ref<const ArrayXXd> values) {
  const Index steps = values.rows(), series = values.cols();
  return {ArrayXXd(steps, series), ArrayXXd(steps, series), ArrayXd(series), ArrayXd(series),
          ArrayXXd(series, dictionary.candidates())};
}

void smooth_batch(Dictionary& dictionary, Eigen::Ref<const ArrayXXd> values, Index batch_number, Smooth& all) {
  const Index steps = values.rows(), first = batch_number * DictionaryBatch::kSize;
  const Index count = std::min(DictionaryBatch::kSize, values.cols() - first);
  DictionaryBatch batch(dictionary, values.middleCols(first, count));
  const ArrayXXd risks = batch.risks(), weights = exponential_weights(risks);
  const std::vector<std::vector<MixturePart>> parts = batch.parts(weights);
  all.risks.middleRows(first, count) = risks;
  for (Index s = 0; s < count; ++s) {
    const Mixture mixture = combined(steps, parts[static_cast<std::size_t>(s)]);
    all.estimate.col(first + s) = values.col(first + s) - mixture.residual;
    all.variance.col(first + s) = mixture.variance;
    all.divergence[first + s] = mixture.divergence;
    all.stein[first + s] = (weights.row(s) * risks.row(s)).sum() / static_cast<double>(steps);
  }
}

}  // namespace

Smooth smooth(Dictionary& dictionary, Eigen::Ref<const ArrayXXd> values) {
  Smooth all = room_for(dictionary, values);
  for (Index batch = 0; batch < batches_of(values.cols()); ++batch) smooth_batch(dictionary, values, batch, all);
  return all;
}

Smooth smooth(Crew& crew, Eigen::Ref<const ArrayXXd> values) {
  Smooth all = room_for(crew.dictionary(), values);
  crew.each(batches_of(values.cols()),
            [&](Dictionary& dictionary, Index batch) { smooth_batch(dictionary, values, batch, all); });
  return all;
}

}  // namespace chronoveil::post::joint
