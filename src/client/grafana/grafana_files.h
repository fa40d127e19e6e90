/* SPDX-License-Identifier: Apache-2.0 */
/* grafana_files - the files of etc/grafana, as they were when this was built; private
 * to the room. */
#ifndef CLIENT_GRAFANA_GRAFANA_FILES_H
#define CLIENT_GRAFANA_GRAFANA_FILES_H

#include "base/span_type.h"

#include <stddef.h>

struct embedded_file {
    const char *name; /* "prometheus/job.json" */
    struct span text;
};

extern const struct embedded_file grafana_files[];
extern const size_t grafana_files_count;

#endif
