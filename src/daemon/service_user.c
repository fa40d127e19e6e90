/* SPDX-License-Identifier: Apache-2.0 */
/* service_user - barod --check judges as the service's user. */
#include "daemon/service_user.h"

#include "base/span.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
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

/* A user who checks a file of their own, to try it, is the one who will use it. */
static const char *user_of(const char *config, const char *name)
{
    bool is_installed = !config || span_starts(span_of(config), CONFIG_DIRECTORY);
    return name ? name : is_installed ? SERVICE_USER : NULL;
}

int service_user_find(const char *config, const char *name, uid_t uid,
                      struct service_user *ret, struct err *err)
{
    const char *wanted = user_of(config, name);
    const struct passwd *user = wanted ? getpwnam(wanted) : NULL;
    if (name && !user)
        return err_set(err, EINVAL, "--user: there is no user '%s'", name);
    if (name && uid != 0 && user->pw_uid != uid)
        return err_set(err, EINVAL, "--user %s: only root can check as another user",
                       name);
    *ret = (struct service_user){ 0 };
    if (uid == 0 && user && user->pw_uid != 0)
        ret->user = user;
    return 0;
}

const char *service_user_name(const struct service_user *user)
{
    return user->user ? user->user->pw_name : NULL;
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

int service_user_enter(const struct service_user *user, int *ret_status,
                       struct err *err)
{
    pid_t pid = fork();
    if (pid > 0) {
        *ret_status = wait_for(pid);
        return 1;
    }
    int rc = pid < 0 ? -errno : become(user->user);
    return rc < 0 ? err_set(err, -rc, "cannot become user '%s': %s",
                            user->user->pw_name, strerror(-rc))
                  : 0;
}
