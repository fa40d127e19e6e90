/* SPDX-License-Identifier: Apache-2.0 */
/* job_scope - whose runs and summaries a client sees. */
#include "access/scope/job_scope.h"

#include <assert.h>

static_assert(TOKEN_ACCOUNTS_MAX <= JOB_OWNERS_ACCOUNTS_MAX, "all are in the filter");

void job_scope_init(struct job_scope *scope, const struct access_client *client)
{
    const struct access_object general = { 0 };
    const bool is_manager = client->roles & NET_ROLE_MANAGER;
    *scope = (struct job_scope){
        .client = client,
        .verdict = access_decide(client, ACCESS_READ_JOB, &general),
        .own = { .cluster = client->cluster,
                 .user = client->user,
                 .uid = client->uid,
                 .accounts = client->accounts,
                 .account_count = is_manager ? client->account_count : 0 },
    };
    /* Owners without a name own nothing. */
    if (scope->verdict == ACCESS_DENIED)
        scope->own = (struct job_owners){ 0 };
}

const struct job_owners *job_scope_owners(const struct job_scope *scope)
{
    return job_scope_is_partial(scope) ? &scope->own : NULL;
}

bool job_scope_is_partial(const struct job_scope *scope)
{
    return scope->verdict != ACCESS_PERMITTED;
}

bool job_scope_has(const struct job_scope *scope, const struct job *job)
{
    const struct access_owner owner = { job->cluster, job->user, job->uid,
                                        job->account };
    const struct access_object object = { .owner = &owner };
    return scope->verdict == ACCESS_PERMITTED ||
           access_decide(scope->client, ACCESS_READ_JOB, &object) == ACCESS_PERMITTED;
}
