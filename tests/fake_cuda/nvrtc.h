/* Between nvrtc.c, which is called, and nvrtc_compile.c, which compiles. */
#ifndef FAKE_NVRTC_H
#define FAKE_NVRTC_H

#include "nvrtc_api.h"

/* Text that grows. */
struct fake_text {
    char *data; /* ended by a NUL; NULL at first */
    size_t length;
    int failed; /* memory was exhausted */
};

void fake_text_add(struct fake_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct fake_program {
    struct fake_program *next;
    char *text, *name;
    int is_compiled;
    struct fake_text log, ptx, cubin; /* of a virtual architecture there is no cubin */
};

/* Fills log, ptx and cubin. */
int fake_nvrtc_compile(struct fake_program *program, int count, const char *const *options);

/* Adds a line to the PTX for every constant table of a preprocessed text; gives their bytes. */
size_t fake_nvrtc_constants(const char *text, struct fake_text *ptx);

extern int fake_nvrtc_major, fake_nvrtc_minor;
/* The architectures, ascending, and how many. */
size_t fake_nvrtc_architectures(int *list, size_t most);

#endif
