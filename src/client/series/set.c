/* SPDX-License-Identifier: Apache-2.0 */
/* set - many files of servers' measures, few of them open at a time. */
#include "client/series/set.h"

#include "base/span.h"

#include "client/series/open.h"
#include "client/series/server.h"

static void file_close(struct series_set *set, struct series_set_file *file)
{
    lmt_series_close(file->series);
    set->open_count -= file->series != NULL;
    file->series = NULL;
}

static int file_open(const struct series_set *set, struct series_set_file *file,
                     struct err *err)
{
    const struct lmt_opts opts = {
        .zone = set->has_text_zone ? &set->text_zone : NULL,
        .clock_offset_s = file->clock_offset_s,
    };
    return series_open(file->path, set->way, &opts, &file->series, err);
}

static int times_read(struct series_set_file *file, struct err *err)
{
    file->from_s = INT64_MAX;
    file->to_s = INT64_MIN;
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        int64_t from_s = 0;
        int64_t to_s = 0;
        int rc = lmt_series_times(file->series, m, &from_s, &to_s, err);
        if (rc == -ENOENT)
            continue;
        if (rc < 0)
            return rc;
        file->reference.has[m] = true;
        file->from_s = from_s < file->from_s ? from_s : file->from_s;
        file->to_s = to_s > file->to_s ? to_s : file->to_s;
        int64_t step_s = lmt_series_step(file->series, m);
        file->step_s = step_s > file->step_s ? step_s : file->step_s;
    }
    return 0;
}

/* What has no path of its own ("mysql:", "map:", a server) keeps the name that was
 * given.
 */
static int reference_make(struct series_set_file *file, const char *zone,
                          struct err *err)
{
    char *path = file->is_server ? NULL : realpath(file->path, NULL);
    if (!path)
        path = span_dup(span_of(file->path));
    if (!path)
        return err_set(err, ENOMEM, "out of memory");
    file->reference.path = path;
    file->reference.zone = zone;
    file->reference.offset_s = file->clock_offset_s;
    return 0;
}

int series_set_open(struct series_set *set, const char **paths, size_t count,
                    const struct series_opts *way, const struct option_list *clocks,
                    struct err *err)
{
    const char *zone = way ? way->zone : NULL;
    *set = (struct series_set){ .way = way };
    int rc = zone ? zone_load(zone, &set->text_zone, err) : 0;
    if (rc < 0)
        return err_prefix(err, rc, "--zone");
    set->has_text_zone = zone != NULL;
    set->files = calloc(count + 1, sizeof *set->files);
    set->chosen = calloc(count + 1, sizeof(void *));
    if (!set->files || !set->chosen)
        return err_set(err, ENOMEM, "out of memory");
    set->count = count;
    for (size_t i = 0; i < count; i++) {
        struct series_set_file *file = &set->files[i];
        file->path = paths[i];
        file->is_server = series_server_is(paths[i]);
        file->clock_offset_s =
            clocks ? clock_list_offset(clocks, "series", file->path) : 0;
        rc = reference_make(file, zone, err);
        if (rc == 0)
            rc = file_open(set, file, err);
        if (rc == 0)
            rc = times_read(file, err);
        lmt_series_close(file->series);
        file->series = NULL;
        if (rc < 0)
            return rc;
    }
    return 0;
}

void series_set_done(struct series_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        lmt_series_close(set->files[i].series);
        free((char *)(uintptr_t)set->files[i].reference.path);
        free((char *)(uintptr_t)set->files[i].reference.fs);
    }
    free(set->files);
    free(set->chosen);
    zone_done(&set->zone);
    zone_done(&set->text_zone);
    *set = (struct series_set){ 0 };
}

/* Of those that are not needed now, those that were used longest ago. */
static void surplus_close(struct series_set *set, uint64_t needed_since)
{
    while (set->open_count > SERIES_SET_OPEN_MAX) {
        struct series_set_file *oldest = NULL;
        for (size_t i = 0; i < set->count; i++) {
            struct series_set_file *file = &set->files[i];
            if (file->series && file->used <= needed_since &&
                (!oldest || file->used < oldest->used))
                oldest = file;
        }
        if (!oldest)
            return;
        file_close(set, oldest);
    }
}

int series_set_assign(struct series_set *set, const struct site_file *site,
                      struct err *err)
{
    const char *zone = site_file_place(site)->zone;
    for (size_t i = 0; i < set->count; i++)
        set->files[i].owner = site_file_owner(site, set->files[i].path);
    int rc = zone ? zone_load(zone, &set->zone, err) : 0;
    set->has_zone = zone && rc == 0;
    return err_prefix(err, rc, "[site] zone");
}

const struct zone *series_set_zone(const struct series_set *set)
{
    return set->has_zone ? &set->zone : NULL;
}

bool series_set_is_of(const struct series_set_file *file,
                      const struct series_request *request)
{
    bool is_own = file->owner == request->owner;
    if (request->scope == SERIES_SCOPE_OWN)
        return is_own || !file->owner;
    return request->scope == SERIES_SCOPE_ALL || (file->owner && is_own);
}

static bool is_requested(const struct series_set_file *file,
                         const struct series_request *request)
{
    if (!series_set_is_of(file, request))
        return false;
    return file->is_server || (file->from_s < request->to_s + file->step_s &&
                               file->to_s > request->from_s);
}

static int fs_choose_in(struct series_set_file *file, const char *fs, struct err *err)
{
    int rc = lmt_series_choose(file->series, fs, err);
    if (rc < 0 || !file->is_server)
        return rc;
    free((char *)(uintptr_t)file->reference.fs);
    file->reference.fs = fs ? span_dup(span_of(fs)) : NULL;
    return fs && !file->reference.fs ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* A guess, such as a job's mount, may be called otherwise than its file system. */
static int fs_choose(struct series_set_file *file, const struct series_request *request,
                     struct err *err)
{
    const struct site_filesystem *of = request->owner;
    const char *guess = request->fs_guess;
    if (request->fs)
        return fs_choose_in(file, request->fs, err);
    if (!guess && of)
        guess = of->fsname ? of->fsname : of->name;
    int rc = fs_choose_in(file, guess, err);
    return rc == -ENOENT ? fs_choose_in(file, NULL, err) : rc;
}

int series_set_get(struct series_set *set, const struct series_request *request,
                   struct lmt_series ***ret, size_t *ret_count, struct strbuf *names,
                   struct err *err)
{
    const uint64_t before = set->uses;
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        struct series_set_file *file = &set->files[i];
        if (!is_requested(file, request))
            continue;
        bool was_open = file->series != NULL;
        int rc = was_open ? 0 : file_open(set, file, err);
        if (rc < 0)
            return rc;
        set->open_count += !was_open;
        rc = fs_choose(file, request, err);
        if (rc < 0)
            return rc;
        file->used = ++set->uses;
        if (names)
            strbuf_addf(names, "%s%s", count > 0 ? " " : "", file->path);
        set->chosen[count++] = file->series;
    }
    surplus_close(set, before);
    set->uses_before = before;
    *ret = set->chosen;
    *ret_count = count;
    return 0;
}

void series_set_reference_print(const struct series_set *set, struct strbuf *out)
{
    size_t count = 0;
    AUTO_FREE struct series_reference_file *files =
        calloc(set->count + 1, sizeof *files);
    if (!files) {
        out->error = -ENOMEM;
        return;
    }
    for (size_t i = 0; i < set->count; i++)
        if (set->files[i].used > set->uses_before)
            files[count++] = set->files[i].reference;
    series_reference_print(files, count, out);
}
