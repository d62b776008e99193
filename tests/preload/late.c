/* A program that loads MPI while it runs, as interpreters do: no library of MPI is linked with it.
 *
 *   late LIBRARY    loads that library and calls its calls_are_right (late_calls.c)
 *   late            loads none */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        printf("no MPI\n");
        return 0;
    }
    void *library = dlopen(argv[1], RTLD_NOW);
    int (*calls_are_right)(void) =
        library ? (int (*)(void))dlsym(library, "calls_are_right") : NULL;
    if (!calls_are_right) {
        fprintf(stderr, "late: %s\n", dlerror());
        return 2;
    }
    return calls_are_right();
}
