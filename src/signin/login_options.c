/* SPDX-License-Identifier: Apache-2.0 */
/* login_options - the section [login]. */
#include "signin/login_options.h"

#include "base/number.h"

#include <stddef.h>

static const struct config_key keys[] = {
    { "service", CONFIG_TEXT, offsetof(struct login_opts, service), "", 0, 0,
      "PAM service that checks names and passwords, such as barograph: a file in "
      "/etc/pam.d. Empty: no user signs in by a password." },
    { "directory", CONFIG_TEXT, offsetof(struct login_opts, directory), "", 0, 0,
      "Directory of the service's file instead of /etc/pam.d." },
    { "helper", CONFIG_TEXT, offsetof(struct login_opts, helper), "", 0, 0,
      "Program that is started for each password, or unix:PATH of a socket on which "
      "systemd starts it; then service and directory are the unit's. Default: the "
      "baro-pam that was installed with barod." },
    { "lifetime", CONFIG_DURATION, offsetof(struct login_opts, lifetime_ns), "8h",
      60 * NS_PER_S, 30 * 86400 * NS_PER_S,
      "How long a user stays signed in. A restart of barod ends it, too." },
    { "timeout", CONFIG_DURATION, offsetof(struct login_opts, timeout_ns), "20s",
      NS_PER_S, 120 * NS_PER_S,
      "Time limit of one check; then the helper is ended, and 503 returned." },
    { "delay", CONFIG_DURATION, offsetof(struct login_opts, delay_ns), "2s", 0,
      30 * NS_PER_S,
      "A refusal is sent so long after the request, whatever was wrong and however "
      "quickly it was found." },
    { "rate_address", CONFIG_COUNT, offsetof(struct login_opts, rate_address), "30", 1,
      100000,
      "Refusals of one address in a minute, and checks that failed; beyond it: 429." },
    { "rate_name", CONFIG_COUNT, offsetof(struct login_opts, rate_name), "10", 1,
      100000,
      "Refusals of one user name in a minute, from whatever address, and checks that "
      "failed; beyond it: 429." },
};

const struct config_section login_config_section = {
    .kind = "login",
    .keys = keys,
    .key_count = COUNT_OF(keys),
    .help = "Users who sign in by name and password in a browser: /v1/login.",
};
