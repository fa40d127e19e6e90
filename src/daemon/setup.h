/* SPDX-License-Identifier: Apache-2.0 */
/* setup - the configuration, checked, and memory divided.
 *
 *     barod.conf, --set ──▶ sections ──▶ options ──▶ budget of memory
 */
#ifndef DAEMON_SETUP_H
#define DAEMON_SETUP_H

#include "base/options.h"
#include "daemon/memory.h"

#define DAEMON_CONFIG_DEFAULT "/etc/barograph/barod.conf"
#define DAEMON_UNIT_DEFAULT "barod.service"

/* What the command line says. */
struct daemon_args {
    const char *config;            /* NULL: DAEMON_CONFIG_DEFAULT */
    const struct option_list *set; /* SECTION.KEY=VALUE over what the file says */
    const char *unit;              /* whose MemoryMax= a check judges by; or NULL */
    bool is_check;
    bool is_verbose;
};

struct daemon_setup {
    struct config *config; /* opts points into it */
    struct daemon_opts opts;
    struct budget budget;
    uint64_t memory_limit;     /* of the control group, or of the unit of a check */
    struct strbuf memory_path; /* of the file that states it */
};

/* On failure too the caller ends it with daemon_setup_done().
 * Errors: -EINVAL (file:line: key: reason; parts that do not fit the memory), -EACCES
 * (others may read a file with a password in it), -ENOENT, -ENOMEM. */
int daemon_setup_load(const struct daemon_args *args, struct daemon_setup *setup,
                      struct err *err);
void daemon_setup_done(struct daemon_setup *setup);

/* Errors: -EINVAL (a played clock, and an address that is not loopback). */
int daemon_setup_check_clock(const struct daemon_setup *setup, struct err *err);

#endif
