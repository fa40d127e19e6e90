/* SPDX-License-Identifier: Apache-2.0 */
/* slurm - sinfo and scontrol, each a process with a deadline. */
#include "act/slurm.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/bounded_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_BYTES_MAX ((size_t)64 << 20)
#define MESSAGE_BYTES_MAX ((size_t)4096)

extern char **environ;

/* ---- the environment ---- */

/* Clusters, configuration, formats, filters, those to come too; who one is, by a token
 * or a socket, is passed on. */
bool slurm_variable_is_dropped(const char *variable)
{
    static const char *const prefixes[] = { "SLURM_", "SINFO_", "SQUEUE_", "SCONTROL_",
                                            "SACCT_" };
    static const char *const passed[] = { "SLURM_JWT=", "SLURM_SACK_" };
    for (size_t i = 0; i < COUNT_OF(passed); i++)
        if (strncmp(variable, passed[i], strlen(passed[i])) == 0)
            return false;
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* *ret: an array to be freed, of texts that are not.  conf: "SLURM_CONF=...", or NULL.
 */
static int environment_make(const char *conf, const char ***ret)
{
    size_t count = 0, left = 0;
    while (environ[count])
        count++;
    const char **made = calloc(count + 2, sizeof *made);
    if (!made)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (!slurm_variable_is_dropped(environ[i]))
            made[left++] = environ[i];
    made[left] = conf;
    *ret = made;
    return 0;
}

/* ---- a process ---- */

static int program_run(const struct slurm_opts *opts, const char *const *argv,
                       struct strbuf *out, struct err *err)
{
    AUTO(strbuf_done) struct strbuf conf = STRBUF_INIT;
    AUTO_FREE const char **environment = NULL;
    AUTO(bounded_command_free) struct bounded_command *command = NULL;
    const char *path = getenv("PATH");
    if (opts->conf)
        strbuf_addf(&conf, "SLURM_CONF=%s", opts->conf);
    int rc = strbuf_error(&conf);
    if (rc == 0)
        rc = environment_make(opts->conf ? strbuf_text(&conf) : NULL, &environment);
    if (rc < 0)
        return rc;
    const struct bounded_command_opts command_opts = {
        .argv = argv,
        .path = path ? path : BOUNDED_COMMAND_PATH,
        .environment = environment,
        .until_ns = clock_monotonic_ns() + opts->timeout_ns,
        .output_bytes_max = OUTPUT_BYTES_MAX,
        .message_bytes_max = MESSAGE_BYTES_MAX,
        .ends_over_bound = true,
    };
    rc = bounded_command_run(&command_opts, &command, err);
    if (rc == 0)
        rc = bounded_command_check(command, argv[0], err);
    if (rc < 0)
        return rc;
    const struct bounded_command_end *end = bounded_command_end(command);
    strbuf_add(out, end->output.data, end->output.size);
    return strbuf_error(out);
}

/* ---- calls ---- */

int slurm_config_cluster(struct span text, struct span *ret)
{
    while (text.size > 0) {
        struct span line, key;
        (void)span_cut(&text, '\n', &line);
        (void)span_cut(&line, '=', &key);
        if (!span_is(span_trim(key), "ClusterName"))
            continue;
        line = span_trim(line);
        if (line.size == 0 || span_is(line, "(null)"))
            break;
        *ret = line;
        return 0;
    }
    return -EBADMSG;
}

int slurm_cluster(const struct slurm_opts *opts, struct strbuf *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const char *const argv[] = { opts->scontrol, "show", "config", NULL };
    struct span name;
    int rc = program_run(opts, argv, &out, err);
    if (rc == 0)
        rc = strbuf_error(&out);
    if (rc < 0)
        return rc;
    if (slurm_config_cluster(strbuf_span(&out), &name) < 0)
        return err_set(err, EBADMSG, "'%s show config' has no ClusterName",
                       opts->scontrol);
    strbuf_add(ret, name.data, name.size);
    return strbuf_error(ret);
}

int slurm_nodes(const struct slurm_opts *opts, const char *node, struct node_list *ret,
                struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const char *const argv[] = {
        opts->sinfo,
        "--noheader",
        "--local",
        "--Node",
        NODE_LIST_OPTION,
        node ? "--nodes" : NULL,
        node,
        NULL,
    };
    int rc = program_run(opts, argv, &out, err);
    if (rc == 0)
        rc = strbuf_error(&out);
    if (rc == 0)
        rc = node_list_read(strbuf_span(&out), ret, err);
    return rc;
}

static int node_update(const struct slurm_opts *opts, const char *node,
                       const char *state, const char *reason, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
    strbuf_addf(&name, "nodename=%s", node);
    strbuf_addf(&why, "reason=%s", reason ? reason : "");
    if (strbuf_error(&name) < 0 || strbuf_error(&why) < 0)
        return -ENOMEM;
    const char *const argv[] = {
        opts->scontrol,
        "update",
        strbuf_text(&name),
        state,
        reason ? strbuf_text(&why) : NULL,
        NULL,
    };
    return program_run(opts, argv, &out, err);
}

int slurm_drain(const struct slurm_opts *opts, const char *node, const char *reason,
                struct err *err)
{
    return node_update(opts, node, "state=drain", reason, err);
}

int slurm_resume(const struct slurm_opts *opts, const char *node, struct err *err)
{
    return node_update(opts, node, "state=resume", NULL, err);
}
