/* SPDX-License-Identifier: Apache-2.0 */
/* targets - which targets a server serves, and where their files are, below a root. */
#include "source/lustre/targets.h"

#include "base/cleanup.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>

static const char *const areas[] = {
    "proc/fs/lustre",
    "sys/fs/lustre",
    "sys/kernel/debug/lustre",
};

struct names {
    struct dirent **entries;
    int count;
};

static void names_done(struct names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->entries[i]);
    free(names->entries);
}
DEFINE_AUTO_DONE(struct names, names_done);

/* Names of targets go into paths, patterns and identifiers: those that are none are
 * not looked at. */
static int is_target_name(const struct dirent *entry)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_.-";
    const char *name = entry->d_name;
    return name[0] != '.' && strlen(name) <= TARGET_BYTES_MAX &&
           name[strspn(name, allowed)] == '\0';
}

static int join_path(char path[static LUSTRE_PATH_MAX], const char *root,
                     const char *area, const char *rest)
{
    int size = snprintf(path, LUSTRE_PATH_MAX, "%s/%s/%s", root, area, rest);
    return size >= 0 && size < LUSTRE_PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Is rest there below that area? */
static int check_path(char path[static LUSTRE_PATH_MAX], const char *root,
                      const char *area, const char *rest)
{
    int rc = join_path(path, root, area, rest);
    if (rc < 0)
        return rc;
    /* Not access(2): that asks for the real user without its capabilities, and the
     * agent may look into debugfs by its one capability only. */
    struct stat found;
    return stat(path, &found) == 0 ? 0 : -errno;
}

static int check_pattern(char path[static LUSTRE_PATH_MAX], const char *root,
                         const char *area, const char *rest)
{
    /* The root is the caller's and holds no pattern by accident: only rest does. */
    glob_t found = { 0 };
    int rc = join_path(path, root, area, rest);
    if (rc < 0)
        return rc;
    int glob_rc = glob(path, 0, NULL, &found);
    if (glob_rc == 0)
        (void)snprintf(path, LUSTRE_PATH_MAX, "%s", found.gl_pathv[0]);
    globfree(&found);
    return glob_rc == 0 ? 0 : -ENOENT;
}

int lustre_find_file(const char *root, const char *device, const char *name,
                     const char *file, char path[static LUSTRE_PATH_MAX])
{
    char rest[LUSTRE_PATH_MAX];
    int size = name ? snprintf(rest, sizeof rest, "%s/%s/%s", device, name, file)
                    : snprintf(rest, sizeof rest, "%s", file);
    if (size < 0 || size >= (int)sizeof rest)
        return -ENAMETOOLONG;
    int worst = -ENOENT;
    for (size_t i = 0; i < COUNT_OF(areas); i++) {
        int rc = strpbrk(device ? device : "", "*?[")
                     ? check_pattern(path, root, areas[i], rest)
                     : check_path(path, root, areas[i], rest);
        if (rc == 0)
            return 0;
        if (rc != -ENOENT && rc != -ENOTDIR)
            worst = rc;
    }
    return worst;
}

static const struct {
    const char *folder;
    enum target_kind kind;
} devices[] = {
    { "mdt", TARGET_MDT },
    { "mds", TARGET_MDT }, /* 1.8 */
    { "obdfilter", TARGET_OST },
};

struct search {
    const char *root;
    lustre_device_fn *fn;
    void *arg;
    struct err *err;
    uint64_t found;
    int denied; /* -EACCES when a folder may not be read */
};

/* Was the name shown before, by an earlier area or folder of that kind?  here: where it
 * stands now. */
static bool is_shown(struct search *s, size_t device, const char *here,
                     const char *name)
{
    char path[LUSTRE_PATH_MAX];
    for (size_t d = 0; d <= device; d++)
        if (devices[d].kind == devices[device].kind &&
            lustre_find_file(s->root, devices[d].folder, name, ".", path) == 0)
            return strcmp(path, here) != 0;
    return false;
}

static int search_area(struct search *s, const char *area, size_t device)
{
    char path[LUSTRE_PATH_MAX], here[LUSTRE_PATH_MAX], rest[LUSTRE_PATH_MAX];
    int rc = join_path(path, s->root, area, devices[device].folder);
    if (rc < 0)
        return err_set(s->err, ENAMETOOLONG, "'%s': the path is too long", s->root);
    AUTO(names_done) struct names names = { NULL, 0 };
    names.count = scandir(path, &names.entries, is_target_name, alphasort);
    if (names.count < 0) {
        int errnum = errno;
        names.count = 0;
        if (errnum == EACCES && !s->denied)
            s->denied = err_set(s->err, errnum, "'%s': %s", path, strerror(errnum));
        return errnum == ENOMEM ? err_set(s->err, errnum, "out of memory") : 0;
    }
    for (int i = 0; i < names.count; i++) {
        const char *name = names.entries[i]->d_name;
        (void)snprintf(rest, sizeof rest, "%s/%s/.", devices[device].folder, name);
        if (check_path(here, s->root, area, rest) < 0 ||
            is_shown(s, device, here, name))
            continue;
        s->found++;
        rc = s->fn(s->arg, &(struct lustre_device){ .kind = devices[device].kind,
                                                    .folder = devices[device].folder,
                                                    .name = name });
        if (rc < 0)
            return rc;
    }
    return 0;
}

int lustre_find_devices(const char *root, lustre_device_fn *fn, void *arg,
                        struct err *err)
{
    struct search s = { .root = root, .fn = fn, .arg = arg, .err = err };
    for (size_t d = 0; d < COUNT_OF(devices); d++) {
        for (size_t i = 0; i < COUNT_OF(areas); i++) {
            int rc = search_area(&s, areas[i], d);
            if (rc < 0)
                return rc;
        }
    }
    return s.found > 0 ? 0 : s.denied;
}

struct target_search {
    const char *root;
    lustre_target_fn *fn;
    void *arg;
};

static int try_device(void *arg, const struct lustre_device *device)
{
    const struct target_search *s = arg;
    char job_stats[LUSTRE_PATH_MAX], cleanup[LUSTRE_PATH_MAX];
    if (lustre_find_file(s->root, device->folder, device->name, "job_stats",
                         job_stats) < 0)
        return 0;
    bool has_cleanup = lustre_find_file(s->root, device->folder, device->name,
                                        "job_cleanup_interval", cleanup) == 0;
    return s->fn(s->arg, &(struct lustre_target){
                             .kind = device->kind,
                             .name = device->name,
                             .job_stats = job_stats,
                             .cleanup = has_cleanup ? cleanup : NULL,
                         });
}

int lustre_find_targets(const char *root, lustre_target_fn *fn, void *arg,
                        struct err *err)
{
    struct target_search s = { root, fn, arg };
    return lustre_find_devices(root, try_device, &s, err);
}
