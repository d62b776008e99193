/* Running programs without a shell in between: names need no quoting. */
#include "tools/program.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

int program_run(char **argv, const char *package, const char *output, cpm_error *e)
{
    pid_t child;
    int reason = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ), code = 0;
    if (reason == ENOENT)
        return cpm_fail(e, CPM_EIO, "%s is not installed (Debian: apt install %s)", argv[0],
                        package);
    if (reason)
        return cpm_fail(e, CPM_EIO, "%s does not start: %s", argv[0], strerror(reason));
    while (waitpid(child, &code, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
        return CPM_OK;
    remove(output);
    return cpm_fail(e, CPM_EINVAL, "%s failed on %s", argv[0], output);
}
