// Rows that a program pushes, as the input of a live release.
#include <atomic>
#include <charconv>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "chronoveil/chronoveil.h"
#include "chronoveil/data/arrow/batch.h"
#include "chronoveil/data/arrow/stream.h"
#include "chronoveil/data/csv/line.h"
#include "chronoveil/data/memory/source.h"
#include "chronoveil/engine/live/session.h"

namespace chronoveil {
namespace {

double number_in(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Lines as the release wrote them: [series,]time,value,lower,upper,sampled[,mark][,longitude,latitude].
void add_steps(std::string lines, bool named, PublishedSteps& steps) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    data::split_line(lines.data() + at, lines.data() + end, ',', fields);
    at = end + 1;
    const std::size_t time = named ? 1 : 0;
    PublishedStep& step = steps.emplace_back();
    if (named) step.series = fields[0];
    step.time = fields[time];
    step.value = number_in(fields[time + 1]);
    step.lower = number_in(fields[time + 2]);
    step.upper = number_in(fields[time + 3]);
    step.sampled = fields[time + 4] == "1";
    const std::size_t after = fields.size() - (time + 5);
    if (after == 1 || after == 3) step.mark = fields[time + 5];
  }
}

// One call at a time: threads wait for each other, so that no step is worked out twice. A call from inside of a call
// would wait for itself, and is refused.
class Turns {
 public:
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(&turns), held_(turns.mutex_) { turns.holder_ = std::this_thread::get_id(); }
    Turn(Turn&&) = default;
    ~Turn() {
      if (held_) turns_->holder_ = std::thread::id();
    }

   private:
    Turns* turns_;
    std::unique_lock<std::mutex> held_;
  };

  Result<Turn> take() {
    if (holder_ == std::this_thread::get_id())
      return fail(ErrorKind::usage, "live", "this session is at work; a call from inside of another one is refused");
    return Turn(*this);
  }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_;
};

}  // namespace

// It must not move: the engine's session refers to the job and to the options.
struct LiveSession::Inside {
  Inside(Job given, LiveOptions wished) : job(std::move(given)), options(std::move(wished)) {}

  Result<void> open() {
    engine::LiveClock clock = engine::LiveClock::told(said);
    if (engine::rows_are_people(job) && job.live().clock == engine::LiveSpec::Clock::system) {
      CV_TRY(clock, engine::LiveClock::of(job, options));
    }
    CV_TRY(decoder, data::BatchDecoder::make(job.source));
    options.publish = [this, told = std::move(options.publish)](std::string_view lines) -> Result<void> {
      add_steps(std::string(lines), !job.keys.empty(), published);
      return told ? told(lines) : Result<void>();
    };
    CV_TRY(engine::LiveSession opened, options.rehearses() ? engine::LiveSession::rehearse(job, options, clock)
                                                           : engine::LiveSession::open(job, options, clock));
    session.emplace(std::move(opened));
    add_steps(session->caught_up(), !job.keys.empty(), caught_up);
    form = {!job.keys.empty(), session->time_form() == TimeForm::date, job.slots.zone, session->mark()};
    *said = session->next_begin();
    return {};
  }

  Result<void> check_open() const {
    if (!session) return fail(ErrorKind::usage, "live", "this session has ended; open another one");
    return {};
  }

  // What the call published. After a storage error, only the next opening finds out how far it came.
  Result<PublishedSteps> told_by(const Result<void>& done) {
    if (!done) {
      if (done.error().kind != ErrorKind::usage) session.reset();
      return Failure(done.error());
    }
    *said = std::max(*said, session->next_begin());
    return std::exchange(published, {});
  }

  Result<PublishedSteps> push(const std::vector<data::ArrowColumn>& columns, data::Owned<ArrowArray> array) {
    CV_CHECK(check_open());
    CV_TRY(std::vector<std::size_t> used, data::places_of(decoder->rows(), columns));
    data::ArrowBatch batch(columns, std::move(used));
    CV_CHECK(batch.open(std::move(array)));
    CV_TRY(const Batch* read, batch.next(std::numeric_limits<std::size_t>::max()));
    return push(*read);
  }

  Result<PublishedSteps> push(const Batch& batch) {
    CV_CHECK(check_open());
    CV_CHECK(decoder->open(batch));
    decoder->begin(arrival.rows, rows + 1);
    arrival.number.clear();
    arrival.refused.clear();
    for (std::size_t row = 0; !batch.empty() && row < batch.front().rows(); ++row) {
      const std::int64_t number = ++rows;
      if (decoder->add(row, arrival.rows))
        arrival.number.push_back(number);
      else
        arrival.refused.push_back({"row " + std::to_string(number), decoder->problem()});
    }
    return told_by(session->take(arrival));
  }

