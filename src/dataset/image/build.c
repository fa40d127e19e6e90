/* SPDX-License-Identifier: Apache-2.0 */
/* build - an EROFS image out of a directory, by mkfs.erofs in a confined process. */
#include "dataset/image/build.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "dataset/image/manifest.h"
#include "dataset/image/tool.h"
#include "dataset/image/tree.h"

#include <string.h>
#include <sys/stat.h>

#define IMAGE_BUILD_PACKAGE "erofs-utils"

/* 1.5 prints "mkfs.erofs 1.5" before it refuses the option; later ones
 * "mkfs.erofs (erofs-utils) 1.7" and more lines. */
void image_build_version(char *out, size_t size)
{
    char *const arguments[] = { (char *)IMAGE_BUILD_TOOL, (char *)"--version", NULL };
    const struct image_tool tool = { .package = IMAGE_BUILD_PACKAGE,
                                     .arguments = arguments,
                                     .reads_output = true };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    (void)snprintf(out, size, IMAGE_BUILD_TOOL);
    /* 1.5 fails after it. */
    (void)image_tool_run(&tool, &text, NULL);
    struct span rest = strbuf_span(&text), line, word = SPAN("");
    (void)span_cut(&rest, '\n', &line);
    if (!span_starts(line, IMAGE_BUILD_TOOL " "))
        return;
    while (line.size)
        (void)span_cut(&line, ' ', &word);
    AUTO(strbuf_done) struct strbuf version = STRBUF_INIT;
    image_manifest_text(&version, span_trim(word));
    (void)snprintf(out, size, IMAGE_BUILD_TOOL " %s", strbuf_text(&version));
}

static int image_make(char *path, char *image, struct err *err)
{
    char *const arguments[] = { (char *)IMAGE_BUILD_TOOL,
                                (char *)"--quiet",
                                (char *)"-T0",
                                (char *)"-U",
                                (char *)"00000000-0000-0000-0000-000000000000",
                                (char *)"--all-root",
                                (char *)"-x-1",
                                (char *)"--chunksize=65536",
                                image,
                                path,
                                NULL };
    const struct image_tool tool = { .package = IMAGE_BUILD_PACKAGE,
                                     .arguments = arguments };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(tree_done) struct tree before = { HASHMAP_INIT };
    struct err why = { 0 };
    int rc = tree_read(path, &before, err);
    if (rc < 0)
        return rc;
    int made = image_tool_run(&tool, &text, &why);
    /* First: where a file became shorter this is the reason, not what the tool reports.
     */
    rc = tree_check(path, &before, err);
    return rc < 0 || made == 0 ? rc : err_set(err, -made, "%s", why.text);
}

int image_build(const char *directory, const char *image_path, struct err *err)
{
    struct stat st;
    if (stat(directory, &st) < 0)
        return err_set(err, errno, "'%s': %s", directory, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return err_set(
            err, ENOTDIR,
            "'%s' is not a directory: name the directory of the files, or see "
            "baro dataset import",
            directory);
    AUTO_FREE char *path = realpath(directory, NULL); /* no word that begins with - */
    if (!path)
        return err_set(err, errno, "'%s': %s", directory, strerror(errno));
    AUTO_FREE char *image = strdup(image_path);
    if (!image)
        return -ENOMEM;
    return image_make(path, image, err);
}
