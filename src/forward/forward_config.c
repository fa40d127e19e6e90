/* SPDX-License-Identifier: Apache-2.0 */
/* forward_config - the section [forward NAME]: keys, defaults, meanings. */
#include "base/clock.h"
#include "base/number.h"
#include "forward/forward.h"

#include <stddef.h>

#define FIELD(name) offsetof(struct forward_opts, name)

static const struct config_key keys[] = {
    { "url", CONFIG_TEXT, FIELD(url), "", 0, 0,
      "Where samples are sent: http://host:9090/api/v1/write of Prometheus, "
      "VictoriaMetrics, Mimir." },
    { "token_file", CONFIG_TEXT, FIELD(token_file), "", 0, 0,
      "File of the bearer token that is shown." },
    { "user", CONFIG_TEXT, FIELD(user), "", 0, 0,
      "Name for basic authentication; empty: none." },
    { "password_file", CONFIG_TEXT, FIELD(password_file), "", 0, 0,
      "File of its password." },
    { "ca_file", CONFIG_TEXT, FIELD(ca_file), "", 0, 0,
      "PEM file of the authority that signed the target's certificate." },
    { "include", CONFIG_LIST, FIELD(include), NULL, 0, 0,
      "A pattern of metrics that are forwarded: node_*; may be repeated. Default: "
      "all." },
    { "exclude", CONFIG_LIST, FIELD(exclude), NULL, 0, 0,
      "A pattern of metrics that are not, even where include fits them." },
    { "label", CONFIG_LIST, FIELD(label), NULL, 0, 0,
      "A label, a blank and its value, for series that do not have it; may be "
      "repeated." },
    { "directory", CONFIG_TEXT, FIELD(directory), "", 0, 0,
      "Where the queue is stored; empty: store.directory followed by -forward/NAME." },
    { "queue_max", CONFIG_SIZE, FIELD(queue_bytes_max), "1GiB", 1 << 20,
      INT64_C(1) << 44,
      "Limit of the queue; beyond it its oldest samples are lost, and counted." },
    { "batch", CONFIG_COUNT, FIELD(batch_samples), "5000", 1, 100000,
      "Samples of one request at most." },
    { "timeout", CONFIG_DURATION, FIELD(timeout_ns), "10s", 100 * NS_PER_MS,
      300 * NS_PER_S, "Time limit of one request." },
};

const struct config_section forward_config_section = {
    "forward",
    true,
    keys,
    COUNT_OF(keys),
    "Another engine that every stored sample is sent to, by Prometheus remote write.",
};
