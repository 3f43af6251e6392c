// What a pure event adds to μ² beside Gaussian noise: a κ such that N(√(r² + κ)) dominates M ⊗ N(r) at every ε. Alone
// (r = 0) an ε-DP event costs about 1.57 ε²; beside noise with r well above ε it costs about ε².
//
// Why the total variation distance decides. Write the losses ℓ of a pair (P, Q) as the measure
// f(dℓ) = e^{−ℓ/2} P(dℓ) = e^{ℓ/2} Q(dℓ). Composing pairs convolves it. It is e^{−s²/8} φ_s for N(s), two equal atoms
// at ±ε for randomised response, and such atoms with a constant between them for Laplace noise: even in ℓ, all of them.
//   1. The f of M less a multiple of φ_√κ changes sign at most four times, − + − + −. Convolution with a Gaussian adds
//      no change of sign [Karlin68], so the f of M ⊗ N(r) less that of N(s), s² = r² + κ, has no more than four either.
//   2. As a function of α = e^ℓ, δ has the second derivative f α^{−3/2}. So D = δ of N(s) − δ of M ⊗ N(r) is convex far
//      out, concave in a stretch on either side, and convex again around α = 1, or concave all through the middle.
//   3. Far out D is convex and falls to 0: it is not negative. A concave stretch is not negative when its ends are not.
//      Both pairs being even, D(α) = α D(1/α), so D'(1) = D(1)/2, and a convex middle lies above its tangent at 1,
//      which is D(1) (1 + α)/2.
// Hence D >= 0 everywhere if and only if D(1) >= 0: the total variation distance of N(s) is no less.
#pragma once

namespace chronoveil::accounting {

// κ, rounded up; infinite where the distance is 1 to within 1e-300. epsilon >= 0 and reserve = r >= 0 are finite.
// κ falls as r grows, so noise of any r' >= r may stand beside the event as well.
double pure_beside_gaussian(double epsilon, double reserve);     // any ε-DP event
double laplace_beside_gaussian(double epsilon, double reserve);  // Laplace noise of scale 1/ε for a change of 1

}  // namespace chronoveil::accounting
