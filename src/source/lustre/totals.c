/* SPDX-License-Identifier: Apache-2.0 */
/* totals - every total that a server keeps, below a root. */
#include "source/lustre/totals.h"

#include "base/file.h"
#include "source/lustre/targets.h"

#define FILE_BYTES_MAX (1u << 20)

static const struct file {
    const char *name;
    enum lustre_file_form form;
} files[] = {
    { "stats", LUSTRE_FILE_STATS },      { "md_stats", LUSTRE_FILE_STATS },
    { "brw_stats", LUSTRE_FILE_BRW },    { "num_exports", LUSTRE_FILE_WORD },
    { "kbytestotal", LUSTRE_FILE_WORD }, { "kbytesfree", LUSTRE_FILE_WORD },
    { "kbytesavail", LUSTRE_FILE_WORD }, { "filestotal", LUSTRE_FILE_WORD },
    { "filesfree", LUSTRE_FILE_WORD },   { "recovery_status", LUSTRE_FILE_FIELDS },
};
static const struct file health = { "health_check", LUSTRE_FILE_WORD };

struct walk {
    const char *root;
    const struct lustre_totals *totals;
    const struct lustre_device *device; /* NULL: the whole server */
    const struct file *file;
    const char *path;
    struct strbuf text;
};

static int on_reading(void *arg, const struct lustre_reading *reading)
{
    struct walk *w = arg;
    struct lustre_total total = { .file = w->file->name, .reading = *reading };
    if (w->device) {
        total.target = span_of(w->device->name);
        total.kind = w->device->kind;
    }
    return w->totals->total(w->totals->arg, &total);
}

static void on_fault(void *arg, uint64_t line, struct span text)
{
    struct walk *w = arg;
    if (w->totals->fault)
        w->totals->fault(w->totals->arg, w->path, line, text);
}

static int read_file(struct walk *w, const struct file *file, const char *path)
{
    const struct lustre_reader reader = { on_reading, on_fault, w };
    struct err err = { 0 };
    w->file = file;
    w->path = path;
    strbuf_clear(&w->text);
    if (file_read(path, FILE_BYTES_MAX, &w->text, &err) < 0) {
        on_fault(w, 0, span_of(err.text));
        return 0;
    }
    return lustre_read_text(file->form, span_of(file->name), strbuf_span(&w->text),
                            &reader);
}

static int on_device(void *arg, const struct lustre_device *device)
{
    struct walk *w = arg;
    char path[LUSTRE_PATH_MAX];
    w->device = device;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        const char *file = files[i].name;
        int rc = lustre_find_file(w->root, device->folder, device->name, file, path);
        /* An osd's own stats are about the storage, not about the target. */
        if (rc < 0 && files[i].form != LUSTRE_FILE_STATS)
            rc = lustre_find_file(w->root, "osd-*", device->name, file, path);
        if (rc == 0)
            rc = read_file(w, &files[i], path);
        else
            rc = 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

int lustre_read_totals(const char *root, const struct lustre_totals *totals,
                       struct err *err)
{
    struct walk w = { .root = root, .totals = totals };
    char path[LUSTRE_PATH_MAX];
    int rc = 0;
    if (lustre_find_file(root, NULL, NULL, health.name, path) == 0)
        rc = read_file(&w, &health, path);
    if (rc == 0)
        rc = lustre_find_devices(root, on_device, &w, err);
    strbuf_done(&w.text);
    return rc;
}
