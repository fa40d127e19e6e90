/* SPDX-License-Identifier: Apache-2.0 */
/* setup - the configuration, checked, and memory divided. */
#include "daemon/setup.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/span.h"
#include "base/system/cgroup.h"
#include "base/system/unit_file.h"

#include <unistd.h>

/* Who checks is not in the unit's control group: there the unit itself counts, too. */
static int divide_memory(struct daemon_setup *s, const struct daemon_args *args,
                         struct err *err)
{
    AUTO(strbuf_done) struct strbuf warning = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf unit = STRBUF_INIT;
    struct daemon_memory_limit limit = { cgroup_memory_limit("", &s->memory_path), "" };
    uint64_t ram = cgroup_machine_memory();
    bool has_store =
        config_has(s->config, "store") || config_name_count(s->config, "metric") > 0;
    if (args->is_check) {
        const char *name = args->unit ? args->unit : DAEMON_UNIT_DEFAULT;
        uint64_t bytes = unit_file_memory_max("", name, ram, &unit);
        if (args->unit && unit.size == 0)
            return err_set(err, EINVAL, "--unit: there is no '%s'", args->unit);
        if (bytes < limit.bytes || (unit.size && s->memory_path.size == 0)) {
            limit.bytes = bytes;
            strbuf_clear(&s->memory_path);
            strbuf_add_span(&s->memory_path, strbuf_span(&unit));
        }
    }
    limit.path = strbuf_text(&s->memory_path);
    s->memory_limit = limit.bytes;
    int rc = daemon_memory_divide(&s->opts, s->config,
                                  has_store ? DAEMON_WITH_STORE : DAEMON_WITHOUT_STORE,
                                  &limit, &s->budget, &warning, err);
    if (rc == 0 && warning.size)
        log_warn("%s", strbuf_text(&warning));
    if (rc == 0 && ram && s->budget.limit_bytes > ram)
        daemon_memory_warn_ram(s->budget.limit_bytes, ram);
    return rc;
}

int daemon_setup_load(const struct daemon_args *args, struct daemon_setup *s,
                      struct err *err)
{
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    const char *path = args->config ? args->config : DAEMON_CONFIG_DEFAULT;
    int rc;
    if (!args->config && access(path, F_OK) < 0) {
        log_notice("there is no %s; the defaults hold", path);
        rc = config_parse("defaults", (struct span){ 0 }, sections, count, &s->config,
                          err);
    } else {
        rc = config_load(path, sections, count, &s->config, err);
        if (rc == 0)
            rc = daemon_config_check_secrets(path, s->config, err);
    }
    for (size_t i = 0; rc == 0 && i < args->set->count; i++)
        rc = config_set(s->config, span_of(args->set->items[i]), err);
    if (rc == 0)
        rc = daemon_config_fill(s->config, &s->opts, err);
    return rc < 0 ? rc : divide_memory(s, args, err);
}

/* A played clock is for simulations; a barod that others reach must not run by it. */
int daemon_setup_check_clock(const struct daemon_setup *s, struct err *err)
{
    if (!clock_is_played())
        return 0;
    log_warn("BARO_CLOCK: time is played; nothing here is of the real world");
    for (size_t i = 0; i < s->opts.net.listen.count; i++) {
        struct span address = span_of(s->opts.net.listen.items[i]);
        if (!span_is(address, "none") && !span_starts(address, "127.") &&
            !span_starts(address, "[::1]") && !span_starts(address, "localhost"))
            return err_set(err, EINVAL,
                           "BARO_CLOCK is for simulations: net.listen '" SPAN_FMT
                           "' is not loopback",
                           SPAN_ARG(address));
    }
    return 0;
}

void daemon_setup_done(struct daemon_setup *s)
{
    config_free(s->config);
    strbuf_done(&s->memory_path);
    *s = (struct daemon_setup){ 0 };
}
