/* SPDX-License-Identifier: Apache-2.0 */
/* darshan_log - logs that libdarshan writes, beside the records of their processes. */
#include "probe/darshan_log.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <dirent.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STAMP_SIZE 16 /* "20261121T030000Z" */
#define VARIABLE "DARSHAN_LOGFILE"

static int is_libdarshan(struct dl_phdr_info *info, size_t size, void *arg)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    const char *name = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    (void)arg;
    return name && strncmp(name, "libdarshan", strlen("libdarshan")) == 0;
}

bool darshan_log_is_expected(void)
{
    return !getenv("DARSHAN_DISABLE") && dl_iterate_phdr(is_libdarshan, NULL) != 0;
}

void darshan_log_day(char day[static DARSHAN_LOG_DAY_BYTES], int64_t t_ns)
{
    time_t t_s = (time_t)(t_ns / NS_PER_S);
    struct tm tm;
    (void)gmtime_r(&t_s, &tm);
    (void)snprintf(day, DARSHAN_LOG_DAY_BYTES, "%04d/%02d/%02d", tm.tm_year + 1900,
                   tm.tm_mon + 1, tm.tm_mday);
}

static const char *phase_word(enum shape_phase phase)
{
    return phase == SHAPE_WRITE ? "write" : "read";
}

int darshan_log_path(char path[static RUN_PATH_MAX], const char *stem,
                     enum shape_phase phase, unsigned rank)
{
    int n = snprintf(path, RUN_PATH_MAX, "%s-%s.%u" DARSHAN_LOG_SUFFIX, stem,
                     phase_word(phase), rank);
    return n > 0 && n < RUN_PATH_MAX ? 0 : -ENAMETOOLONG;
}

int darshan_log_set(const char *path)
{
    return setenv(VARIABLE, path, 1) < 0 ? -errno : 0;
}

unsigned darshan_log_find(const char *stem, struct run_result *result)
{
    char path[RUN_PATH_MAX];
    unsigned lost = 0;
    for (size_t i = 0; i < COUNT_OF(result->phases); i++) {
        struct run_phase *p = &result->phases[i];
        for (unsigned rank = 0; p->ranks && rank < p->count; rank++) {
            struct run_rank *r = &p->ranks[rank];
            r->is_logged = darshan_log_path(path, stem, p->phase, rank) == 0 &&
                           access(path, F_OK) == 0;
            lost += !r->is_logged;
        }
    }
    return lost;
}

/* ---- removed with their records ---- */

/* "ID-write.3.darshan" */
static bool is_of_record(const char *name, struct span id)
{
    struct span text = span_of(name);
    if (text.size < id.size || memcmp(text.data, id.data, id.size) != 0 ||
        !span_ends(text, DARSHAN_LOG_SUFFIX))
        return false;
    text = (struct span){ text.data + id.size, text.size - id.size };
    return span_starts(text, "-write.") || span_starts(text, "-read.");
}

void darshan_log_drop(const char *document)
{
    char dir[RUN_PATH_MAX];
    const char *slash = strrchr(document, '/');
    const char *end = strrchr(document, '.');
    if (!slash || !end || end < slash ||
        snprintf(dir, sizeof dir, "%.*s", (int)(slash - document), document) >=
            (int)sizeof dir)
        return;
    struct span id = { slash + 1, (size_t)(end - slash - 1) };
    DIR *entries = opendir(dir);
    for (const struct dirent *e; entries && (e = readdir(entries));)
        if (is_of_record(e->d_name, id))
            (void)unlinkat(dirfd(entries), e->d_name, 0);
    if (entries)
        (void)closedir(entries);
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool darshan_log_is_of_all(const char *name)
{
    const char *text = name;
    for (size_t i = 0; i < STAMP_SIZE; i++, text++)
        if (i == 8 ? *text != 'T' : i == 15 ? *text != 'Z' : *text < '0' || *text > '9')
            return false;
    if (*text++ != '-' || strspn(text, "0123456789") == 0)
        return false;
    return strcmp(text + strspn(text, "0123456789"), DARSHAN_LOG_SUFFIX) == 0;
}

/* By the process: a log of a number that is used again stays longer. */
bool darshan_log_is_of(const char *log, const char *document)
{
    const char *process = last_name(log), *other = last_name(document);
    if (!darshan_log_is_of_all(process) || strlen(other) <= STAMP_SIZE)
        return false;
    process += STAMP_SIZE;
    other += STAMP_SIZE;
    size_t size = strlen(process) - strlen(DARSHAN_LOG_SUFFIX);
    return strncmp(process, other, size) == 0 && other[size] == '-';
}
