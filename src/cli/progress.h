/* Progress of long work: one line on stderr that is written over, only where stderr is a terminal. */
#ifndef QUERN_CLI_PROGRESS_H
#define QUERN_CLI_PROGRESS_H

/* Says what goes on now. Shown at most every tenth of a second, the first line at once. */
void quern_cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Takes the line away. */
void quern_cli_progress_end(void);

#endif
