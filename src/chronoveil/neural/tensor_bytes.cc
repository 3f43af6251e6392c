#include "chronoveil/neural/tensor_bytes.h"

#include <bit>
#include <cstdint>
#include <utility>

namespace chronoveil::neural {
namespace {

constexpr std::uint64_t kMostDimensions = 8;

template <class Word>
void put(std::string& out, Word word) {
  for (std::size_t i = 0; i < sizeof(Word); ++i) out.push_back(static_cast<char>((word >> (8 * i)) & 0xFF));
}

// Takes from the front; after the first failure everything fails.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool good() const { return good_; }
  std::uint64_t left() const { return bytes_.size(); }

  template <class Word>
  Word word() {
    const std::string_view taken = text(sizeof(Word));
    Word value = 0;
    for (std::size_t i = 0; i < taken.size(); ++i)
      value |= static_cast<Word>(static_cast<Word>(static_cast<unsigned char>(taken[i])) << (8 * i));
    return value;
  }
  std::string_view text(std::uint64_t size) {
    good_ = good_ && size <= left();
    if (!good_) return {};
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

Failure damaged() { return fail(ErrorKind::bad_data, "tensors", "they are cut off or damaged"); }

Result<Parameter> read_one(Reader& reader) {
  Parameter read;
  read.name = std::string(reader.text(reader.word<std::uint64_t>()));
  const auto dimensions = reader.word<std::uint64_t>();
  if (!reader.good() || dimensions > kMostDimensions) return damaged();
  std::vector<std::int64_t> sizes;
  std::uint64_t count = 1;
  for (std::uint64_t i = 0; i < dimensions; ++i) {
    const auto size = reader.word<std::uint64_t>();
    // Divided, not multiplied: the product of the claimed sizes may overflow.
    if (!reader.good() || size == 0 || size > reader.left() / sizeof(float) / count) return damaged();
    count *= size;
    sizes.push_back(static_cast<std::int64_t>(size));
  }
  if (count > reader.left() / sizeof(float)) return damaged();
  read.value = torch::empty(sizes, torch::kFloat32);
  float* values = read.value.data_ptr<float>();
  for (std::uint64_t i = 0; i < count; ++i) values[i] = std::bit_cast<float>(reader.word<std::uint32_t>());
  return read;
}

}  // namespace

std::string to_bytes(const std::vector<Parameter>& parameters) {
  std::string out;
  put<std::uint64_t>(out, parameters.size());
  for (const Parameter& parameter : parameters) {
    put<std::uint64_t>(out, parameter.name.size());
    out += parameter.name;
    put(out, static_cast<std::uint64_t>(parameter.value.dim()));
    for (const std::int64_t size : parameter.value.sizes()) put(out, static_cast<std::uint64_t>(size));
    const torch::Tensor value = parameter.value.detach().to(torch::Device(torch::kCPU), torch::kFloat32).contiguous();
    const float* values = value.data_ptr<float>();
    for (std::int64_t i = 0; i < value.numel(); ++i) put(out, std::bit_cast<std::uint32_t>(values[i]));
  }
  return out;
}

Result<std::vector<Parameter>> from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  const auto count = reader.word<std::uint64_t>();
  std::vector<Parameter> all;
  for (std::uint64_t i = 0; reader.good() && i < count; ++i) {
    CV_TRY(Parameter one, read_one(reader));
    all.push_back(std::move(one));
  }
  if (!reader.good() || reader.left() != 0) return damaged();
  return all;
}

}  // namespace chronoveil::neural
