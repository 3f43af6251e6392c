/* The temporal mechanisms for a device, in C: values go in one by one, and leave with their times blurred.
 *
 *   - cv_open makes a stream. It is the only call that takes memory (but for one draw of CV_NOISY_SORT in 10^9 or
 *     fewer, where an exact comparison needs long numbers).
 *   - cv_push hands over the value of the next step; none, one or several values leave.
 *   - cv_finish ends the series; what is still inside leaves.
 *   - cv_close gives the memory back, wiped.
 *
 * The guarantee. Two series are neighbours when they become each other by exchanging the values of two steps less than
 * `window` steps apart. For series of at least `window` values, what leaves a stream has nearly the same law for both,
 * by the (epsilon, delta) of the mechanism and its parameters. This library does not compute that pair: it comes from
 * a desk, from `chronoveil calibrate` (parameters for a wanted pair) or `chronoveil account` (the pair of given
 * parameters), and the parameters are then written into the device. CV_THRESHOLD has no pair that anyone has proven: it
 * is here for comparison.
 *
 * Values are bytes of one fixed size that nobody looks into: which values there are is no secret, and neither is how
 * many there were and when each arrived. Only which value belongs to which step is blurred.
 *
 * Who must do what:
 *   - One stream serves one series of one owner. Two streams over the same series, or one series pushed twice, cost
 *     twice. Several readings of one step belong into one value, side by side.
 *   - `random` must give fair, independent bytes that nobody else knows: cv_libsodium, or the generator of the device
 *     (a true one, or a cryptographic one with a fresh secret key). There is no way to give a seed. After fork(),
 *     parent and child must not go on with the same stream.
 *   - Only what the callback `released` is handed may leave the device, in that order, each when it is handed over.
 *   - A stream belongs to one thread at a time; `released` must return, and must not call into the stream it is called
 *     from.
 *
 * When `random` fails, nothing leaves any more: that call and all that follow give CV_NO_RANDOMNESS, and the values
 * inside are lost. No exception comes out of these functions. */
#ifndef CHRONOVEIL_TEMPORAL_DEVICE_H
#define CHRONOVEIL_TEMPORAL_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Errors of cv_open name the option that is wrong; cv_error_text() says what would be right. */
typedef enum cv_status {
  CV_OK = 0,
  CV_BAD_CALL = 1, /* a pointer that must be given is NULL */
  CV_NO_MEMORY = 2,
  CV_NO_RANDOMNESS = 3,
  CV_BAD_MECHANISM = 10,
  CV_BAD_VALUE_SIZE = 11,
  CV_BAD_WINDOW = 12,
  CV_BAD_STAY = 13,
  CV_BAD_THRESHOLD = 14,
  CV_BAD_EPSILON = 15,
  CV_BAD_KEY_LAW = 16,
  CV_BAD_MAX_SHIFT = 17,
  CV_BAD_RANDOM = 18,
  CV_BAD_PLATEAU = 19
} cv_status;

/* k is the window, m max_shift; each arrival is one cv_push. The parameters that a mechanism does not name must be 0.
 */
typedef enum cv_mechanism {
  /* Exchanges each value with one of the k - 1 that follow. Parameters: window, stay. Holds k values: slot i leaves
   * with arrival i + k - 1. A value may be passed on again and again, so there is no limit to its delay. */
  CV_RANSWITCH = 1,
  /* The same, but no value ends more than k - 1 slots after its own. */
  CV_STASWITCH = 2,
  /* Sends each value to one of the slots i to i + k - 1 that are empty. Parameters: window, threshold. Holds k values:
   * slot i leaves with arrival i, empty ones as NULL; as many values are lost as slots leave empty. */
  CV_THRESHOLD = 3,
  /* Releases in the order of step + noise, |noise| <= m. Parameters: window, epsilon, key_law, max_shift, and if
   * you like plateau. Holds 2m + 1 values: a value leaves at most 2m arrivals after its own. Of an arrival none, one or
   * several leave. */
  CV_NOISY_SORT = 4
} cv_mechanism;

typedef enum cv_key_law {
  CV_LAPLACE = 1,  /* P(x) proportional to exp(-|x| epsilon / (2(k - 1))) */
  CV_STAIRCASE = 2 /* the same in levels k - 1 wide, but for the first, the plateau, |x| < r, in which all noise is
                      equally likely: less shuffling for the same epsilon */
} cv_key_law;

/* Writes `size` random bytes to `bytes` and returns 0; anything else says that it could not. */
typedef int (*cv_random_fn)(void* context, void* bytes, size_t size);

/* Gets what leaves; `value` is NULL for an empty slot (CV_THRESHOLD only) and valid during the call. */
typedef void (*cv_released_fn)(void* context, const void* value);

typedef struct cv_options {
  int mechanism;       /* one of cv_mechanism */
  size_t value_size;   /* bytes of a value, 1 to 65536 */
  int64_t window;      /* k, 2 to 1048576 */
  double stay;         /* switches: the probability that a value stays, at least 1/window and less than 1 */
  int64_t threshold;   /* CV_THRESHOLD: 1 to window - 1 */
  double epsilon;      /* CV_NOISY_SORT: greater than 0 */
  int key_law;         /* CV_NOISY_SORT: one of cv_key_law */
  int64_t max_shift;   /* CV_NOISY_SORT: m, 1 to 16777216 */
  int64_t plateau;     /* CV_NOISY_SORT with CV_STAIRCASE: r, 1 to window - 1; or 0 for the one that moves values least.
                          That one is the same in all versions: it is what an event without `plateau` has. Delta
                          depends on it, epsilon does not */
  cv_random_fn random; /* cv_libsodium or a function of the device */
  void* random_context;
} cv_options;

typedef struct cv_stream cv_stream;

/* On CV_OK *stream is the new stream, otherwise NULL. */
cv_status cv_open(const cv_options* options, cv_stream** stream);

/* `value` points to value_size bytes, which are copied. */
cv_status cv_push(cv_stream* stream, const void* value, cv_released_fn released, void* context);

/* Afterwards the stream is as new: what is pushed next begins another series. */
cv_status cv_finish(cv_stream* stream, cv_released_fn released, void* context);

/* NULL is nothing to close. What was not released by cv_finish is lost. */
void cv_close(cv_stream* stream);

/* One line, never NULL; it names the option that is wrong. */
const char* cv_error_text(int status);

/* Randomness of the operating system by way of libsodium (ChaCha20, a new key after every fork), for
 * cv_options.random; the context is not used. Only a program that names it needs libsodium to link. */
int cv_libsodium(void* context, void* bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* CHRONOVEIL_TEMPORAL_DEVICE_H */
