// Rényi divergences in closed form, of order a > 1, in both directions.
#pragma once

namespace chronoveil::accounting {

// D_a of losses ±ε: randomized response, the worst pure mechanism [Mironov17, Prop. 5 with both outcomes].
double pure_renyi(double epsilon, double a);
// D_a of Laplace noise of scale 1/ε [Mironov17, Prop. 6].
double laplace_renyi(double epsilon, double a);

// x², but above 0 for every x above 0: a tiny cost must not round to 0, or it would be admitted when nothing is left. 0
// for 0.
double squared(double x);

}  // namespace chronoveil::accounting
