/* SPDX-License-Identifier: Apache-2.0 */
/* totals - every total that a server keeps, below a root. */
#include "source/lustre/totals.h"

#include "base/file.h"
#include "base/span.h"
#include "source/lustre/targets.h"

#include <ctype.h>

#define FILE_BYTES_MAX (1u << 20)

static const struct file {
    const char *name;
    enum lustre_file_form form;
} files[] = {
    { "stats", LUSTRE_FILE_STATS },
    { "md_stats", LUSTRE_FILE_STATS },
    { "brw_stats", LUSTRE_FILE_BRW },
    { "num_exports", LUSTRE_FILE_WORD },
    { "kbytestotal", LUSTRE_FILE_WORD },
    { "kbytesfree", LUSTRE_FILE_WORD },
    { "kbytesavail", LUSTRE_FILE_WORD },
    { "filestotal", LUSTRE_FILE_WORD },
    { "filesfree", LUSTRE_FILE_WORD },
    { "recovery_status", LUSTRE_FILE_FIELDS },
    { "changelog_users", LUSTRE_FILE_CHANGELOG },
};
static const struct file health = { "health_check", LUSTRE_FILE_HEALTH };

struct walk {
    const struct lustre_totals *totals;
    struct span target; /* empty: the whole server */
    enum target_kind kind;
    const struct file *file; /* NULL: none of these */
    const char *path;
    struct strbuf text;
};

/* "obdfilter.scratch-OST0001.stats" taken apart; the storage below a target is reported
 * by the target's own name.  Errors: -EINVAL (it is no total). */
static int parse_param(struct walk *w, struct span param)
{
    struct span rest = param, device;
    struct target_name name;
    w->target = (struct span){ 0 };
    if (span_is(param, health.name)) {
        w->file = &health;
        return 0;
    }
    if (!span_cut(&rest, '.', &device) || rest.size == 0)
        return -EINVAL;
    bool is_osd = device.size > 4 && memcmp(device.data, "osd-", 4) == 0;
    bool is_mdt =
        span_is(device, "mdt") || span_is(device, "mds") || span_is(device, "mdd");
    if (!is_osd && !is_mdt && !span_is(device, "obdfilter"))
        return -EINVAL;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        size_t size = strlen(files[i].name);
        if (!span_ends(rest, files[i].name) || rest.size < size + 2 ||
            rest.data[rest.size - size - 1] != '.')
            continue;
        w->file = &files[i];
        w->target = (struct span){ rest.data, rest.size - size - 1 };
        w->kind = is_mdt ? TARGET_MDT : TARGET_OST;
        if (is_osd && target_parse(w->target, &name) == 0)
            w->kind = name.kind;
        /* "stats" is the end of "md_stats" too, but a name has no dot before it. */
        return memchr(w->target.data, '.', w->target.size) ? -EINVAL : 0;
    }
    return -EINVAL;
}

static int on_reading(void *arg, const struct lustre_reading *reading)
{
    struct walk *w = arg;
    struct lustre_total total = {
        .target = w->target, .kind = w->kind, .file = w->file->name, .reading = *reading
    };
    struct target_name name;
    if (w->file == &health && target_parse(reading->bucket, &name) == 0) {
        total.target = reading->bucket;
        total.kind = name.kind;
        total.reading.bucket = (struct span){ 0 };
    }
    return w->totals->total(w->totals->arg, &total);
}

static void on_fault(void *arg, uint64_t line, struct span text)
{
    struct walk *w = arg;
    if (w->totals->fault)
        w->totals->fault(w->totals->arg, w->path, line, text);
}

static int read_file(struct walk *w, const char *path)
{
    const struct file *file = w->file;
    const struct lustre_reader reader = { on_reading, on_fault, w };
    struct err err = { 0 };
    w->path = path;
    strbuf_clear(&w->text);
    if (file_read(path, FILE_BYTES_MAX, &w->text, &err) < 0) {
        on_fault(w, 0, span_of(err.text));
        return 0;
    }
    return lustre_read_text(file->form, span_of(file->name), strbuf_span(&w->text),
                            &reader);
}

