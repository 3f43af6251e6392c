#include "output/visible_output.h"

#include <ostream>
#include <streambuf>
#include <string>

#include "chronoveil/base/plain_text.h"

namespace chronoveil::cli {

class VisibleOutput::Buffer final : public std::streambuf {
 public:
  explicit Buffer(std::streambuf* to) : to_(to) {}
  std::streambuf* to() const { return to_; }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    held_.append(text, static_cast<std::size_t>(size));
    // A line feed is never part of another character, so whole lines are whole characters.
    const std::size_t end = held_.rfind('\n') + 1;
    if (end == 0) return size;
    const bool passed = pass(end);
    return passed ? size : 0;
  }
  int_type overflow(int_type character) override {
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    const char one = traits_type::to_char_type(character);
    return xsputn(&one, 1) == 1 ? character : traits_type::eof();
  }
  int sync() override { return pass(held_.size()) && to_->pubsync() == 0 ? 0 : -1; }

 private:
  bool pass(std::size_t size) {
    const std::string text = visible_lines(std::string_view(held_).substr(0, size));
    held_.erase(0, size);
    const auto wanted = static_cast<std::streamsize>(text.size());
    return to_->sputn(text.data(), wanted) == wanted;
  }

  std::streambuf* to_;
  std::string held_;  // the line under way
};

VisibleOutput::VisibleOutput(std::ostream& stream)
    : stream_(stream), buffer_(std::make_unique<Buffer>(stream.rdbuf())) {
  stream.rdbuf(buffer_.get());  // may clear error bits, but nothing was written yet
}

VisibleOutput::~VisibleOutput() {
  stream_.flush();
  const std::ios::iostate state = stream_.rdstate();
  stream_.rdbuf(buffer_->to());
  stream_.setstate(state);  // keeps the memory of a lost write
}

}  // namespace chronoveil::cli
