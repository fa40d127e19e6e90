/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_names - which component a sample of an exporter speaks of, by its labels.
 *
 *     map = gpu accelerator, drop = UUID, host_label = Hostname
 *     DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-1",Hostname="n1"}  ─▶ c/n1/accelerator:0
 *     node_cpu_seconds_total{cpu="0",mode="idle"}   ─▶ c/n1/tags:cpu=0,mode=idle
 */
#ifndef INGEST_SCRAPE_NAMES_H
#define INGEST_SCRAPE_NAMES_H

#include "base/config.h"
#include "base/strbuf.h"
#include "wire/wire.h"

struct scrape_names_opts {
    struct span cluster;
    const char *host_label;  /* whose value is the host; "": none */
    struct config_list map;  /* "LABEL TYPE" */
    struct config_list drop; /* labels; "*": all that nothing else names */
};

/* Errors: -EINVAL, what is wrong with map. */
int scrape_names_check(const struct scrape_names_opts *opts, struct err *err);

/* Append the component's path; host is that of samples whose labels name none.  Labels
 * that are neither mapped nor dropped become a level of their own, all of them one, so
 * that no two series merge.  Errors: -ENOMEM. */
int scrape_names_make(const struct scrape_names_opts *opts, struct span host,
                      const struct prometheus_sample *sample, struct strbuf *path);

#endif
