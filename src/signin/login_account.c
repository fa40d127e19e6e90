/* SPDX-License-Identifier: Apache-2.0 */
/* login_account - the account of a right password, as passwd and group have it. */
#include "signin/login_account.h"

#include "base/span.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

enum { USER_GROUPS_MAX = 4096 };

/* Those of the question that the user is in. */
static uint32_t groups_find(const struct login_question *question, const char *user,
                            gid_t own)
{
    static gid_t groups[USER_GROUPS_MAX];
    int count = USER_GROUPS_MAX;
    uint32_t found = 0;
    if (question->group_count == 0 || getgrouplist(user, own, groups, &count) < 0)
        return 0;
    for (size_t i = 0; i < question->group_count; i++) {
        char name[LOGIN_USER_MAX + 1];
        (void)snprintf(name, sizeof name, SPAN_FMT, SPAN_ARG(question->groups[i]));
        const struct group *group = getgrnam(name);
        for (int j = 0; group && j < count; j++)
            found |= groups[j] == group->gr_gid ? UINT32_C(1) << i : 0;
    }
    return found;
}

void login_account_find(const struct login_question *question,
                        struct login_result *result)
{
    const struct passwd *known = getpwnam(result->user);
    result->is_known = known != NULL;
    if (!known)
        return;
    if (strlen(known->pw_name) > LOGIN_USER_MAX) {
        result->verdict = LOGIN_UNAVAILABLE;
        return;
    }
    gid_t own = known->pw_gid;
    (void)snprintf(result->user, sizeof result->user, "%s", known->pw_name);
    if (result->verdict == LOGIN_OK)
        result->groups = groups_find(question, result->user, own);
}
