/* SPDX-License-Identifier: Apache-2.0 */
/* tree_modes - directories that their owner may not write, opened for a while. */
#include "dataset/image/tree_modes.h"

#include "base/span.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#define MODE_BITS 07777U

typedef int (*directory_fn)(struct tree_modes *modes, const FTSENT *entry);

/* info: FTS_D before what is in it, FTS_DP after that. */
static int directories_walk(struct tree_modes *modes, const char *root, int info,
                            directory_fn each, struct err *err)
{
    AUTO_FREE char *copy = strdup(root);
    char *roots[] = { copy, NULL };
    FTS *walk = copy ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    FTSENT *entry;
    int rc = 0;
    if (!walk)
        return err_set(err, errno, "'%s': %s", root, strerror(errno));
    while (rc == 0 && (errno = 0, entry = fts_read(walk)) != NULL)
        if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
            rc = err_set(err, entry->fts_errno, "'%s': %s", entry->fts_path,
                         strerror(entry->fts_errno));
        else if (entry->fts_info == info)
            rc = each(modes, entry);
    if (rc == 0 && errno)
        rc = -errno;
    (void)fts_close(walk);
    return rc < 0 && !err->text[0] ? err_set(err, -rc, "'%s': %s", root, strerror(-rc))
                                   : rc;
}

static struct span walked_path(const FTSENT *entry)
{
    return (struct span){ entry->fts_path, entry->fts_pathlen };
}

/* One that was opened and has another mode now got it from a later layer. */
static int directory_open(struct tree_modes *modes, const FTSENT *entry)
{
    uintptr_t mode = entry->fts_statp->st_mode & MODE_BITS;
    uintptr_t *known = hashmap_get(&modes->modes, walked_path(entry));
    if (known && mode != (*known | S_IRWXU))
        *known = mode;
    if ((mode & S_IRWXU) == S_IRWXU)
        return 0;
    if (!known && !(known = hashmap_put(&modes->modes, walked_path(entry), NULL)))
        return -ENOMEM;
    *known = mode;
    return chmod(entry->fts_accpath, (mode_t)(mode | S_IRWXU)) < 0 ? -errno : 0;
}

static int directory_close(struct tree_modes *modes, const FTSENT *entry)
{
    const uintptr_t *known = hashmap_get(&modes->modes, walked_path(entry));
    return known && chmod(entry->fts_accpath, (mode_t)*known) < 0 ? -errno : 0;
}

int tree_modes_open(struct tree_modes *modes, const char *root, struct err *err)
{
    return directories_walk(modes, root, FTS_D, directory_open, err);
}

int tree_modes_close(struct tree_modes *modes, const char *root, struct err *err)
{
    int rc = tree_modes_open(modes, root, err); /* what the last layer set */
    return rc < 0 ? rc : directories_walk(modes, root, FTS_DP, directory_close, err);
}

void tree_modes_done(struct tree_modes *modes)
{
    hashmap_done(&modes->modes);
}