/* ---- files below a root ---- */

struct search {
    const char *root;
    lustre_total_file_fn *fn;
    void *arg;
};

static int tell_file(const struct search *s, const struct lustre_device *device,
                     const char *file, const char *path)
{
    char param[LUSTRE_PATH_MAX];
    int n = device ? snprintf(param, sizeof param, "%s.%s.%s", device->folder,
                              device->name, file)
                   : snprintf(param, sizeof param, "%s", file);
    if (n < 0 || (size_t)n >= sizeof param)
        return -ENAMETOOLONG;
    return s->fn(s->arg, param, path);
}

static int on_device(void *arg, const struct lustre_device *device)
{
    const struct search *s = arg;
    char path[LUSTRE_PATH_MAX];
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        const char *file = files[i].name;
        int rc = lustre_find_file(s->root, device->folder, device->name, file, path);
        /* An osd's own stats are about the storage, not about the target. */
        if (rc < 0 && files[i].form != LUSTRE_FILE_STATS)
            rc = lustre_find_file(
                s->root, files[i].form == LUSTRE_FILE_CHANGELOG ? "mdd" : "osd-*",
                device->name, file, path);
        if (rc == 0)
            rc = tell_file(s, device, file, path);
        else
            rc = 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

int lustre_find_total_files(const char *root, lustre_total_file_fn *fn, void *arg,
                            struct err *err)
{
    struct search search = { root, fn, arg };
    char path[LUSTRE_PATH_MAX];
    int rc = 0;
    if (lustre_find_file(root, NULL, NULL, health.name, path) == 0)
        rc = tell_file(&search, NULL, health.name, path);
    return rc < 0 ? rc : lustre_find_devices(root, on_device, &search, err);
}

static int read_found(void *arg, const char *param, const char *path)
{
    struct walk *w = arg;
    if (parse_param(w, span_of(param)) < 0)
        return 0;
    return read_file(w, path);
}

int lustre_read_totals(const char *root, const struct lustre_totals *totals,
                       struct err *err)
{
    struct walk w = { .totals = totals };
    int rc = lustre_find_total_files(root, read_found, &w, err);
    strbuf_done(&w.text);
    return rc;
}

/* ---- a text of get_param ---- */

static bool is_param_name(struct span name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!isalnum((unsigned char)name.data[i]) && !memchr("._-:@", name.data[i], 5))
            return false;
    return name.size > 0;
}

/* A line "PARAMETER=" or "PARAMETER=value": what follows the sign; w->file is NULL
 * where the parameter is no total, and its lines are passed over. */
static bool is_param_line(struct walk *w, struct span line, struct span *ret_value)
{
    struct span name, value = line;
    if (!memchr(line.data, '=', line.size) || !span_cut(&value, '=', &name) ||
        !is_param_name(name))
        return false;
    if (parse_param(w, name) < 0)
        w->file = NULL;
    *ret_value = value;
    return true;
}

static int read_value(struct walk *w, const char *from, const char *end)
{
    char param[LUSTRE_PATH_MAX];
    if (!w->file)
        return 0;
    (void)snprintf(param, sizeof param, SPAN_FMT "%s%s", SPAN_ARG(w->target),
                   w->target.size > 0 ? "." : "", w->file->name);
    w->path = param;
    const struct lustre_reader reader = { on_reading, on_fault, w };
    struct span text = { from, (size_t)(end - from) };
    return lustre_read_text(w->file->form, span_of(w->file->name),
                            w->file->form == LUSTRE_FILE_WORD ? span_trim(text) : text,
                            &reader);
}

int lustre_read_totals_text(struct span text, const struct lustre_totals *totals)
{
    struct walk w = { .totals = totals };
    struct span rest = text, line, value;
    const char *from = text.data;
    int rc = 0;
    while (rc == 0 && rest.size > 0) {
        struct walk next = w;
        (void)span_cut(&rest, '\n', &line);
        if (!is_param_line(&next, line, &value))
            continue;
        rc = read_value(&w, from, line.data);
        w = next;
        from = value.data;
    }
    return rc == 0 ? read_value(&w, from, text.data + text.size) : rc;
}
