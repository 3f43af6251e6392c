// What the program does when it is interrupted or when its output cannot be written.
#pragma once

namespace chronoveil::cli {

// SIGINT, SIGTERM, SIGHUP and SIGXCPU end the program at once with exit code 130 and a message; a debit stays reserved.
// If SIGHUP was ignored at the start (nohup), the program goes on without a terminal. SIGPIPE is ignored, so that a
// closed pipe is a write error like any other. Standard streams that the caller closed are opened on /dev/null, so that
// no later file can take their number and receive messages.
void install_signals();

// "chronoveil: WHAT; NOTE" on stderr, with the note of say_on_interrupt. Allocates nothing.
void print_end(const char* what);

// Flushes stdout; false when anything written to it was lost.
bool flush_output();

}  // namespace chronoveil::cli
