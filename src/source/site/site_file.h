/* SPDX-License-Identifier: Apache-2.0 */
/* site_file - the site's file systems: names, places, peaks (doc/formats/site.md). */
#ifndef SOURCE_SITE_SITE_FILE_H
#define SOURCE_SITE_SITE_FILE_H

#include "base/cleanup.h"
#include "base/config.h"

#include <stdint.h>

struct site_filesystem {
    const char *name; /* of its section */
    struct config_list paths;
    const char *kind, *fsname; /* NULL: unknown */
    uint64_t peak_bytes_per_s; /* 0: not known, as each count */
    uint64_t servers, targets, io_nodes;
    struct config_list fabrics; /* names of networks that others may share */
    struct config_list series;  /* patterns of names of files of series */
};

struct site_clock {
    const char *source; /* as --clock knows it */
    const char *offset; /* as it is written there: not checked yet */
};

struct site_place {
    const char *zone; /* "Europe/Berlin": whose hours days are by; NULL: UTC's */
};

struct site_probes {
    int64_t measure_ns;
    const char *core_hours;
};

struct site_file;

/* *ret is the caller's; all texts are its own.  Errors: what the file says, with its
 * line; what open says; -ENOMEM. */
int site_file_open(const char *path, struct site_file **ret, struct err *err);
void site_file_close(struct site_file *site);
DEFINE_AUTO(struct site_file, site_file_close);

const struct site_place *site_file_place(const struct site_file *site);
const struct site_probes *site_file_probes(const struct site_file *site);

/* In the order of the file; *ret is how many. */
const struct site_clock *site_file_clocks(const struct site_file *site, size_t *ret);
const struct site_filesystem *site_file_filesystems(const struct site_file *site,
                                                    size_t *ret);

/* NULL: there is none. */
const struct site_filesystem *site_file_named(const struct site_file *site,
                                              const char *name);
/* The one with the longest path that dir is, or is below; NULL: none. */
const struct site_filesystem *site_file_at(const struct site_file *site,
                                           const char *dir);
/* The first that a file of series is of, by its name; NULL: none. */
const struct site_filesystem *site_file_owner(const struct site_file *site,
                                              const char *path);
/* A fabric that both are on; NULL: none. */
const char *site_file_fabric(const struct site_filesystem *a,
                             const struct site_filesystem *b);

#endif
