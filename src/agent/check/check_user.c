/* SPDX-License-Identifier: Apache-2.0 */
/* check_user - baro-agent --check judges as the service's user.
 *
 * What root may do proves nothing of the service.  So a check that root starts runs in
 * a child that has become that user, with the one capability that the unit gives.
 */
#include "agent/check/check.h"

#include "agent/sampling/kernel_part.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* As in the unit that is installed. */
#define SERVICE_USER "barograph"

/* CAP_DAC_READ_SEARCH, to be handed on to the reading children as the unit does. */
static int keep_capability(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
    data[0].permitted = data[0].inheritable = UINT32_C(1) << CAP_DAC_READ_SEARCH;
    if (syscall(SYS_capset, &header, data) < 0)
        return -errno;
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH, 0, 0) < 0
               ? -errno
               : 0;
}

static int become(const struct passwd *user)
{
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
        initgroups(user->pw_name, user->pw_gid) < 0 ||
        setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
        return -errno;
    /* Without it the check is stricter than the service, and reports what it misses. */
    (void)keep_capability();
    return 0;
}

/* Check, print.  Returns an exit status. */
static int check_here(const struct agent_opts *opts, FILE *out)
{
    struct err err = { 0 };
    if (kernel_rules_check(opts, &err) < 0) {
        fprintf(out, "%s\n", err.text);
        (void)fflush(out);
        return EXIT_FAILED;
    }
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(check_result_done) struct check_result result = { .opts = opts };
    if (agent_check(opts, &result) < 0)
        return EXIT_FAILED;
    check_print(&result, &text);
    if (strbuf_error(&text) || fputs(strbuf_text(&text), out) < 0 || fflush(out))
        return EXIT_FAILED;
    return check_is_good(&result) ? EXIT_OK : EXIT_FAILED;
}

static int check_in_child(const struct passwd *user, const struct agent_opts *opts,
                          FILE *out)
{
    (void)fflush(out);
    pid_t pid = fork();
    if (pid < 0) {
        fprintf(out, "no process can be started: %s\n", strerror(errno));
        return EXIT_FAILED;
    }
    if (pid == 0) {
        int rc = become(user);
        if (rc < 0)
            fprintf(out, "cannot become user '%s': %s\n", user->pw_name, strerror(-rc));
        int status = rc < 0 ? EXIT_FAILED : check_here(opts, out);
        (void)fflush(out);
        _exit(status);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

int agent_check_as(const char *name, const struct agent_opts *opts, FILE *out)
{
    const char *wanted = name ? name : SERVICE_USER;
    const struct passwd *user = getpwnam(wanted);
    if (name && !user) {
        fprintf(out, "--user: there is no user '%s'\n", name);
        return EXIT_USAGE;
    }
    if (geteuid() != 0) {
        if (name && user->pw_uid != geteuid()) {
            fprintf(out, "--user %s: only root can judge as another user\n", name);
            return EXIT_USAGE;
        }
        fprintf(out, "judged as user id %u, who runs the check\n", (unsigned)geteuid());
        return check_here(opts, out);
    }
    if (!user) {
        fprintf(out, "judged as root: there is no user '" SERVICE_USER
                     "' yet; what the service may do is not known (--user)\n");
        return check_here(opts, out);
    }
    fprintf(out, "judged as user '%s'\n", user->pw_name);
    return user->pw_uid == 0 ? check_here(opts, out) : check_in_child(user, opts, out);
}
