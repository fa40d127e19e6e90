/* SPDX-License-Identifier: Apache-2.0 */
/* source - what a dataset is made of, as a directory. */
#include "dataset/image/source.h"

#include "base/file.h"
#include "base/span.h"
#include "dataset/image/layer.h"
#include "dataset/image/oci.h"
#include "dataset/image/tool.h"
#include "dataset/image/tree_bounds.h"
#include "dataset/image/tree_modes.h"
#include "dataset/image/tree_remove.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what it is ---- */

#define EROFS_MAGIC_AT 1024
#define EROFS_MAGIC "\xe2\xe1\xf5\xe0"
#define SQUASHFS_MAGIC "hsqs"
#define MAGIC_SIZE 4

static bool has_magic(const char *path, off_t at, const char *magic)
{
    char bytes[MAGIC_SIZE];
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && pread(fd, bytes, sizeof bytes, at) == MAGIC_SIZE &&
           memcmp(bytes, magic, MAGIC_SIZE) == 0;
}

/* ---- unpacked ---- */

static int layers_unpack(const char *layout, const char *name, const char *tree,
                         struct err *err)
{
    AUTO(tree_modes_done) struct tree_modes modes = { HASHMAP_INIT };
    AUTO_FREE struct oci_layers *layers = calloc(1, sizeof *layers);
    char path[OCI_PATH_SIZE];
    int rc = layers ? oci_layers_find(layout, name, layers, err) : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < layers->count; i++) {
        const struct layer layer = { path, tree, true };
        rc = oci_blob(layout, &layers->digests[i], path, err);
        if (rc == 0)
            rc = layer_unpack(&layer, err);
        if (rc < 0)
            return err_prefix(err, rc, "layer %zu", i + 1);
        rc = tree_modes_open(&modes, tree, err);
        if (rc == 0) /* each: a later one could replace what leads out */
            rc = tree_bounds_check(tree, err);
    }
    return rc < 0 ? rc : tree_modes_close(&modes, tree, err);
}

static int squashfs_unpack(char *image, const char *tree, struct err *err)
{
    char *const arguments[] = { (char *)"unsquashfs",
                                (char *)"-no-progress",
                                (char *)"-no-xattrs",
                                (char *)"-force",
                                (char *)"-dest",
                                (char *)".",
                                image,
                                NULL };
    const struct image_tool tool = { .package = "squashfs-tools",
                                     .arguments = arguments,
                                     .directory = tree };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = image_tool_run(&tool, &text, err);
    return rc < 0 ? rc : tree_bounds_check(tree, err);
}

static int file_unpack(char *path, const char *tree, const char **ret_kind,
                       struct err *err)
{
    if (has_magic(path, EROFS_MAGIC_AT, EROFS_MAGIC))
        return err_set(err, EINVAL,
                       "'%s' is an EROFS image: 'baro dataset import' adds it", path);
    if (has_magic(path, 0, SQUASHFS_MAGIC)) {
        *ret_kind = "squashfs";
        return squashfs_unpack(path, tree, err);
    }
    *ret_kind = "tar";
    const struct layer layer = { path, tree, false };
    int rc = layer_unpack(&layer, err);
    return rc < 0 ? rc : tree_bounds_check(tree, err);
}

/* ---- which ---- */

/* "LAYOUT:NAME", where there is no file of all that: NULL, or NAME, which is cut off.
 */
static char *name_cut(char *path)
{
    struct stat st;
    char *colon = strrchr(path, ':');
    if (!colon || stat(path, &st) == 0)
        return NULL;
    *colon = '\0';
    if (oci_is_layout(path))
        return colon + 1;
    *colon = ':';
    return NULL;
}

static int unpack(const char *path, struct image_source *source, struct err *err)
{
    AUTO_FREE char *copy = strdup(path);
    struct stat st;
    if (!copy)
        return -ENOMEM;
    const char *name = name_cut(copy);
    AUTO_FREE char *real = realpath(copy, NULL); /* no word that begins with - */
    if (!real || stat(real, &st) < 0)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return err_set(err, EINVAL, "'%s' is neither a directory nor a file", path);
    if (S_ISDIR(st.st_mode)) {
        source->kind = "oci-layout";
        return layers_unpack(real, name, source->unpacked, err);
    }
    return file_unpack(real, source->unpacked, &source->kind, err);
}

int image_source_open(const char *path, const char *scratch, struct image_source *ret,
                      struct err *err)
{
    AUTO(image_source_done) struct image_source source = { .kind = "" };
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) && !oci_is_layout(path)) {
        *ret = (struct image_source){ .directory = path, .kind = "" };
        return 0;
    }
    if (asprintf(&source.unpacked, "%s/tree", scratch) < 0) {
        source.unpacked = NULL;
        return -ENOMEM;
    }
    if (mkdir(source.unpacked, 0755) < 0)
        return err_set(err, errno, "create '%s': %s", source.unpacked, strerror(errno));
    char *real = realpath(source.unpacked, NULL);
    if (!real)
        return err_set(err, errno, "'%s': %s", source.unpacked, strerror(errno));
    free(source.unpacked);
    source.unpacked = real;
    int rc = unpack(path, &source, err);
    if (rc < 0)
        return rc;
    *ret = source;
    ret->directory = ret->unpacked;
    source.unpacked = NULL;
    return 0;
}

void image_source_done(struct image_source *source)
{
    if (source->unpacked)
        (void)chmod(source->unpacked, S_IRWXU); /* what was unpacked may have set it */
    AUTO_CLOSE int fd =
        source->unpacked
            ? open(source->unpacked, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            : -1;
    if (fd >= 0) {
        tree_remove_below(fd);
        (void)rmdir(source->unpacked);
    }
    free(source->unpacked);
    source->unpacked = NULL;
}