  Turns turns;
  Job job;
  LiveOptions options;
  std::shared_ptr<std::int64_t> said = std::make_shared<std::int64_t>(0);  // where the clock that is told stands
  std::optional<data::BatchDecoder> decoder;
  std::optional<engine::LiveSession> session;
  data::Arrival arrival;
  std::int64_t rows = 0;  // pushed so far
  PublishedSteps caught_up, published;
  Form form;
};

LiveSession::LiveSession(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
LiveSession::LiveSession(LiveSession&&) noexcept = default;
LiveSession& LiveSession::operator=(LiveSession&&) noexcept = default;
LiveSession::~LiveSession() = default;

Result<LiveSession> LiveSession::open(Job given, LiveOptions options) {
  CV_TRY(Job job, engine::to_live(std::move(given)));
  CV_CHECK(engine::check_values(job));
  if (job.source.kind != data::SourceKind::memory)
    return fail(ErrorKind::usage, "source.kind", "rows are pushed to this session, so it must be memory");
  if (options.seed && options.replay)
    return fail(ErrorKind::usage, "run.seed", "a replay has its own random choices; leave the seed out");
  if (options.until || options.once)
    return fail(ErrorKind::usage, "run.until", "rows are pushed to this session; call publish_until() instead");
  auto inside = std::make_unique<Inside>(std::move(job), std::move(options));
  CV_CHECK(inside->open());
  return LiveSession(std::move(inside));
}

LiveSession::Form LiveSession::form() const { return inside_->form; }

const PublishedSteps& LiveSession::caught_up() const { return inside_->caught_up; }

Result<PublishedSteps> LiveSession::push(const Batch& batch) {
  CV_TRY(const auto turn, inside_->turns.take());
  return inside_->push(batch);
}

Result<PublishedSteps> LiveSession::push(const ArrowSchema& schema, ArrowArray& given) {
  if (given.release == nullptr) return fail(ErrorKind::usage, "source.rows", "the Arrow batch was taken before");
  data::Owned<ArrowArray> array(&given);
  CV_TRY(const auto turn, inside_->turns.take());
  CV_CHECK(inside_->check_open());
  CV_TRY(const std::vector<data::ArrowColumn> columns, data::columns_of(schema));
  return inside_->push(columns, std::move(array));
}

Result<PublishedSteps> LiveSession::push(ArrowArrayStream& given) {
  CV_TRY(const std::shared_ptr<data::ArrowStream> stream, data::ArrowStream::take(given));
  CV_TRY(const auto turn, inside_->turns.take());
  PublishedSteps all;
  while (true) {
    Result<data::Owned<ArrowArray>> array = stream->next();
    if (array && !*array) return all;
    Result<PublishedSteps> steps = array ? inside_->push(stream->columns(), std::move(*array)) : Failure(array.error());
    if (!steps) {
      // They are published: whoever goes on hears of them with the next call.
      inside_->published.insert(inside_->published.begin(), all.begin(), all.end());
      return steps;
    }
    all.insert(all.end(), steps->begin(), steps->end());
  }
}

Result<PublishedSteps> LiveSession::publish_until(const std::string& time) {
  CV_TRY(const auto turn, inside_->turns.take());
  CV_CHECK(inside_->check_open());
  if (inside_->job.live().clock == engine::LiveSpec::Clock::system)
    return fail(ErrorKind::usage, "run.until", "the job goes by the system's clock; call publish_due() instead");
  CV_TRY(const std::int64_t instant, engine::LiveClock::instant_of(inside_->job, time));
  return inside_->told_by(inside_->session->publish_until(instant));
}

Result<PublishedSteps> LiveSession::publish_due() {
  CV_TRY(const auto turn, inside_->turns.take());
  CV_CHECK(inside_->check_open());
  CV_TRY(const bool due, inside_->session->due());
  return inside_->told_by(due ? inside_->session->publish_due() : Result<void>());
}

Result<LiveStanding> LiveSession::end() {
  CV_TRY(const auto turn, inside_->turns.take());
  CV_CHECK(inside_->check_open());
  Result<LiveStanding> stands = inside_->session->end();
  inside_->session.reset();
  return stands;
}

}  // namespace chronoveil
