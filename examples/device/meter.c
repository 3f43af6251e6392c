/* A meter that hides when, not what: reads one value a line from standard input and prints what leaves the device.
 *
 * The constants come from a desk: `chronoveil account` says what they guarantee when two readings less than kWindow
 * steps apart are exchanged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chronoveil/temporal/device.h"

enum { kWindow = 8, kMaxShift = 120, kValueSize = 32 };
static const double kEpsilon = 2;

/* On a real meter: its own generator of random bytes. */
static int from_urandom(void* context, void* bytes, size_t size) {
  return fread(bytes, 1, size, context) == size ? 0 : 1;
}

static void print(void* context, const void* value) {
  (void)context;
  puts(value);
}

static int stop(cv_status status) {
  fprintf(stderr, "meter: %s\n", cv_error_text(status));
  return EXIT_FAILURE;
}

int main(void) {
  FILE* urandom = fopen("/dev/urandom", "rb");
  if (urandom == NULL) {
    fprintf(stderr, "meter: /dev/urandom: %s\n", strerror(errno));
    return EXIT_FAILURE;
  }
  setvbuf(urandom, NULL, _IONBF, 0); /* no random bytes left lying about */

  cv_options options = {0};
  options.mechanism = CV_NOISY_SORT;
  options.value_size = kValueSize;
  options.window = kWindow;
  options.epsilon = kEpsilon;
  options.key_law = CV_STAIRCASE;
  options.max_shift = kMaxShift;
  options.random = from_urandom;
  options.random_context = urandom;
  cv_stream* stream = NULL;
  cv_status status = cv_open(&options, &stream);
  if (status != CV_OK) return stop(status);

  char line[kValueSize + 1];
  while (status == CV_OK && fgets(line, sizeof line, stdin) != NULL) {
    const size_t length = strcspn(line, "\n");
    if (length == kValueSize) {
      fprintf(stderr, "meter: a line is longer than %d characters\n", kValueSize - 1);
      return EXIT_FAILURE;
    }
    char value[kValueSize] = {0};
    memcpy(value, line, length);
    status = cv_push(stream, value, print, NULL);
    fflush(stdout); /* what may leave, leaves now */
  }
  if (status == CV_OK) status = cv_finish(stream, print, NULL);
  cv_close(stream);
  fclose(urandom);
  return status == CV_OK ? EXIT_SUCCESS : stop(status);
}
