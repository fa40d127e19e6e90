/* SPDX-License-Identifier: Apache-2.0 */
/* args - the options that baro's commands of plugins share. */
#include "cmd/plugin/args.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/system/helper.h"
#include "cmd/output.h"

#define STEP_NS (10 * NS_PER_S)

void plugin_trial_opts(const struct plugin_args *args, uint64_t steps_default,
                       struct trial_opts *ret)
{
    static char path[PATH_MAX]; /* a process tries one plugin */
    *ret = (struct trial_opts){
        .program = args->host ? args->host
                              : helper_find(BARO_LIBEXECDIR "/baro-plugin-host", path),
        .roots = args->roots.items,
        .root_count = args->roots.count,
        .steps = args->steps         ? args->steps
                 : args->roots.count ? args->roots.count
                                     : steps_default,
        .t_ns = clock_now_ns(),
        .step_ns = args->step_ns ? args->step_ns : STEP_NS,
        .reads = args->reads.items,
        .read_count = args->reads.count,
    };
}

int plugin_print(const char *who, const struct plugin_args *args,
                 const struct table *table, int rc, const struct err *err)
{
    struct result_form form;
    struct err other = { 0 };
    if (rc == 0) {
        err = &other;
        rc = output_form(&form, args->output, false, &other);
    }
    if (rc == 0)
        rc = output_table(table, &form, &other);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "%s: %s\n", who, err->text[0] ? err->text : strerror(-rc));
    return err_exit_status(rc);
}

const char *plugin_operand(const char *who, int operand_count, char **operands)
{
    if (operand_count == 1)
        return operands[0];
    fprintf(stderr, "%s: wants one FILE\n", who);
    return NULL;
}
