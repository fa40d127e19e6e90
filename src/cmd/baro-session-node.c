/* SPDX-License-Identifier: Apache-2.0 */
/* baro-session-node - a node of a job's session; started by baro session run. */
#include "base/log.h"
#include "jobsession/jobsession.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct err err = { 0 };
    (void)argv;
    if (argc != 1) {
        (void)fputs("baro-session-node: is started by baro session run\n", stderr);
        return EXIT_USAGE;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN); /* the end of standard input ends it */
    (void)signal(SIGHUP, SIG_IGN);
    log_start("baro-session-node");
    int rc = session_member_run(STDIN_FILENO, &err);
    if (rc < 0)
        log_error("%s", err.text[0] ? err.text : strerror(-rc));
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}
