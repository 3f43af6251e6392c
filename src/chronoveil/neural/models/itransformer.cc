// itransformer [Liu24]: a token is a whole channel, or a whole covariate, over the context; attention goes over tokens
// of the same window. Encoder layers as published: attention and feed-forward, each added to its input and normalised;
// one more normalisation at the end. The head reads the tokens of the channels.
#include <cmath>

#include "chronoveil/neural/models/layers.h"

namespace chronoveil::neural {
namespace {

class ITransformer final : public LayeredModel {
 public:
  explicit ITransformer(const forecasting::ModelConfig& config) : LayeredModel(config) {
    embedding_ = layout_.linear("embedding", config.context_length, config.hidden);
    for (std::int64_t i = 0; i < config.layers; ++i) {
      const std::string name = "encoder." + std::to_string(i) + ".";
      Encoder encoder;
      encoder.projection = layout_.linear(name + "projection", config.hidden, 3 * config.hidden);
      encoder.output = layout_.linear(name + "output", config.hidden, config.hidden);
      encoder.after_attention = layout_.layer_norm(name + "after_attention", config.hidden);
      encoder.inner = layout_.linear(name + "inner", config.hidden, config.inner);
      encoder.outer = layout_.linear(name + "outer", config.inner, config.hidden);
      encoder.after_feed_forward = layout_.layer_norm(name + "after_feed_forward", config.hidden);
      encoders_.push_back(encoder);
    }
    last_ = layout_.layer_norm("last", config.hidden);
    head_ = layout_.student_t_head("head", config.hidden, config.forecast_length, config);
  }

  StudentT forward(Tape& tape, const Batch& batch) const override {
    const std::int64_t b = batch.size(), steps = config_.forecast_length, d = config_.channels;
    torch::Tensor tokens = read_context(batch);
    if (config_.covariates > 0) {
      const std::int64_t first = batch.context.size(1) - config_.context_length;
      tokens = torch::cat({tokens, batch.calendar.narrow(1, first, config_.context_length)}, 2);
    }
    torch::Tensor x = embedding_(tape, tokens.transpose(1, 2).contiguous());  // [B, D + F, hidden]
    for (const Encoder& encoder : encoders_) {
      x = encoder.after_attention(tape, x + encoder.output(tape, attention(encoder.projection(tape, x))));
      x = encoder.after_feed_forward(tape, x + encoder.outer(tape, torch::relu(encoder.inner(tape, x))));
    }
    // Attention has read the covariates' tokens; the head does not need them.
    const torch::Tensor raw = head_(tape, last_(tape, x.narrow(1, 0, d).contiguous()));
    return around_season(law_along(raw.view({b, d, 3, steps}).permute({0, 3, 1, 2}), 3), batch);
  }

 private:
  struct Encoder {
    Linear projection, output, inner, outer;
    LayerNorm after_attention, after_feed_forward;
  };

  // From queries, keys and values side by side, [B, tokens, 3 hidden], to [B, tokens, hidden].
  torch::Tensor attention(const torch::Tensor& projected) const {
    const std::int64_t b = projected.size(0), tokens = projected.size(1), width = config_.hidden / config_.heads;
    const torch::Tensor parts = projected.view({b, tokens, 3, config_.heads, width}).permute({2, 0, 3, 1, 4});
    const torch::Tensor scores = torch::matmul(parts.select(0, 0), parts.select(0, 1).transpose(2, 3));
    const torch::Tensor weights = torch::softmax(scores / std::sqrt(static_cast<double>(width)), 3);
    return torch::matmul(weights, parts.select(0, 2)).transpose(1, 2).reshape({b, tokens, config_.hidden});
  }

  Linear embedding_, head_;
  std::vector<Encoder> encoders_;
  LayerNorm last_;
};

}  // namespace

std::unique_ptr<const Model> make_itransformer(const forecasting::ModelConfig& config) {
  return std::make_unique<ITransformer>(config);
}

}  // namespace chronoveil::neural
