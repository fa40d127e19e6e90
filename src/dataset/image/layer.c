/* SPDX-License-Identifier: Apache-2.0 */
/* layer - an archive of tar unpacked over a tree, as a layer of an OCI image is. */
#include "dataset/image/layer.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "dataset/image/manifest.h"
#include "dataset/image/tool.h"
#include "dataset/image/tree_remove.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#define WHITEOUT ".wh."
#define OPAQUE ".wh..wh..opq"

struct layer_names {
    const struct layer *layer;
    int tree_fd;
    char checked[PATH_MAX]; /* the last directory that was seen to be in the tree */
};

/* ---- names as tar prints them ---- */

static char *octal_add(char *out, const char **at)
{
    unsigned value = 0;
    for (int i = 0; i < 3 && **at >= '0' && **at <= '7'; i++)
        value = value * 8 + (unsigned)(*(*at)++ - '0');
    *out = (char)value;
    return out + 1;
}

/* In place: \n, \\, \303 as the escape style of GNU tar has them.  false: it has a NUL,
 * or is too long. */
static bool name_unescape(struct span line, char *out)
{
    static const char letters[] = "a\ab\bf\fn\nr\rt\tv\v";
    char text[PATH_MAX];
    if (line.size >= sizeof text)
        return false;
    (void)snprintf(text, sizeof text, SPAN_FMT, SPAN_ARG(line));
    char *const begin = out;
    for (const char *at = text; *at;) {
        if (*at != '\\' || !at[1]) {
            *out++ = *at++;
            continue;
        }
        at++;
        const char *letter = strchr(letters, *at);
        if (*at >= '0' && *at <= '7') {
            out = octal_add(out, &at);
        } else if (letter && (letter - letters) % 2 == 0) {
            *out++ = letter[1];
            at++;
        } else {
            *out++ = *at++;
        }
    }
    *out = '\0';
    return strlen(begin) == (size_t)(out - begin);
}

/* ---- where a name leads ---- */

static int leads_out(const char *name, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    image_manifest_text(&text, span_of(name));
    return err_set(err, EBADMSG, "'%s' leads out of the directory", strbuf_text(&text));
}

static bool has_parent_step(const char *name)
{
    for (const char *at = name; (at = strstr(at, "..")) != NULL; at += 2)
        if ((at == name || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
            return true;
    return false;
}

/* Links of layers below may lead anywhere, and tar follows them. */
static int directory_check(struct layer_names *names, const char *directory,
                           struct err *err)
{
    char path[PATH_MAX], real[PATH_MAX];
    size_t size = strlen(names->layer->tree);
    if (strcmp(names->checked, directory) == 0)
        return 0;
    if (snprintf(path, sizeof path, "%s/%s", names->layer->tree, directory) >=
        (int)sizeof path)
        return leads_out(directory, err);
    if (!realpath(path, real)) /* it is made by this layer, or by none */
        return 0;
    if (strncmp(real, names->layer->tree, size) != 0 ||
        (real[size] != '/' && real[size] != '\0'))
        return leads_out(directory, err);
    (void)snprintf(names->checked, sizeof names->checked, "%s", directory);
    return 0;
}

/* ---- what it replaces ---- */

static int directory_open(const struct layer_names *names, const char *directory)
{
    return openat(names->tree_fd, *directory ? directory : ".",
                  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void whiteout(const struct layer_names *names, const char *directory,
                     const char *base)
{
    AUTO_CLOSE int fd = directory_open(names, directory);
    const char *name = base + sizeof WHITEOUT - 1;
    if (fd < 0)
        return;
    if (strcmp(base, OPAQUE) == 0)
        tree_remove_below(fd);
    else if (*name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        tree_remove_at(fd, name);
}

static void directory_replace(const struct layer_names *names, const char *name)
{
    struct stat st;
    if (fstatat(names->tree_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(st.st_mode))
        tree_remove_at(names->tree_fd, name);
}

static int name_apply(struct layer_names *names, char *name, struct err *err)
{
    char directory[PATH_MAX] = "";
    while (*name == '/' || (name[0] == '.' && name[1] == '/'))
        name++;
    size_t size = strlen(name);
    bool is_directory = size > 0 && name[size - 1] == '/';
    while (size > 0 && name[size - 1] == '/')
        name[--size] = '\0';
    if (has_parent_step(name))
        return leads_out(name, err);
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    if (slash)
        (void)snprintf(directory, sizeof directory, "%.*s", (int)(slash - name), name);
    int rc = directory_check(names, directory, err);
    if (rc < 0 || size == 0 || strcmp(name, ".") == 0)
        return rc;
    if (names->layer->has_whiteouts && strncmp(base, WHITEOUT, 4) == 0)
        whiteout(names, directory, base);
    else if (!is_directory)
        directory_replace(names, name);
    return 0;
}

static int names_apply(const struct layer *layer, struct span listed, struct err *err)
{
    struct layer_names names = { .layer = layer, .tree_fd = -1, .checked = "\n" };
    char name[PATH_MAX];
    struct span line;
    int rc = 0;
    AUTO_CLOSE int tree_fd = open(layer->tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tree_fd < 0)
        return err_set(err, errno, "'%s': %s", layer->tree, strerror(errno));
    names.tree_fd = tree_fd;
    while (rc == 0 && listed.size > 0) {
        (void)span_cut(&listed, '\n', &line);
        rc = name_unescape(line, name)
                 ? name_apply(&names, name, err)
                 : err_set(err, EBADMSG, "a name that is too long, or has a NUL");
    }
    return rc;
}

/* ---- tar ---- */

int layer_unpack(const struct layer *layer, struct err *err)
{
    char *const list[] = { (char *)"tar",
                           (char *)"--list",
                           (char *)"--quoting-style=escape",
                           (char *)"--file",
                           (char *)(uintptr_t)layer->archive,
                           NULL };
    char *const extract[] = { (char *)"tar",
                              (char *)"--extract",
                              (char *)"--no-same-owner",
                              (char *)"--same-permissions",
                              (char *)"--delay-directory-restore",
                              (char *)"--warning=no-timestamp",
                              (char *)(layer->has_whiteouts ? "--exclude=.wh.*"
                                                            : "--touch"),
                              (char *)"--touch",
                              (char *)"--file",
                              (char *)(uintptr_t)layer->archive,
                              NULL };
    const struct image_tool lists = { .package = "tar",
                                      .arguments = list,
                                      .directory = layer->tree,
                                      .reads_output = true };
    const struct image_tool extracts = { .package = "tar",
                                         .arguments = extract,
                                         .directory = layer->tree };
    AUTO(strbuf_done) struct strbuf listed = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = image_tool_run(&lists, &listed, err);
    if (rc == 0)
        rc = names_apply(layer, strbuf_span(&listed), err);
    return rc < 0 ? rc : image_tool_run(&extracts, &text, err);
}
