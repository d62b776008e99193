/* Pipes are opened without waiting, to find out whether the other end is there. */
#include "base/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/notice.h"

/* Milliseconds until the wait is said, and between two looks. */
enum { QUIET = 1000, PAUSE = 20 };

static bool is_pipe(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISFIFO(s.st_mode);
}

static void say_wait(const char *path, const char *other)
{
    char shown[PATH_MAX];
    cpm_notice("waiting for a program that %s the pipe %s", other,
               cpm_escape(path, shown, sizeof shown));
}

/* The file waits from here on, as if it had been opened so. */
static int let_wait(int file)
{
    int flags = file < 0 ? -1 : fcntl(file, F_GETFL);
    if (flags >= 0)
        fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
    return file;
}

/* An end of a pipe that was opened without waiting reads as empty until something comes. */
static void await_writer(const char *path, int file)
{
    struct pollfd end = {.fd = file, .events = POLLIN};
    if (poll(&end, 1, QUIET) != 0)
        return;
    say_wait(path, "writes to");
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
}

int cpm_open_to_read(const char *path)
{
    if (!is_pipe(path))
        return open(path, O_RDONLY | O_CLOEXEC);
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0)
        await_writer(path, file);
    return let_wait(file);
}

int cpm_open_to_write(const char *path)
{
    if (!is_pipe(path))
        return open(path, O_WRONLY | O_CLOEXEC);
    for (int waited = 0; waited < QUIET; waited += PAUSE) {
        int file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0 || errno != ENXIO)
            return let_wait(file);
        usleep(1000 * PAUSE);
    }
    say_wait(path, "reads");
    return open(path, O_WRONLY | O_CLOEXEC);
}
