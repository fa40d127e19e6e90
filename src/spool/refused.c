/* SPDX-License-Identifier: Apache-2.0 */
/* refused - the ring of files in refused/. */
#include "spool/refused.h"

#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct refused {
    unsigned next;
    char dir[];
};

static bool is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

/* The number behind that of the newest file; 0: there is none. */
static unsigned number_behind_newest(const char *dir)
{
    struct timespec newest = { 0 };
    unsigned next = 0;
    for (unsigned i = 0; i < REFUSED_FILES_MAX; i++) {
        char path[4096];
        struct stat st;
        int size = snprintf(path, sizeof path, "%s/%02u.json.zst", dir, i);
        if (size < 0 || (size_t)size >= sizeof path || stat(path, &st) < 0 ||
            is_later(newest, st.st_mtim))
            continue;
        newest = st.st_mtim;
        next = (i + 1) % REFUSED_FILES_MAX;
    }
    return next;
}

int refused_open(const char *dir, struct refused **ret)
{
    size_t size = strlen(dir) + 1;
    struct refused *refused = malloc(sizeof *refused + size);
    if (!refused)
        return -ENOMEM;
    memcpy(refused->dir, dir, size);
    refused->next = number_behind_newest(dir);
    *ret = refused;
    return 0;
}

void refused_free(struct refused *refused)
{
    free(refused);
}

int refused_store(struct refused *refused, struct span payload, struct strbuf *path,
                  struct err *err)
{
    int rc = file_make_dirs(refused->dir, 0700, err);
    if (rc < 0)
        return rc;
    strbuf_clear(path);
    strbuf_addf(path, "%s/%02u.json.zst", refused->dir, refused->next);
    rc = strbuf_error(path);
    if (rc == 0)
        rc = file_replace(path->data, payload.data, payload.size, 0600, err);
    if (rc < 0)
        return rc;
    refused->next = (refused->next + 1) % REFUSED_FILES_MAX;
    return 0;
}

unsigned refused_next(const struct refused *refused)
{
    return refused->next;
}
