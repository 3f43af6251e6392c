#include "chronoveil/data/live/input.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "chronoveil/data/csv/byte_source.h"
#include "chronoveil/data/csv/form.h"
#include "chronoveil/data/csv/pipe_source.h"
#include "chronoveil/data/live/directory.h"
#include "chronoveil/data/live/file.h"
#include "chronoveil/data/live/lines.h"

namespace chronoveil::data {
namespace {

// A pipe or a file up to its end.
class EndingInput final : public LiveInput {
 public:
  EndingInput(std::unique_ptr<ByteSource> bytes, bool may_be_empty, LiveLines lines)
      : bytes_(std::move(bytes)), may_be_empty_(may_be_empty), lines_(std::move(lines)) {}

  Result<Awaited> next_within(Arrival& arrival, std::chrono::milliseconds longest) override {
    clear(arrival);
    if (ended_) return Awaited::end;
    CV_TRY(const bool came, read_on(*bytes_, lines_, arrival, Patience(longest)));
    if (!came) return Awaited::nothing;
    ended_ = arrival.complete;
    if (ended_ && !may_be_empty_ && !lines_.has_columns()) return fail(ErrorKind::bad_data, std::string(kNoHeader));
    return Awaited::something;
  }

  Result<void> hold() override { return bytes_->hold(); }

 private:
  std::unique_ptr<ByteSource> bytes_;
  bool may_be_empty_;
  LiveLines lines_;
  bool ended_ = false;
};

}  // namespace

Result<bool> LiveInput::next(Arrival& arrival) {
  CV_TRY(const Awaited came, next_within(arrival, Patience::kEndless));
  return came != Awaited::end;
}

Result<std::unique_ptr<LiveInput>> open_live_input(const SourceSpec& spec, bool follow, FileOrder order) {
  if (spec.kind != SourceKind::csv) return fail(ErrorKind::usage, "source.kind", "a live release reads csv");
  CV_TRY(LiveLines lines, LiveLines::make(spec));
  struct stat status {};
  if (spec.path != "-" && stat(spec.path.c_str(), &status) != 0) {
    return fail(ErrorKind::storage, "cannot open " + spec.path + ": " + std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) return open_directory(spec.path, follow, order, !spec.header, std::move(lines));
  if (!S_ISREG(status.st_mode)) {
    CV_TRY(std::unique_ptr<ByteSource> pipe, open_pipe(spec.path));
    return std::make_unique<EndingInput>(std::move(pipe), true, std::move(lines));
  }
  if (follow) return follow_file(spec.path, std::move(lines));
  CV_TRY(std::unique_ptr<ByteSource> file, open_file(spec.path));
  CV_TRY(std::unique_ptr<ByteSource> bytes, decompress_if_needed(std::move(file)));
  return std::make_unique<EndingInput>(std::move(bytes), !spec.header, std::move(lines));
}

}  // namespace chronoveil::data
