// What a thousand noisy answers cost together, and the least noise that keeps them within a budget.
#include <chronoveil/chronoveil.h>

#include <iostream>

using namespace chronoveil;

int main() {
  const Result<Event> event = parse_event(R"({"event": "gaussian", "noise_multiplier": 50, "count": 1000})");
  const Result<Event> open = parse_open_event(R"({"event": "gaussian", "count": 1000})");
  const Result<Epsilon> epsilon = Epsilon::make(1);
  const Result<Delta> delta = Delta::make(1e-6);
  if (!event || !open || !epsilon || !delta) return 1;

  const auto price = epsilon_at(*event, *delta);
  const auto least = calibrate(*open, *epsilon, *delta);
  if (!price || !least) return 1;
  std::cout << "at noise 50: epsilon is between " << price->epsilon_lower << " and " << price->epsilon << "\n"
            << "for epsilon 1: " << least->parameter << " " << least->noise << ", which costs " << least->price.epsilon
            << "\n"
            << to_text(least->event) << "\n";
}
