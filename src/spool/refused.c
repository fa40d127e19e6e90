/* SPDX-License-Identifier: Apache-2.0 */
/* refused - the ring of files in refused/. */
#include "spool/refused.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static bool is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

unsigned refused_next(const char *dir)
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
