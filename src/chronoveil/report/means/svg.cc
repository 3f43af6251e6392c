#include "chronoveil/report/draw/standalone.h"
#include "chronoveil/report/means/drawing.h"
#include "chronoveil/report/means/words.h"
#include "chronoveil/report/page/guarantee_line.h"

namespace chronoveil::report {

std::string means_svg(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  Picture picture;
  picture.line("head", published.title);
  const std::string promise = guarantee_line(release.guarantee, release.mark);
  picture.line("soft", promise);
  picture.line("soft", cell_number_words(cell_numbers(release)) + ".");
  if (release.axis.steps() == 0) return picture.svg(published.title, promise);
  const MapDrawing map = map_of(published, false);
  picture.line("text", map.title);
  if (!map.note.empty()) picture.line("soft", map.note);
  std::vector<Picture::Entry> entries;
  for (const Levels::Level& level : map.levels.all())
    entries.push_back({"c" + std::to_string(level.colour), level.words});
  picture.legend(entries);
  constexpr int kMostHigh = 900;
  picture.box("cells", map.wide, map.high, map.widest, kMostHigh, map.shapes);
  if (!map.bar_words.empty()) picture.line("soft", map.bar_words);
  return picture.svg(published.title, promise);
}

}  // namespace chronoveil::report
