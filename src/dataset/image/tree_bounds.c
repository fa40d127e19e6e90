/* SPDX-License-Identifier: Apache-2.0 */
/* tree_bounds - whether what was unpacked is of its tree alone, and as large as it may
 * be.
 */
#include "dataset/image/tree_bounds.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "dataset/image/manifest.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

struct bounds {
    struct hashmap links; /* an inode -> how many of its names were not met yet */
    unsigned long long bytes;
};

static void bounds_done(struct bounds *bounds)
{
    hashmap_done(&bounds->links);
}
DEFINE_AUTO_DONE(struct bounds, bounds_done);

int tree_space_check(const char *root, unsigned long long wanted, struct err *err)
{
    struct statvfs fs;
    char have[FIGURE_SIZE], need[FIGURE_SIZE];
    if (statvfs(root, &fs) < 0)
        return err_set(err, errno, "'%s': %s", root, strerror(errno));
    unsigned long long free_bytes = (unsigned long long)fs.f_bavail * fs.f_frsize;
    unsigned long long reserve =
        (unsigned long long)fs.f_blocks * fs.f_frsize / 100 * TREE_RESERVE_PERCENT;
    free_bytes -= free_bytes < reserve ? free_bytes : reserve;
    if (wanted < free_bytes)
        return 0;
    figure_print_bytes(have, sizeof have, (double)free_bytes);
    figure_print_bytes(need, sizeof need, (double)wanted);
    return err_set(err, ENOSPC,
                   "'%s': %s more are needed, and %s may be used (%d %% of the file "
                   "system stay free)",
                   root, need, have, TREE_RESERVE_PERCENT);
}

/* A file of several names is counted down by each of them that is met. */
static int file_count(struct bounds *bounds, const FTSENT *entry)
{
    const struct stat *st = entry->fts_statp;
    const struct {
        dev_t device;
        ino_t inode;
    } key = { st->st_dev, st->st_ino };
    bool is_new = false;
    if (st->st_nlink > 1) {
        uintptr_t *left = hashmap_put(
            &bounds->links, (struct span){ (const char *)&key, sizeof key }, &is_new);
        if (!left)
            return -ENOMEM;
        if (is_new)
            *left = st->st_nlink;
        --*left;
        if (!is_new)
            return 0;
    }
    if (S_ISREG(st->st_mode))
        bounds->bytes += (unsigned long long)st->st_size;
    return 0;
}

/* Which one leads out is found again: names are not stored. */
static int outside_name(const struct bounds *bounds, const FTSENT *entry,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    const struct stat *st = entry->fts_statp;
    const struct {
        dev_t device;
        ino_t inode;
    } key = { st->st_dev, st->st_ino };
    if (st->st_nlink < 2)
        return 0;
    const uintptr_t *left =
        hashmap_get(&bounds->links, (struct span){ (const char *)&key, sizeof key });
    if (!left || *left == 0)
        return 0;
    image_manifest_text(&path, span_of(entry->fts_name));
    return err_set(err, EBADMSG, "'%s' is a link to a file outside of the directory",
                   strbuf_text(&path));
}

static int tree_pass(const char *root, struct bounds *bounds, bool names_outside,
                     struct err *err)
{
    AUTO_FREE char *copy = strdup(root);
    char *roots[] = { copy, NULL };
    FTS *walk = copy ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    FTSENT *entry;
    int rc = 0;
    if (!walk)
        return err_set(err, errno, "'%s': %s", root, strerror(errno));
    while (rc == 0 && (errno = 0, entry = fts_read(walk)) != NULL) {
        if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS ||
            entry->fts_info == FTS_DNR)
            rc = err_set(err, entry->fts_errno, "'%s': %s", entry->fts_path,
                         strerror(entry->fts_errno));
        else if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP)
            rc = names_outside ? outside_name(bounds, entry, err)
                               : file_count(bounds, entry);
    }
    (void)fts_close(walk);
    return rc;
}

int tree_bounds_check(const char *root, struct err *err)
{
    AUTO(bounds_done) struct bounds bounds = { .links = HASHMAP_INIT };
    int rc = tree_pass(root, &bounds, false, err);
    if (rc == 0)
        rc = tree_pass(root, &bounds, true, err);
    return rc < 0 ? rc : tree_space_check(root, bounds.bytes, err);
}
