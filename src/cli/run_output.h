/* Keeping what kernels print apart from the JSON of `quern run --json`. */
#ifndef QUERN_CLI_RUN_OUTPUT_H
#define QUERN_CLI_RUN_OUTPUT_H

/* From here on what is written to the standard output goes to the standard error, until it is shown again. Where that
 * cannot be had, all stays as it is. */
void quern_cli_output_hide(void);
void quern_cli_output_show(void);

/* The file that the standard output goes to, hidden or not. For signal handlers too. */
int quern_cli_output_file(void);

#endif
