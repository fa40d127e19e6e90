/* SPDX-License-Identifier: Apache-2.0 */
/* filesystem - what a probe must know of the file system that it measures. */
#include "probe/filesystem.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "source/site/site.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_filesystem(const struct site_file *file, const char *wanted,
                           const char *dir, struct filesystem *site, struct err *err)
{
    char real[PATH_MAX];
    if (!realpath(dir, real))
        return err_set(err, errno, "'%s': %s", dir, strerror(errno));
    const struct site_filesystem *fs =
        wanted ? site_file_named(file, wanted) : site_file_at(file, real);
    if (!fs && wanted)
        return err_set(err, EINVAL, "the site file has no [filesystem %s]", wanted);
    if (!fs)
        return err_set(err, EINVAL,
                       "'%s' is below no path of a [filesystem] of the site file: give "
                       "--file-system",
                       real);
    (void)snprintf(site->name, sizeof site->name, "%s", fs->name);
    site->peak_bytes_per_s = (double)fs->peak_bytes_per_s;
    return 0;
}

int filesystem_read(const char *path, const char *name, const char *dir,
                    struct filesystem *ret, struct err *err)
{
    struct filesystem site = { 0 };
    (void)snprintf(site.name, sizeof site.name, "%s", name ? name : "unknown");
    if (path) {
        AUTO(site_file_close) struct site_file *file = NULL;
        int rc = site_file_open(path, &file, err);
        if (rc == 0)
            rc = find_filesystem(file, name, dir, &site, err);
        if (rc < 0)
            return rc;
        const struct site_probes *probes = site_file_probes(file);
        site.measure_ns = probes->measure_ns;
        if (number_parse_double(span_of(probes->core_hours), &site.core_hours) < 0 ||
            site.core_hours < 0.0)
            return err_set(err, EINVAL,
                           "%s: core_hours = %s: it is not a number from 0 up", path,
                           probes->core_hours);
    }
    *ret = site;
    return 0;
}
