/* SPDX-License-Identifier: Apache-2.0 */
/* local_quota - how much one user, and one job, may submit on this node. */
#include "agent/local/local_quota.h"

#include "base/number.h"
#include "base/span.h"

#include <string.h>

#define NAME_IDLE_NS (3600 * NS_PER_S)
/* After so long a user has all of her requests again: to forget her changes nothing. */
#define USER_IDLE_NS (LOCAL_BURST / LOCAL_RATE * NS_PER_S)

static size_t user_find(const struct local_quota *quota, uid_t uid, int64_t now_ns)
{
    size_t unused = LOCAL_USERS_MAX;
    for (size_t i = 0; i < LOCAL_USERS_MAX; i++) {
        int64_t since_ns = quota->users[i].since_ns;
        if (since_ns && quota->users[i].uid == uid)
            return i;
        if (!since_ns || now_ns - since_ns > USER_IDLE_NS)
            unused = i;
    }
    return unused;
}

bool local_quota_request(struct local_quota *quota, uid_t uid, int64_t now_ns)
{
    size_t i = user_find(quota, uid, now_ns);
    if (i == LOCAL_USERS_MAX)
        return false;
    bool is_new = !quota->users[i].since_ns || quota->users[i].uid != uid;
    double left =
        is_new ? LOCAL_BURST
               : quota->users[i].left + (double)(now_ns - quota->users[i].since_ns) *
                                            LOCAL_RATE / (double)NS_PER_S;
    if (left > LOCAL_BURST)
        left = LOCAL_BURST;
    bool is_allowed = left >= 1;
    quota->users[i].uid = uid;
    quota->users[i].since_ns = now_ns;
    quota->users[i].left = is_allowed ? left - 1 : left;
    return is_allowed;
}

bool local_quota_metric(struct local_quota *quota, const char *job, struct span name,
                        int64_t now_ns)
{
    size_t unused = LOCAL_NAMES_MAX, of_job = 0;
    for (size_t i = 0; i < LOCAL_NAMES_MAX; i++) {
        int64_t used_ns = quota->names[i].used_ns;
        if (!used_ns || now_ns - used_ns > NAME_IDLE_NS) {
            unused = i;
            continue;
        }
        if (strcmp(quota->names[i].job, job) != 0)
            continue;
        of_job++;
        size_t size = strnlen(quota->names[i].name, LOCAL_NAME_BYTES_MAX);
        if (span_eq(name, (struct span){ quota->names[i].name, size })) {
            quota->names[i].used_ns = now_ns;
            return true;
        }
    }
    if (unused == LOCAL_NAMES_MAX || of_job >= LOCAL_NAMES_OF_JOB ||
        name.size > LOCAL_NAME_BYTES_MAX || strlen(job) >= JOB_ID_BYTES)
        return false;
    memset(&quota->names[unused], 0, sizeof quota->names[unused]);
    memcpy(quota->names[unused].job, job, strlen(job));
    memcpy(quota->names[unused].name, name.data, name.size);
    quota->names[unused].used_ns = now_ns;
    return true;
}
