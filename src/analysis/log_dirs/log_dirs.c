/* SPDX-License-Identifier: Apache-2.0 */
/* log_dirs - the directories of logs as a site configures them. */
#include "analysis/log_dirs/log_dirs_private.h"

#include "base/number.h"
#include "base/span.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#define PATTERN_BYTES_MAX 1024

struct darshan_section {
    struct config_list directories;
    uint64_t files_max, bytes_max;
    int64_t time_max_ns;
};

#define OPTS(member) offsetof(struct darshan_section, member)

static const struct config_key darshan_keys[] = {
    { "directory", CONFIG_LIST, OPTS(directories), NULL, 0, 0,
      "Where Darshan writes logs, with %Y, %m and %d for a day; may be repeated. Logs "
      "of a job are found there when its page is requested." },
    { "files_max", CONFIG_COUNT, OPTS(files_max), "200000", 1, 100000000,
      "So many names are looked at for one page at most." },
    { "bytes_max", CONFIG_SIZE, OPTS(bytes_max), "64MiB", 4096, INT64_C(1) << 32,
      "So many bytes of logs are read for one page at most." },
    { "time_max", CONFIG_DURATION, OPTS(time_max_ns), "3s", 10 * NS_PER_MS,
      600 * NS_PER_S, "A page waits no longer for its log." },
};

const struct config_section darshan_config_section = {
    .kind = "darshan",
    .keys = darshan_keys,
    .key_count = COUNT_OF(darshan_keys),
    .help = "Logs of Darshan that barod finds by itself.",
};

static int pattern_check(const char *pattern, struct err *err)
{
    if (pattern[0] != '/' || strlen(pattern) > PATTERN_BYTES_MAX)
        return err_set(err, EINVAL,
                       "darshan.directory: '%.200s' is no absolute path of at most %d "
                       "bytes",
                       pattern, PATTERN_BYTES_MAX);
    for (const char *at = pattern; (at = strchr(at, '%')); at += 2)
        if (!at[1] || !strchr("Ymd%", at[1]))
            return err_set(err, EINVAL,
                           "darshan.directory: '%s': only %%Y, %%m, %%d and %%%% stand "
                           "for something",
                           pattern);
    return 0;
}

static int patterns_read(const struct darshan_section *section, struct log_dirs *dirs,
                         struct err *err)
{
    const struct config_list *list = &section->directories;
    if (list->count > LOG_DIRS_MAX)
        return err_set(err, EINVAL, "darshan.directory: more than %d are named",
                       LOG_DIRS_MAX);
    for (size_t i = 0; i < list->count; i++) {
        int rc = pattern_check(list->items[i], err);
        if (rc < 0)
            return rc;
        dirs->patterns[dirs->count] = strdup(list->items[i]);
        if (!dirs->patterns[dirs->count++])
            return -ENOMEM;
    }
    return 0;
}

int log_dirs_new(const struct config *config, struct log_dirs **ret, struct err *err)
{
    struct darshan_section section = { 0 };
    int rc = config_fill(config, "darshan", NULL, &section, err);
    if (rc < 0 || section.directories.count == 0)
        return rc;
    AUTO(log_dirs_free) struct log_dirs *dirs = calloc(1, sizeof *dirs);
    if (!dirs)
        return -ENOMEM;
    dirs->owners = 1;
    dirs->files_max = section.files_max;
    dirs->bytes_max = section.bytes_max;
    dirs->time_max_ns = section.time_max_ns;
    rc = patterns_read(&section, dirs, err);
    if (rc == 0)
        *ret = TAKE(dirs);
    return rc;
}

struct log_dirs *log_dirs_hold(struct log_dirs *dirs)
{
    atomic_fetch_add(&dirs->owners, 1);
    return dirs;
}

void log_dirs_free(struct log_dirs *dirs)
{
    if (!dirs || atomic_fetch_sub(&dirs->owners, 1) != 1)
        return;
    for (size_t i = 0; i < LOG_DIRS_MAX; i++)
        free(dirs->patterns[i]);
    free(dirs);
}

/* ---- days ---- */

static bool day_print(const char *pattern, const struct tm *day, bool is_padded,
                      struct strbuf *out)
{
    bool differs = false;
    for (const char *at = pattern; *at; at++) {
        if (*at != '%' || !at[1]) {
            strbuf_addc(out, *at);
            continue;
        }
        int value = *++at == 'm' ? day->tm_mon + 1 : day->tm_mday;
        if (*at == 'Y')
            strbuf_addf(out, "%d", day->tm_year + 1900);
        else if (*at == '%')
            strbuf_addc(out, '%');
        else
            strbuf_addf(out, "%0*d", is_padded ? 2 : 1, value);
        differs |= strchr("md", *at) && value < 10;
    }
    strbuf_addc(out, '\0');
    return differs;
}

size_t log_dirs_of_day(const char *pattern, int64_t t_s, struct strbuf *ret)
{
    time_t t = (time_t)t_s;
    struct tm day;
    if (!gmtime_r(&t, &day))
        return 0;
    if (!day_print(pattern, &day, false, ret))
        return 1;
    (void)day_print(pattern, &day, true, ret);
    return 2;
}

/* ---- names ---- */

/* Darshan writes USER_EXE_idJOB_M-D-S-..., and since 3.2 _idJOB-PID_. */
bool log_dirs_is_named(struct span file, struct span id)
{
    static const char mark[] = "_id";
    const size_t mark_size = sizeof mark - 1;
    if (id.size == 0 || !span_ends(file, ".darshan"))
        return false;
    while (file.size > mark_size + id.size) {
        const char *at = memmem(file.data, file.size, mark, mark_size);
        if (!at)
            return false;
        file = span_skip(file, (size_t)(at - file.data) + mark_size);
        if (file.size > id.size && memcmp(file.data, id.data, id.size) == 0 &&
            (file.data[id.size] == '_' || file.data[id.size] == '-'))
            return true;
    }
    return false;
}
