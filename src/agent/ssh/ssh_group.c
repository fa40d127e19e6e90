/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_group - servers that are read through ssh at the same time. */
#include "agent/ssh/ssh_group.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdlib.h>

/* A child that has closed its pipes is looked for so often. */
#define CLOSED_WAIT_MS 10
#define WAIT_MS 1000

struct ssh_group {
    struct ssh_group_opts opts;
    struct hostset *set;
    struct ssh_host *hosts[SSH_GROUP_HOSTS_MAX];
    size_t count;
};

void ssh_group_free(struct ssh_group *group)
{
    if (!group)
        return;
    for (size_t i = 0; i < group->count; i++)
        ssh_host_free(group->hosts[i]);
    hostset_free(group->set);
    free(group);
}

static int add_hosts(struct ssh_group *group, struct err *err)
{
    for (size_t i = 0; i < hostset_count(group->set); i++) {
        const struct ssh_host_opts opts = {
            .name = hostset_at(group->set, i),
            .command = group->opts.command,
            .interval_ms = group->opts.interval_ms,
            .fn = group->opts.fn,
            .arg = group->opts.arg,
        };
        int rc = ssh_host_new(&opts, &group->hosts[i], err);
        if (rc < 0)
            return rc;
        group->count++;
    }
    return 0;
}

int ssh_group_new(const struct ssh_group_opts *opts, struct ssh_group **ret,
                  struct err *err)
{
    AUTO(ssh_group_free) struct ssh_group *group = calloc(1, sizeof *group);
    if (!group)
        return -ENOMEM;
    group->opts = *opts;
    int rc = hostset_parse(span_of(opts->hosts), &group->set, err);
    if (rc == 0 && hostset_count(group->set) > SSH_GROUP_HOSTS_MAX)
        rc = err_set(err, EINVAL, "--ssh: more than %d hosts", SSH_GROUP_HOSTS_MAX);
    if (rc == 0)
        rc = add_hosts(group, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(group);
    return 0;
}

/* What to poll for; *ret_is_closed: some child has no pipe any more, and is not over.
 * Returns whether any is busy. */
static bool group_poll(const struct ssh_group *group, struct pollfd *fds,
                       nfds_t *ret_count, bool *ret_is_closed)
{
    bool is_busy = false;
    *ret_count = 0;
    *ret_is_closed = false;
    for (size_t i = 0; i < group->count; i++) {
        size_t open = ssh_host_poll(group->hosts[i], fds + *ret_count);
        is_busy |= ssh_host_is_busy(group->hosts[i]);
        *ret_is_closed |= ssh_host_is_busy(group->hosts[i]) && open == 0;
        *ret_count += open;
    }
    return is_busy;
}

static void group_read(struct ssh_group *group, int64_t deadline_ns)
{
    struct pollfd fds[SSH_GROUP_HOSTS_MAX * 2];
    nfds_t count;
    bool is_closed;
    while (group_poll(group, fds, &count, &is_closed)) {
        int64_t left_ms = (deadline_ns - clock_monotonic_ns()) / NS_PER_MS;
        int64_t wait_ms = is_closed ? CLOSED_WAIT_MS : WAIT_MS;
        if (left_ms <= 0)
            return;
        int ready = poll(fds, count, (int)(left_ms > wait_ms ? wait_ms : left_ms));
        if (ready < 0 && group->opts.is_ended_fn &&
            group->opts.is_ended_fn(group->opts.arg))
            return;
        for (size_t i = 0; i < group->count; i++)
            if (ssh_host_is_busy(group->hosts[i]))
                ssh_host_read(group->hosts[i]);
    }
}

int ssh_group_round(struct ssh_group *group, int64_t t_ms, struct err *err)
{
    int64_t deadline_ns = clock_monotonic_ns() + group->opts.timeout_ns;
    for (size_t i = 0; i < group->count; i++) {
        int rc = ssh_host_start(group->hosts[i], t_ms, err);
        if (rc < 0)
            return rc;
    }
    group_read(group, deadline_ns);
    for (size_t i = 0; i < group->count; i++)
        ssh_host_give_up(group->hosts[i]);
    return 0;
}

void ssh_group_add_notes(const struct ssh_group *group, struct table *table)
{
    size_t targets = 0, answered = 0;
    for (size_t i = 0; i < group->count; i++) {
        const char *problem = ssh_host_problem(group->hosts[i]);
        targets += ssh_host_target_count(group->hosts[i]);
        answered += !*problem;
        if (*problem)
            table_add_note(table, "%s", problem);
    }
    table_add_note(table, "%zu targets of %zu servers, of which %zu responded", targets,
                   group->count, answered);
}
