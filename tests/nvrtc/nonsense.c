/*
 * What NVRTC says is looked at before it is believed: nonsense LIBRARY, the one of nonsense_nvrtc.c. NVRTC is opened
 * once in a process, so each case is a process of its own.
 */
#include "base/nvrtc.h"

#include <quern/status.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct answer {
    const char *nonsense;
    quern_nvrtc_form form;
    quern_status status;
    const char *sentence; /* what is said, a part of it */
} answer;

static const answer answers[] = {
    {"none", QUERN_NVRTC_PTX, QUERN_SUCCESS, ""},
    {"none", QUERN_NVRTC_CUBIN, QUERN_SUCCESS, ""},
    {"architectures", QUERN_NVRTC_PTX, QUERN_NOT_PRESENT, "the architectures that it says it knows are none"},
    {"program", QUERN_NVRTC_PTX, QUERN_COMPILE_FAILED, "gives no program for 'a.k.c'"},
    {"error", QUERN_NVRTC_PTX, QUERN_COMPILE_FAILED, "cannot compile 'a.k.c': error 12345"},
    {"log_size", QUERN_NVRTC_PTX, QUERN_SUCCESS, ""}, /* the log is not needed */
    {"ptx_size", QUERN_NVRTC_PTX, QUERN_COMPILE_FAILED, "has compiled 'a.k.c', and the size of its PTX is nonsense"},
    {"ptx_empty", QUERN_NVRTC_PTX, QUERN_COMPILE_FAILED, "has compiled 'a.k.c', and no PTX came out"},
    {"ptx_junk", QUERN_NVRTC_PTX, QUERN_COMPILE_FAILED, "has compiled 'a.k.c', and what came out is no PTX"},
    {"ptx_early_end", QUERN_NVRTC_PTX, QUERN_COMPILE_FAILED, "what came out is no PTX"},
    {"ptx_no_end", QUERN_NVRTC_PTX, QUERN_COMPILE_FAILED, "what came out is no PTX"},
    {"cubin_size", QUERN_NVRTC_CUBIN, QUERN_COMPILE_FAILED, "the size of its machine code is nonsense"},
};

/* The exit status of the case's process: 0 when it is as it should be. */
static int is_right(const answer *a)
{
    static const quern_nvrtc_target target = {75, "strict", 32, 0};
    void *data = NULL;
    size_t size = 0;
    quern_status status = quern_nvrtc_compile("", 0, "a.k.c", &target, a->form, &data, &size);
    const char *sentence = status == QUERN_SUCCESS ? "" : quern_last_error();
    int right = status == a->status && strstr(sentence, a->sentence) && !strstr(sentence, "(null)") &&
                (data != NULL) == (status == QUERN_SUCCESS);
    if (!right)
        printf("FAILED  %s: %s, '%s'; wanted %s, '%s'\n", a->nonsense, quern_status_name(status), sentence,
               quern_status_name(a->status), a->sentence);
    free(data);
    return !right;
}

/* 0 when the case's process ends with 0. */
static int run(const answer *a, const char *library)
{
    int result;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("QUERN_NVRTC_LIBRARY", library, 1);
        setenv("QUERN_NONSENSE", a->nonsense, 1);
        int status = is_right(a);
        fflush(NULL);
        _exit(status);
    }
    if (child < 0 || waitpid(child, &result, 0) != child)
        return 1;
    if (!WIFEXITED(result))
        printf("FAILED  %s: the process did not end by itself\n", a->nonsense);
    return !WIFEXITED(result) || WEXITSTATUS(result) != 0;
}

int main(int argc, char **argv)
{
    int failures = 0, count = (int)(sizeof answers / sizeof answers[0]);
    if (argc != 2) {
        fprintf(stderr, "usage: nonsense LIBRARY\n");
        return 2;
    }
    for (int i = 0; i < count; ++i)
        failures += run(&answers[i], argv[1]);
    printf("%d answers of an NVRTC, %d taken wrongly\n", count, failures);
    return failures != 0;
}
