/* Private directories, and the sweeping of those whose process was killed. */
#include "private_directory.h"

#include "base/error.h"
#include "driver_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 16, RANDOM_LETTERS = 6, LEFT_BEHIND_SECONDS = 24 * 60 * 60 };

/* What has become of a lock that was asked for. */
typedef enum lock_state { LOCK_TAKEN, LOCK_OF_ANOTHER, LOCK_IMPOSSIBLE } lock_state;

static lock_state try_lock(int file)
{
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return LOCK_OF_ANOTHER;
        if (errno != EINTR)
            return LOCK_IMPOSSIBLE;
    }
    return LOCK_TAKEN;
}

static int open_directory(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* 1 when the open file still has this name. */
static int is_named(int file, int parent, const char *name)
{
    struct stat held, found;
    return fstat(file, &held) == 0 && fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_dev == found.st_dev && held.st_ino == found.st_ino;
}

/* Locks the directory that was just made. 0 when a sweeper was faster, who takes it for one left behind. */
static int hold(quern_private_directory *directory)
{
    directory->lock = open_directory(AT_FDCWD, directory->path);
    if (directory->lock < 0)
        return errno != ENOENT;
    lock_state state = try_lock(directory->lock);
    if (state != LOCK_OF_ANOTHER && is_named(directory->lock, AT_FDCWD, directory->path))
        return 1;
    close(directory->lock);
    directory->lock = -1;
    return 0;
}

quern_status quern_private_directory_make(const char *parent, const char *name, quern_private_directory *directory)
{
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
        quern_status status = quern_directory_make_private(parent, name, &directory->path);
        if (status != QUERN_SUCCESS || hold(directory))
            return status;
        quern_directory_remove(directory->path);
        free(directory->path);
        directory->path = NULL;
    }
    return quern_fail(QUERN_FILE_ERROR, "cannot keep a directory in '%s': others remove it at once", parent);
}

void quern_private_directory_remove(quern_private_directory *directory)
{
    if (!directory->path)
        return;
    quern_directory_remove(directory->path);
    if (directory->lock >= 0)
        close(directory->lock);
    free(directory->path);
    *directory = (quern_private_directory){0};
}

/* ---- sweeping ---- */

/* 1 when name is what mkdtemp makes of the prefix: other things with such a beginning are not ours. */
static int is_private_name(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && strlen(name + length) == RANDOM_LETTERS &&
           strspn(name + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == RANDOM_LETTERS;
}

/* 1 when the open file or directory is this user's and belongs to no process any more; then it is locked. */
static int is_left_behind(int file)
{
    struct stat info;
    if (fstat(file, &info) != 0 || info.st_uid != geteuid())
        return 0;
    lock_state state = try_lock(file);
    return state == LOCK_TAKEN ||
           (state == LOCK_IMPOSSIBLE && difftime(time(NULL), info.st_mtime) >= LEFT_BEHIND_SECONDS);
}

static void sweep_directory(int parent, const char *parent_path, const char *name)
{
    int directory = open_directory(parent, name);
    if (directory < 0)
        return;
    if (is_left_behind(directory) && is_named(directory, parent, name)) {
        char *path = quern_path("%s/%s", parent_path, name);
        quern_directory_remove(path);
        free(path);
    }
    close(directory);
}

void quern_private_directories_sweep(const char *parent, const char *name)
{
    DIR *stream = opendir(parent);
    if (!stream)
        return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (is_private_name(entry->d_name, name))
            sweep_directory(dirfd(stream), parent, entry->d_name);
    closedir(stream);
}

static void sweep_lock_file(int parent, const char *name)
{
    int file = openat(parent, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (file < 0)
        return;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0 && is_left_behind(file) &&
        is_named(file, parent, name))
        unlinkat(parent, name, 0);
    close(file);
}

void quern_lock_files_sweep(const char *parent, const char *ending)
{
    DIR *stream = opendir(parent);
    if (!stream)
        return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        size_t length = strlen(entry->d_name), end = strlen(ending);
        if (length > end && strcmp(entry->d_name + length - end, ending) == 0)
            sweep_lock_file(dirfd(stream), entry->d_name);
    }
    closedir(stream);
}
