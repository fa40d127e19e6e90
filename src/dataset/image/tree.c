/* SPDX-License-Identifier: Apache-2.0 */
/* tree - whether the files of a directory changed while they were read. */
#include "dataset/image/tree.h"

#include "base/number.h"
#include "base/span.h"
#include "dataset/image/manifest.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>

void tree_done(struct tree *tree)
{
    hashmap_done(&tree->files);
}

/* Every change of a file or of its attributes sets ctime, which no program can set
 * back; it is compared with itself, so that the clock of a file server does not matter.
 */
static uintptr_t state_of(const struct stat *st)
{
    uint64_t changed_ns =
        (uint64_t)st->st_ctim.tv_sec * NS_PER_S + (uint64_t)st->st_ctim.tv_nsec;
    uint64_t state = changed_ns * UINT64_C(0x9E3779B97F4A7C15) + st->st_ino;
    state = state * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)st->st_size;
    return (uintptr_t)(state * UINT64_C(0x9E3779B97F4A7C15) + st->st_dev);
}

typedef int (*tree_fn)(struct tree *tree, const FTSENT *entry, struct err *err);

static int entry_failed(const FTSENT *entry, int errnum, const char *what,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    image_manifest_text(&path, span_of(entry->fts_path));
    return err_set(err, errnum, "'%s'%s", strbuf_text(&path), what);
}

static int tree_walk(const char *directory, struct tree *tree, tree_fn each,
                     struct err *err)
{
    AUTO_FREE char *root = strdup(directory);
    char *roots[] = { root, NULL };
    FTS *walk = root ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    FTSENT *entry;
    char what[128];
    int rc = 0;
    if (!walk)
        return err_set(err, errno, "'%s': %s", directory, strerror(errno));
    while (rc == 0 && (errno = 0, entry = fts_read(walk)) != NULL) {
        (void)snprintf(what, sizeof what, ": %s", strerror(entry->fts_errno));
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR ||
            entry->fts_info == FTS_NS)
            rc = entry_failed(entry, entry->fts_errno, what, err);
        else if (entry->fts_info != FTS_DP)
            rc = each(tree, entry, err);
    }
    if (rc == 0 && errno)
        rc = err_set(err, errno, "'%s': %s", directory, strerror(errno));
    (void)fts_close(walk);
    return rc;
}

static int entry_add(struct tree *tree, const FTSENT *entry, struct err *err)
{
    uintptr_t *state = hashmap_put(
        &tree->files, (struct span){ entry->fts_path, entry->fts_pathlen }, NULL);
    (void)err;
    if (!state)
        return -ENOMEM;
    *state = state_of(entry->fts_statp);
    return 0;
}

/* One that is gone changed its directory. */
static int entry_check(struct tree *tree, const FTSENT *entry, struct err *err)
{
    const uintptr_t *state =
        hashmap_get(&tree->files, (struct span){ entry->fts_path, entry->fts_pathlen });
    if (state && *state == state_of(entry->fts_statp))
        return 0;
    return entry_failed(entry, EBUSY,
                        " changed while it was read: try again when no process writes "
                        "there",
                        err);
}

int tree_read(const char *directory, struct tree *ret, struct err *err)
{
    AUTO(tree_done) struct tree tree = { HASHMAP_INIT };
    int rc = tree_walk(directory, &tree, entry_add, err);
    if (rc < 0)
        return rc;
    *ret = tree;
    tree.files = (struct hashmap)HASHMAP_INIT;
    return 0;
}

int tree_check(const char *directory, const struct tree *before, struct err *err)
{
    return tree_walk(directory, (struct tree *)(uintptr_t)before, entry_check, err);
}
