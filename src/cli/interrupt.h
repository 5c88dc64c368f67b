/* SIGINT, SIGTERM and SIGHUP while the tool has something to tidy up: it does, and then ends by the signal, as whoever
 * sent it expects. A second signal ends it at once. */
#ifndef QUERN_CLI_INTERRUPT_H
#define QUERN_CLI_INTERRUPT_H

/* From here on an interruption makes a compilation end early, with its files removed. */
void quern_cli_interrupts_catch(void);

/* 1 when one has come since. */
int quern_cli_interrupted(void);

/* Signals do again what they did before. If one has come, it is raised now, and this does not return. */
void quern_cli_interrupts_release(void);

/* From here on an interruption removes the file and ends the process. path has to stay until the next call; NULL: there
 * is no such file any more, and signals do what they did before. */
void quern_cli_interrupts_remove(const char *path);

#endif
