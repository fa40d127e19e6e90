/* SPDX-License-Identifier: Apache-2.0 */
/* baro-sim-hang - a process that sleeps in the kernel, as one does that reads from a
 * dead controller: it is in the parent's half of a vfork(), whose child never execs.
 *
 *     baro-sim-hang FILE      appends its process id to FILE, for who ends it
 *
 * State 'D'.  Here a SIGKILL still ends it; whoever looks at the state first cannot
 * know.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    FILE *f = fopen(argv[1], "ae");
    if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) != 0)
        return 1;
    pid_t pid = vfork();
    if (pid == 0) {
        /* What holds the pipe would be waited for. */
        (void)close(STDOUT_FILENO);
        (void)close(STDERR_FILENO);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            (void)pause();
    }
    return 1;
}
