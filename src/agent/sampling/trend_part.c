/* SPDX-License-Identifier: Apache-2.0 */
/* trend_part - what corrected errors came of late, over restarts of the agent. */
#include "agent/sampling/trend_part.h"

#include "agent/sampling/file_writer.h"
#include "base/file.h"
#include "base/span.h"

#include <errno.h>
#include <stdio.h>

struct trend_part {
    struct node_sources *sources;
    struct file_writer *writer;
};

static void trends_set_aside(const char *path, const struct agent_report *report)
{
    AUTO(strbuf_done) struct strbuf aside = STRBUF_INIT;
    strbuf_addf(&aside, "%s.damaged", path);
    bool is_aside = strbuf_error(&aside) == 0 && rename(path, aside.data) == 0;
    agent_report(report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                 "'%s' is damaged%s: of corrected errors in the days before nothing is "
                 "known",
                 path, is_aside ? ", and set aside as .damaged" : "");
}

static void file_load(const char *path, const struct agent_report *report,
                      struct node_sources *sources)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    int rc = file_read(path, NODE_TRENDS_BYTES_MAX, &text, &err);
    if (rc == -ENOENT)
        return;
    if (rc < 0 && rc != -EMSGSIZE)
        agent_report(report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "%s: of corrected errors in the days before nothing is known",
                     err.text);
    else if (rc < 0 || node_sources_parse_trends(sources, strbuf_span(&text)) < 0)
        trends_set_aside(path, report);
}

int trend_part_open(const struct agent_opts *opts, const struct agent_report *report,
                    struct node_sources *sources, struct trend_part **ret,
                    struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    unsigned wanted = 0;
    int rc = node_opts_sources(&opts->node, &wanted, err);
    if (rc < 0 || !sources || !(wanted & NODE_EDAC))
        return rc;
    const struct node_trend_rule rule = { .hour_max =
                                              (uint32_t)opts->node.corrected_max,
                                          .ratio = (uint32_t)opts->node.corrected_ratio,
                                          .quiet_ns = opts->node.corrected_quiet_ns };
    node_sources_set_trend_rule(sources, &rule);
    strbuf_addf(&path, "%s/error.trends", opts->state);
    rc = strbuf_error(&path);
    if (rc < 0)
        return rc;
    (void)file_make_dirs(opts->state, 0700,
                         NULL); /* where it fails writing reports it */
    file_load(path.data, report, sources);
    struct trend_part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->sources = sources;
    rc = file_writer_start(path.data,
                           "after a restart corrected errors of the days before are "
                           "not known",
                           report, &part->writer, err);
    if (rc < 0) {
        free(part);
        return rc;
    }
    *ret = part;
    return 0;
}

void trend_part_close(struct trend_part *part)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (!part)
        return;
    if (node_sources_print_last_trends(part->sources, &text) && !strbuf_error(&text))
        file_writer_put(part->writer, &text);
    file_writer_stop(part->writer);
    free(part);
}

void trend_part_save(struct trend_part *part)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (part && node_sources_print_trends(part->sources, &text) && !strbuf_error(&text))
        file_writer_put(part->writer, &text);
}

uint64_t trend_part_failures(const struct trend_part *part)
{
    return part ? file_writer_failures(part->writer) : 0;
}
