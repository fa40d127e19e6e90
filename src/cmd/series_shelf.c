/* SPDX-License-Identifier: Apache-2.0 */
/* series_shelf - many files of servers' measures, few of them open at a time. */
#include "cmd/series_shelf.h"

#include "cmd/series_text.h"

static void put_back(struct series_shelf *shelf, struct shelf_file *file)
{
    lmt_series_close(file->series);
    shelf->open_count -= file->series != NULL;
    file->series = NULL;
}

static int file_open(const struct series_shelf *shelf, struct shelf_file *file,
                     struct err *err)
{
    const struct lmt_opts opts = {
        .zone = shelf->has_text_zone ? &shelf->text_zone : NULL,
        .clock_offset_s = file->clock_offset_s,
    };
    return series_open(file->path, shelf->way, &opts, &file->series, err);
}

static int times_read(struct shelf_file *file, struct err *err)
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

/* What has no path of its own ("mysql:", "map:", a server) is called as it was given.
 */
static int reference_make(struct shelf_file *file, const char *zone, struct err *err)
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

int series_shelf_open(struct series_shelf *shelf, const char **paths, size_t count,
                      const struct series_way *way, const struct option_list *clocks,
                      struct err *err)
{
    const char *zone = way ? way->zone : NULL;
    *shelf = (struct series_shelf){ .way = way };
    int rc = zone ? zone_load(zone, &shelf->text_zone, err) : 0;
    if (rc < 0)
        return err_prefix(err, rc, "--zone");
    shelf->has_text_zone = zone != NULL;
    shelf->files = calloc(count + 1, sizeof *shelf->files);
    shelf->taken = calloc(count + 1, sizeof(void *));
    if (!shelf->files || !shelf->taken)
        return err_set(err, ENOMEM, "out of memory");
    shelf->count = count;
    for (size_t i = 0; i < count; i++) {
        struct shelf_file *file = &shelf->files[i];
        file->path = paths[i];
        file->is_server = series_server_is(paths[i]);
        file->clock_offset_s =
            clocks ? clock_list_offset(clocks, "series", file->path) : 0;
        rc = reference_make(file, zone, err);
        if (rc == 0)
            rc = file_open(shelf, file, err);
        if (rc == 0)
            rc = times_read(file, err);
        lmt_series_close(file->series);
        file->series = NULL;
        if (rc < 0)
            return rc;
    }
    return 0;
}

void series_shelf_done(struct series_shelf *shelf)
{
    for (size_t i = 0; i < shelf->count; i++) {
        lmt_series_close(shelf->files[i].series);
        free((char *)(uintptr_t)shelf->files[i].reference.path);
        free((char *)(uintptr_t)shelf->files[i].reference.fs);
    }
    free(shelf->files);
    free(shelf->taken);
    zone_done(&shelf->zone);
    zone_done(&shelf->text_zone);
    *shelf = (struct series_shelf){ 0 };
}

/* Of those that are not needed now, the ones that nobody used for longest. */
static void clear_up(struct series_shelf *shelf, uint64_t needed_since)
{
    while (shelf->open_count > SERIES_SHELF_OPEN_MAX) {
        struct shelf_file *oldest = NULL;
        for (size_t i = 0; i < shelf->count; i++) {
            struct shelf_file *file = &shelf->files[i];
            if (file->series && file->used <= needed_since &&
                (!oldest || file->used < oldest->used))
                oldest = file;
        }
        if (!oldest)
            return;
        put_back(shelf, oldest);
    }
}

int series_shelf_share(struct series_shelf *shelf, const struct site_file *site,
                       struct err *err)
{
    const char *zone = site_file_place(site)->zone;
    for (size_t i = 0; i < shelf->count; i++)
        shelf->files[i].owner = site_file_owner(site, shelf->files[i].path);
    int rc = zone ? zone_load(zone, &shelf->zone, err) : 0;
    shelf->has_zone = zone && rc == 0;
    return err_prefix(err, rc, "[site] zone");
}

const struct zone *series_shelf_zone(const struct series_shelf *shelf)
{
    return shelf->has_zone ? &shelf->zone : NULL;
}

bool series_shelf_is_whose(const struct shelf_file *file, const struct shelf_wish *wish)
{
    bool is_own = file->owner == wish->owner;
    if (wish->whose == SHELF_OWN)
        return is_own || !file->owner;
    return wish->whose == SHELF_ALL || (file->owner && is_own);
}

static bool is_wished(const struct shelf_file *file, const struct shelf_wish *wish)
{
    if (!series_shelf_is_whose(file, wish))
        return false;
    return file->is_server ||
           (file->from_s < wish->to_s + file->step_s && file->to_s > wish->from_s);
}

static int fs_choose_in(struct shelf_file *file, const char *fs, struct err *err)
{
    int rc = lmt_series_choose(file->series, fs, err);
    if (rc < 0 || !file->is_server)
        return rc;
    free((char *)(uintptr_t)file->reference.fs);
    file->reference.fs = fs ? span_dup(span_of(fs)) : NULL;
    return fs && !file->reference.fs ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* A guess, such as a job's mount, may be called otherwise than its file system. */
static int fs_choose(struct shelf_file *file, const struct shelf_wish *wish,
                     struct err *err)
{
    const struct site_filesystem *of = wish->owner;
    const char *guess = wish->fs_guess;
    if (wish->fs)
        return fs_choose_in(file, wish->fs, err);
    if (!guess && of)
        guess = of->fsname ? of->fsname : of->name;
    int rc = fs_choose_in(file, guess, err);
    return rc == -ENOENT ? fs_choose_in(file, NULL, err) : rc;
}

int series_shelf_take(struct series_shelf *shelf, const struct shelf_wish *wish,
                      struct lmt_series ***ret, size_t *ret_count, struct strbuf *names,
                      struct err *err)
{
    const uint64_t before = shelf->uses;
    size_t count = 0;
    for (size_t i = 0; i < shelf->count; i++) {
        struct shelf_file *file = &shelf->files[i];
        if (!is_wished(file, wish))
            continue;
        bool was_open = file->series != NULL;
        int rc = was_open ? 0 : file_open(shelf, file, err);
        if (rc < 0)
            return rc;
        shelf->open_count += !was_open;
        rc = fs_choose(file, wish, err);
        if (rc < 0)
            return rc;
        file->used = ++shelf->uses;
        if (names)
            strbuf_addf(names, "%s%s", count > 0 ? " " : "", file->path);
        shelf->taken[count++] = file->series;
    }
    clear_up(shelf, before);
    shelf->uses_before = before;
    *ret = shelf->taken;
    *ret_count = count;
    return 0;
}

void series_shelf_refer(const struct series_shelf *shelf, struct strbuf *out)
{
    size_t count = 0;
    AUTO_FREE struct series_reference_file *files =
        calloc(shelf->count + 1, sizeof *files);
    if (!files) {
        out->error = -ENOMEM;
        return;
    }
    for (size_t i = 0; i < shelf->count; i++)
        if (shelf->files[i].used > shelf->uses_before)
            files[count++] = shelf->files[i].reference;
    series_reference_print(files, count, out);
}
