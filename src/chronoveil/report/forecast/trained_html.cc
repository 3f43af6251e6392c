#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/draw/paths.h"
#include "chronoveil/report/forecast/trained.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"

namespace chronoveil::report {
namespace {

// What the model promises, how sure that is, and for whom.
std::string lead(const Trained& trained) {
  const ModelFacts& model = trained.model;
  const Guarantee& guarantee = model.guarantee;
  std::string out = "<section class=\"lead\" aria-label=\"The result\">\n<div id=\"result\">\n";
  if (!model.mark.empty())
    return out + "<p class=\"newest\">No promise</p>\n<p>Nothing is promised: " + escaped(model.mark) +
           ".</p>\n</div>\n</section>\n";
  const CertificateWords certificate = words_of(guarantee.certificate, model.price.beta);
  return out + fmt::format(
                   "<p class=\"newest\">ε = {}, δ = {}</p>\n<p>for the unit <code>{}</code>. {}</p>\n</div>\n"
                   "<div id=\"sure\">\n<p><b>{}.</b> {}</p>\n</div>\n</section>\n",
                   rounded_up(guarantee.epsilon), rounded_up(guarantee.delta), unit_text(guarantee),
                   escaped(strength_of(guarantee)), escaped(certificate.name), escaped(certificate.meaning));
}

std::string numbers_of(const Trained& trained) {
  Table table{.head = {"Steps", "ε at most"}, .rows = {}};
  const std::size_t shown = std::min(trained.spent.size(), kMostNumbers);
  for (std::size_t i = 0; i < shown; ++i) {
    const Trained::Spent& point = trained.spent[trained.spent.size() - 1 - i];
    table.rows.push_back({grouped(point.steps), rounded_up(point.epsilon)});
  }
  return numbers_behind("last", shown, trained.spent.size(), to_html(table));
}

std::string curve(const Trained& trained) {
  // A marked training spent nothing, and no ε holds.
  const bool finite = std::all_of(trained.spent.begin(), trained.spent.end(),
                                  [](const Trained::Spent& point) { return std::isfinite(point.epsilon); });
  if (trained.spent.size() < 2 || !finite || !trained.model.mark.empty()) return "";
  const Scale across = nice_scale(0, static_cast<double>(trained.spent.back().steps), 6);
  const Scale up = nice_scale(0, trained.spent.back().epsilon, 5);
  std::vector<Point> points;
  std::vector<std::pair<double, std::string>> words;
  for (const Trained::Spent& point : trained.spent) {
    points.push_back({across.position(static_cast<double>(point.steps)), up.position(point.epsilon)});
    words.emplace_back(points.back().across,
                       fmt::format("after {} steps: ε = {}", grouped(point.steps), rounded_up(point.epsilon)));
  }
  return section("How ε grew",
                 to_html(Frame{.id = "spent",
                               .title = "ε by number of steps",
                               .note = fmt::format("at δ = {}", rounded_up(trained.model.guarantee.delta)),
                               .description = fmt::format("A rising line, to {} after {} steps.",
                                                          rounded_up(trained.spent.back().epsilon),
                                                          grouped(trained.spent.back().steps)),
                               .across = ticks_of(across),
                               .up = ticks_of(up),
                               .drawing = path_of("line", line_through(points)),
                               .large = true,
                               .across_title = "Steps of training",
                               .up_title = "ε",
                               .marks = marks_at(words)}) +
                     numbers_of(trained));
}

// What a reader must know although the rest of the promise is folded.
std::string not_protected(const Trained& trained) {
  if (trained.model.not_protected.empty() || !trained.model.mark.empty()) return "";
  std::string out = "<ul id=\"not-protected\">\n";
  for (const std::string& sentence : trained.model.not_protected) out += "<li>" + escaped(sentence) + "</li>\n";
  return section("What is not protected", out + "</ul>\n");
}

std::string windows_words(const Trained& trained) {
  if (trained.least_windows == trained.most_windows) return grouped(trained.least_windows);
  return grouped(trained.least_windows) + " to " + grouped(trained.most_windows);
}

// How a batch is drawn, in words.
std::string batch_words(const Trained& trained) {
  const bool in_turn = trained.top_level == "iterate", by_chance = trained.bottom_level == "poisson";
  return fmt::format("{} windows{}: series {}, and of each {} {}{}", grouped(trained.batch_size),
                     by_chance ? " on average" : "", in_turn ? "in turn" : "drawn anew each step",
                     grouped(trained.windows_per_series), trained.windows_per_series == 1 ? "window" : "windows",
                     by_chance ? " on average, each by its own chance" : ", drawn uniformly");
}

std::string listed(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + grouped(numbers[i]);
  return text;
}

std::string look_section(const Trained& trained) {
  const ModelFacts& model = trained.model;
  const OneLook& look = *trained.signs;
  std::string out = "<p>" + escaped(trained.reason) + "</p>\n<dl class=\"pairs\">\n";
  out += pair_of("Model", "<b>" + escaped(model.name) + "</b>, made of " + grouped(look.released) + " integers");
  out += pair_of("Reads and forecasts", grouped(look.reads) + " and " + grouped(model.forecast_length) + " steps");
  out += pair_of("Series", grouped(trained.series));
  out += pair_of("Compares values", listed(look.seasons) + " steps apart, by whether they rose or fell");
  out += pair_of("One neighbour can change", fmt::format("the integers by {} in all", rounded(look.sensitivity)));
  out += pair_of("Noise", fmt::format("Gaussian, {} times that, on each: a standard deviation of {}",
                                      rounded(trained.noise_multiplier), rounded(look.noise)));
  out += pair_of("Event", "<code>" + escaped(accounting::to_text(trained.event)) + "</code>");
  return folded("How it was made", out + "</dl>\n");
}

std::string plan_section(const Trained& trained) {
  if (trained.signs) return look_section(trained);
  const ModelFacts& model = trained.model;
  std::string out = "<p>" + escaped(trained.reason) + "</p>\n<dl class=\"pairs\">\n";
  out += pair_of("Model", "<b>" + escaped(model.name) + "</b>, " + grouped(model.parameters) + " weights");
  out += pair_of("Reads and forecasts",
                 grouped(model.context_length) + " and " + grouped(model.forecast_length) + " steps");
  out += pair_of("Series", grouped(trained.series) + ", each of " + windows_words(trained) + " windows");
  if (trained.lower && trained.upper)
    out += pair_of("Values", fmt::format("clamped to [{}, {}]", shortest(*trained.lower), shortest(*trained.upper)));
  out += pair_of("A batch", batch_words(trained));
  out += pair_of("A series is in it with probability", rounded(trained.series_rate));
  out += pair_of("Windows that one neighbour can change", percent(trained.touched_share) + " of a series");
  out += pair_of("Gradients", fmt::format("of each window, clipped to {}; noise of {} times that on their sum",
                                          rounded(trained.clip), rounded(trained.noise_multiplier)));
  out +=
      pair_of("Steps", fmt::format("{} of {}{}{}", grouped(model.steps), grouped(trained.planned_steps),
                                   trained.spare_steps > 0 ? ", and " + grouped(trained.spare_steps) + " to spare" : "",
                                   trained.resumed ? "; went on after an interruption" : ""));
  if (trained.uses > model.steps)
    out += pair_of("Begun and lost", grouped(trained.uses - model.steps) + " steps: paid for all the same");
  out += pair_of("Event", "<code>" + escaped(accounting::to_text(trained.event)) + "</code>");
  return folded("How it was trained", out + "</dl>\n");
}

}  // namespace

std::string to_html(const Trained& trained) {
  const ModelFacts& model = trained.model;
  Page page = page_of(trained.title, model.mark);
  page.body =
      fmt::format("<h1>{}</h1>\n<p class=\"sub\">A {} that learned from {} series of the dataset {}.</p>\n",
                  escaped(trained.title), escaped(model.name), grouped(trained.series), escaped(model.dataset)) +
      lead(trained) + curve(trained) + not_protected(trained) + promise_in_full(model.guarantee, model.mark, {}) +
      plan_section(trained) + budget_section(trained.budget, model.debit) +
      citation(trained.title,
               trained.signs ? "noisy correlations of signs (sign_lags)"
                             : "DP-SGD on windows of series (" + model.name + ")",
               model.guarantee, model.mark, model.debit) +
      footer();
  return to_html(page);
}

}  // namespace chronoveil::report
