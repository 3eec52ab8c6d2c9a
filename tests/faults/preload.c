/* Fails or kills a process at the n-th change of a file below a folder, for the fault tests.
 *
 * Loaded with LD_PRELOAD. Processes that inherit the environment share one counter, so that n counts over children too.
 *
 *   FAULT_ROOT     only files and folders below this path count
 *   FAULT_COUNTER  a file of 8 bytes that holds the count
 *   FAULT_MODE     count, kill, torn (writes half, then kills), fail (once), full (writes fail from n on)
 *   FAULT_AT       n, from 1
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum mode { COUNT, KILL, TORN, FAIL, FULL };
enum fault { NONE, FAULT };

static long *counter;
static long at;
static enum mode mode;
static char root[PATH_MAX];

__attribute__((constructor)) static void start(void) {
    const char *file = getenv("FAULT_COUNTER"), *folder = getenv("FAULT_ROOT");
    const char *name = getenv("FAULT_MODE"), *number = getenv("FAULT_AT");
    if (!file || !folder || !name) return;
    if (!realpath(folder, root)) return;
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int fd = real_open(file, O_RDWR);
    if (fd < 0) return;
    void *mapped = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped == MAP_FAILED) return;
    at = number ? atol(number) : 0;
    mode = !strcmp(name, "kill") ? KILL : !strcmp(name, "torn") ? TORN : !strcmp(name, "fail") ? FAIL
         : !strcmp(name, "full") ? FULL : COUNT;
    counter = mapped;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int below(const char *path) {
    size_t length = strlen(root);
    return !strncmp(path, root, length) && (path[length] == '/' || path[length] == 0);
}

static int path_counts(int folder, const char *path) {
    char whole[PATH_MAX], place[64];
    if (!counter || !path) return 0;
    if (path[0] == '/') return below(path);
    ssize_t length;
    if (folder == AT_FDCWD) {
        if (!getcwd(whole, sizeof whole)) return 0;
        return below(whole);
    }
    snprintf(place, sizeof place, "/proc/self/fd/%d", folder);
    length = readlink(place, whole, sizeof whole - 1);
    if (length < 0) return 0;
    whole[length] = 0;
    return below(whole);
}

static int fd_counts(int fd) {
    char place[64], path[PATH_MAX];
    if (!counter || fd <= 2) return 0;
    snprintf(place, sizeof place, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(place, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

/* Counts an operation; kills here if it is the one, and returns whether it must fail. */
static enum fault step(int is_write) {
    long n = __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
    if (mode == KILL && n == at) die();
    if (mode == TORN && n == at && !is_write) die();
    if (mode == FAIL && n == at) return FAULT;
    if (mode == FULL && n >= at && is_write) return FAULT;
    if (mode == TORN && n == at) return FAULT;
    return NONE;
}

#define REAL(type, name, ...) type (*real)(__VA_ARGS__) = dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *bytes, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    if (fd_counts(fd) && step(1)) {
        if (mode == TORN) { real(fd, bytes, size / 2); die(); }
        errno = ENOSPC;
        return -1;
    }
    return real(fd, bytes, size);
}

static ssize_t at_offset(const char *name, int fd, const void *bytes, size_t size, off_t offset) {
    REAL(ssize_t, name, int, const void *, size_t, off_t);
    if (fd_counts(fd) && step(1)) {
        if (mode == TORN) { real(fd, bytes, size / 2, offset); die(); }
        errno = ENOSPC;
        return -1;
    }
    return real(fd, bytes, size, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    return at_offset("pwrite", fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) {
    return at_offset("pwrite64", fd, bytes, size, offset);
}

ssize_t writev(int fd, const struct iovec *pieces, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    if (fd_counts(fd) && step(1)) {
        if (mode == TORN) { real(fd, pieces, (count + 1) / 2); die(); }
        errno = ENOSPC;
        return -1;
    }
    return real(fd, pieces, count);
}

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size, unsigned flags) {
    REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
    if (fd_counts(to) && step(1)) {
        if (mode == TORN) { real(from, from_offset, to, to_offset, 4096, flags); die(); }
        errno = ENOSPC;
        return -1;
    }
    return real(from, from_offset, to, to_offset, size, flags);
}

int fsync(int fd) {
    REAL(int, "fsync", int);
    if (fd_counts(fd) && step(0)) { errno = EIO; return -1; }
    return real(fd);
}

int fdatasync(int fd) {
    REAL(int, "fdatasync", int);
    if (fd_counts(fd) && step(0)) { errno = EIO; return -1; }
    return real(fd);
}

int ftruncate(int fd, off_t size) {
    REAL(int, "ftruncate", int, off_t);
    if (fd_counts(fd) && step(0)) { errno = EIO; return -1; }
    return real(fd, size);
}

int ftruncate64(int fd, off64_t size) {
    REAL(int, "ftruncate64", int, off64_t);
    if (fd_counts(fd) && step(0)) { errno = EIO; return -1; }
    return real(fd, size);
}

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    if (path_counts(AT_FDCWD, to) && step(0)) { errno = EIO; return -1; }
    return real(from, to);
}

int link(const char *from, const char *to) {
    REAL(int, "link", const char *, const char *);
    if (path_counts(AT_FDCWD, to) && step(0)) { errno = EIO; return -1; }
    return real(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    if (path_counts(to_folder, to) && step(0)) { errno = EIO; return -1; }
    return real(from_folder, from, to_folder, to, flags);
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    if (path_counts(AT_FDCWD, path) && step(0)) { errno = EIO; return -1; }
    return real(path);
}

int unlinkat(int folder, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    if (path_counts(folder, path) && step(0)) { errno = EIO; return -1; }
    return real(folder, path, flags);
}

int mkdir(const char *path, mode_t rights) {
    REAL(int, "mkdir", const char *, mode_t);
    if (path_counts(AT_FDCWD, path) && step(1)) {
        if (mode == TORN) die();
        errno = ENOSPC;
        return -1;
    }
    return real(path, rights);
}

/* Only opening that creates or truncates is a change. */
static int opens(const char *name, const char *path, int flags, mode_t rights) {
    REAL(int, name, const char *, int, ...);
    if ((flags & (O_CREAT | O_TRUNC)) && path_counts(AT_FDCWD, path) && step(1)) {
        if (mode == TORN) { real(path, flags, rights); die(); }
        errno = ENOSPC;
        return -1;
    }
    return real(path, flags, rights);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t rights = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opens("open", path, flags, rights);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t rights = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opens("open64", path, flags, rights);
}
