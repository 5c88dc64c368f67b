/* Looking at a shared object before it is loaded. */
#include "shared_object.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 1 when what is to be loaded of a shared object lies within the file: dlopen does not look, and the process would end
 * with SIGBUS. What is no shared object is left to dlopen, which says what is wrong with it. */
static int is_whole(int file, off_t size)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    if (pread(file, &head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_phentsize != sizeof part)
        return 1;
    for (unsigned i = 0; i < head.e_phnum; ++i) {
        off_t place = (off_t)(head.e_phoff + i * sizeof part);
        if (pread(file, &part, sizeof part, place) != (ssize_t)sizeof part)
            return 0;
        if (part.p_type == PT_LOAD &&
            (part.p_offset > (uint64_t)size || part.p_filesz > (uint64_t)size - part.p_offset))
            return 0;
    }
    return 1;
}

/* dlopen would wait for a pipe's other end, and says less about a file that is not there. */
const char *quern_shared_object_fault(const char *path)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return strerror(errno);
    const char *fault = NULL;
    if (fstat(file, &info) != 0)
        fault = strerror(errno);
    else if (!S_ISREG(info.st_mode))
        fault = "it is no file, wanted a shared object";
    else if (!is_whole(file, info.st_size))
        fault = "it is cut short";
    close(file);
    return fault;
}
