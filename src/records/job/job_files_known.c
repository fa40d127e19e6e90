/* SPDX-License-Identifier: Apache-2.0 */
/* job_files_known - what the writer remembers of jobs whose files come. */
#include "records/job/job_files_known.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <stdlib.h>

#define JOBS_MAX 4096
#define USERS_MAX 65536

struct job_files_known {
    struct hashmap jobs;  /* of struct job_known */
    struct hashmap users; /* rows of the day */
    int64_t day;
};

int job_files_known_new(struct job_files_known **ret)
{
    struct job_files_known *known = calloc(1, sizeof *known);
    if (!known)
        return -ENOMEM;
    *ret = known;
    return 0;
}

void job_files_known_forget(struct job_files_known *known)
{
    size_t cursor = 0;
    struct span key;
    uintptr_t *value;
    while (hashmap_next(&known->jobs, &cursor, &key, &value)) {
        struct job_known *job = (struct job_known *)*value;
        if (job)
            strbuf_done(&job->nodes);
        free(job);
    }
    hashmap_done(&known->jobs);
    known->jobs = (struct hashmap)HASHMAP_INIT;
}

void job_files_known_free(struct job_files_known *known)
{
    if (!known)
        return;
    job_files_known_forget(known);
    hashmap_done(&known->users);
    free(known);
}

static void print_key(const struct job_file_list *files, struct span job,
                      struct strbuf *key)
{
    strbuf_add_span(key, files->cluster);
    strbuf_addc(key, '\n');
    strbuf_add_span(key, job);
    strbuf_addf(key, "\n%lld", (long long)files->uid);
}

struct job_known *job_files_known_job(struct job_files_known *known,
                                      const struct job_file_list *files,
                                      bool *ret_is_new)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    print_key(files, files->job, &key);
    uintptr_t *at = strbuf_error(&key) < 0
                        ? NULL
                        : hashmap_put(&known->jobs, strbuf_span(&key), NULL);
    if (!at)
        return NULL;
    *ret_is_new = *at == 0;
    if (*ret_is_new)
        *at = (uintptr_t)calloc(1, sizeof(struct job_known));
    return (struct job_known *)*at;
}

size_t *job_files_known_user(struct job_files_known *known,
                             const struct job_file_list *files)
{
    AUTO(strbuf_done) struct strbuf key = STRBUF_INIT;
    print_key(files, SPAN(""), &key);
    return strbuf_error(&key) < 0 ? NULL
                                  : hashmap_put(&known->users, strbuf_span(&key), NULL);
}

void job_files_known_tidy(struct job_files_known *known, int64_t now_ms)
{
    if (known->jobs.count > JOBS_MAX)
        job_files_known_forget(known);
    if (known->users.count <= USERS_MAX && known->day == now_ms / MS_PER_DAY)
        return;
    hashmap_done(&known->users);
    known->users = (struct hashmap)HASHMAP_INIT;
    known->day = now_ms / MS_PER_DAY;
}
