/* as_host NAME PROGRAM [ARGUMENT...]: runs a program on a host that it finds to have that name, which
 * may be any bytes. 77: this needs to be root. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if (unshare(CLONE_NEWUTS) || sethostname(argv[1], strlen(argv[1]))) {
        perror("as_host");
        return 77;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 1;
}
