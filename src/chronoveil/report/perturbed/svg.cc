#include "chronoveil/report/draw/standalone.h"
#include "chronoveil/report/page/guarantee_line.h"
#include "chronoveil/report/perturbed/drawing.h"
#include "chronoveil/report/perturbed/words.h"

namespace chronoveil::report {
namespace {

void add(const Figure& figure, Picture& picture) {
  if (!figure.frame) return;
  picture.legend(figure.legend);
  picture.frame(*figure.frame);
}

}  // namespace

std::string perturbed_svg(const Perturbed& perturbed) {
  Picture picture;
  picture.line("head", perturbed.title);
  const std::string promise = guarantee_line(perturbed.guarantee, perturbed.mark);
  picture.line("soft", promise);
  if (!perturbed.mark.empty())
    picture.line("soft", "What the curve says holds only if the random choices are secret. Here they are known.");
  if (values_move(perturbed)) {
    picture.line("soft", "What the method does to any series; how far the values of this release moved is not shown.");
    add(moves_drawn(perturbed.expected), picture);
  }
  add(curve_drawn(perturbed), picture);
  return picture.svg(perturbed.title, promise);
}

}  // namespace chronoveil::report
