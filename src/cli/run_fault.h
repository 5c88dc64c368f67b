/* A kernel that reaches outside its arrays ends the tool with a sentence. */
#ifndef QUERN_CLI_RUN_FAULT_H
#define QUERN_CLI_RUN_FAULT_H

/* What a processor refuses to do for a kernel. */
enum { QUERN_CLI_FAULT_ACCESS, QUERN_CLI_FAULT_DIVISION, QUERN_CLI_FAULTS };

/* What is written when it happens: whole lines on stderr and on stdout. NULL: nothing. */
typedef struct quern_cli_fault_texts {
    char *error, *output;
} quern_cli_fault_texts;

/* From here on such a fault, in whatever thread, writes its texts and ends the process with QUERN_CLI_WRONG. The texts
 * (QUERN_CLI_FAULTS of them) have to stay until the faults are let go of. */
void quern_cli_faults_catch(const quern_cli_fault_texts *texts);

/* They end the process by their signal again. */
void quern_cli_faults_release(void);

#endif
