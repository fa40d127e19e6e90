/* SPDX-License-Identifier: Apache-2.0 */
/* service_user - barod --check judges as the service's user. */
#include "cmd/service_user.h"

#include "base/err.h"
#include "base/span.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONFIG_DIRECTORY "/etc/barograph/"
#define SERVICE_USER "barograph" /* as in the unit that is installed */

static int become(const struct passwd *user)
{
    if (initgroups(user->pw_name, user->pw_gid) < 0 ||
        setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
        return -errno;
    return 0;
}

/* Whoever checks a file of its own, to try it, is the one who will use it. */
static const char *user_of(const char *config, const char *name)
{
    bool is_installed = !config || span_starts(span_of(config), CONFIG_DIRECTORY);
    return name ? name : is_installed ? SERVICE_USER : NULL;
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

bool service_user_check(const char *config, const char *name, int *ret_status)
{
    const char *wanted = user_of(config, name);
    const struct passwd *user = wanted ? getpwnam(wanted) : NULL;
    *ret_status = EXIT_USAGE;
    if (name && !user) {
        fprintf(stderr, "barod: --user: there is no user '%s'\n", name);
        return true;
    }
    if (name && geteuid() != 0 && user->pw_uid != geteuid()) {
        fprintf(stderr, "barod: --user %s: only root can judge as another user\n",
                name);
        return true;
    }
    if (geteuid() != 0 || !user || user->pw_uid == 0)
        return false;
    printf("judged as user '%s'\n", user->pw_name);
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid > 0) {
        *ret_status = wait_for(pid);
        return true;
    }
    int rc = pid < 0 ? -errno : become(user);
    if (rc == 0)
        return false;
    fprintf(stderr, "barod: cannot become user '%s': %s\n", wanted, strerror(-rc));
    *ret_status = EXIT_FAILED;
    return true;
}
