/* SPDX-License-Identifier: Apache-2.0 */
/* scrape_config - the section [scrape NAME]. */
#include "base/number.h"
#include "ingest/scrape_source.h"

#define FIELD(name) offsetof(struct scrape_opts, name)

static const struct config_key keys[] = {
    { "url", CONFIG_LIST, FIELD(url), NULL, 0, 0,
      "What is scraped: http://n1:9100/metrics, or http://n[01-64]:9100/metrics; may "
      "be "
      "repeated, for different hosts." },
    { "file", CONFIG_LIST, FIELD(file), NULL, 0, 0,
      "A file that is read in its place; its samples are of the time it was changed." },
    { "interval", CONFIG_DURATION, FIELD(interval_ns), "60s", NS_PER_S,
      86400 * NS_PER_S, "How often; also the step of metrics without a section." },
    { "timeout", CONFIG_DURATION, FIELD(timeout_ns), "5s", 10 * NS_PER_MS,
      60 * NS_PER_S, "Time limit of one response, from the first byte to the last." },
    { "cluster", CONFIG_TEXT, FIELD(cluster), "", 0, 0,
      "The cluster of all of it; empty: the one of [write]." },
    { "host", CONFIG_TEXT, FIELD(host), "", 0, 0,
      "The host of all of it; empty: the one in the url, of files this machine." },
    { "host_label", CONFIG_TEXT, FIELD(host_label), "", 0, 0,
      "A label that names the host, such as Hostname; it goes before the other two." },
    { "map", CONFIG_LIST, FIELD(map), NULL, 0, 0,
      "A label, a blank, and the type of component that its value is the id of: "
      "gpu accelerator; may be repeated." },
    { "drop", CONFIG_LIST, FIELD(drop), NULL, 0, 0,
      "A label that is not looked at; * for all that are not mapped. Others become "
      "part "
      "of the component." },
    { "include", CONFIG_LIST, FIELD(keep), NULL, 0, 0,
      "A pattern of metrics that are stored: node_*; may be repeated. Default: all." },
    { "exclude", CONFIG_LIST, FIELD(leave), NULL, 0, 0,
      "A pattern of metrics that are not, even where include fits them." },
    { "body_max", CONFIG_SIZE, FIELD(body_max), "16MiB", 1024, INT64_C(1) << 30,
      "Limit of one response; a longer one is refused." },
    { "token_file", CONFIG_TEXT, FIELD(token_file), "", 0, 0,
      "File of the bearer token that is shown." },
    { "ca_file", CONFIG_TEXT, FIELD(ca_file), "", 0, 0,
      "PEM file of the authority that signed the targets' certificates." },
};

const struct config_section scrape_config_section = {
    "scrape",
    true,
    keys,
    COUNT_OF(keys),
    "Exporters that are scraped in the format of Prometheus.",
};
