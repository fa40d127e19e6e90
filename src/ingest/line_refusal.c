/* SPDX-License-Identifier: Apache-2.0 */
/* line_refusal - lines that are refused: counted, and the first of them with a reason.
 */
#include "ingest/line_refusal.h"

#include "base/span.h"

#include "ingest/line_peer.h"

#include <stdio.h>

static struct line_problem *add_problem(struct line_receiver *in, uint64_t line,
                                        uint64_t column)
{
    struct line_result *result = &in->result;
    result->bad++;
    if (result->problem_count == LINE_PROBLEMS_MAX)
        return NULL;
    struct line_problem *problem = &result->problems[result->problem_count++];
    problem->line = line;
    problem->column = column;
    return problem;
}

void line_refusal_add(struct line_receiver *in, const struct line_point *point,
                      const char *at, const char *reason)
{
    struct line_problem *problem =
        add_problem(in, point->line, (uint64_t)(at - point->key.data) + 1);
    if (problem)
        (void)snprintf(problem->reason, sizeof problem->reason, "%s", reason);
}

/* Strict: nothing after this is taken.  The words are the peer's. */
void line_refusal_stop(struct line_receiver *in, uint64_t line, const char *words)
{
    struct line_problem *problem = &in->result.problems[0];
    in->result.problem_count = 0;
    (void)add_problem(in, line, 1);
    (void)snprintf(problem->reason, sizeof problem->reason, "%s", words);
    in->result.is_stopped = true;
}

/* The name of a metric, without its escapes, that the sink has not. */
bool line_refusal_is_unknown(struct line_receiver *in, struct span name)
{
    const struct sink *sink = in->opts.sink;
    struct strbuf *scratch = &in->names.scratch;
    strbuf_clear(scratch);
    if (!sink->has_metric || in->opts.is_open || strbuf_reserve(scratch, name.size + 1))
        return false;
    struct span plain = { scratch->data, measurement_unescape(name, scratch->data) };
    return !sink->has_metric(sink->arg, plain);
}

static void refuse_reader_fault(struct line_receiver *in)
{
    const struct line_fault *fault = &in->reader.fault;
    struct line_problem *problem = add_problem(in, fault->line, fault->column);
    if (problem)
        (void)snprintf(problem->reason, sizeof problem->reason, "%s", fault->reason);
}

/* A line that the reader refuses may be none that the peer does. */
static void refuse_strictly(struct line_receiver *in)
{
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    const struct line_fault *fault = &in->reader.fault;
    struct span name = line_peer_measurement(fault->text);
    if (name.size > 0 && *name.data != '#' && line_refusal_is_unknown(in, name))
        in->result.unknown_metric++;
    else if (line_peer_check(fault->text, fault->line, &words) < 0)
        line_refusal_stop(in, fault->line, strbuf_text(&words));
    else
        refuse_reader_fault(in);
}

void line_refusal_fault(struct line_receiver *in)
{
    if (in->opts.is_strict)
        refuse_strictly(in);
    else
        refuse_reader_fault(in);
}

/* In the words of cc-metric-store: its clients may look for them. */
static struct span host_of(const struct line_point *point)
{
    for (size_t i = 0; i < point->tag_count; i++) {
        struct span key = point->tags[i].key;
        if (span_is(key, "hostname") || span_is(key, "host"))
            return point->tags[i].value;
    }
    return (struct span){ 0 };
}

void line_refusal_as_peer(struct line_receiver *in, const struct line_point *point,
                          const struct line_field *field)
{
    char words[sizeof in->result.problems[0].reason];
    struct span host = host_of(point);
    double value = 0;
    if (span_is(field->key, "value"))
        (void)snprintf(words, sizeof words,
                       "host " SPAN_FMT ": unsupported value type in message: %s",
                       SPAN_ARG(host), field->type == LINE_BOOL ? "bool" : "string");
    else if (line_field_double(field, &value) == 0)
        (void)snprintf(words, sizeof words,
                       "host " SPAN_FMT ": unknown field: '" SPAN_FMT "' (value: %g)",
                       SPAN_ARG(host), SPAN_ARG(field->key), value);
    else
        (void)snprintf(words, sizeof words,
                       "host " SPAN_FMT ": unknown field: '" SPAN_FMT "'",
                       SPAN_ARG(host), SPAN_ARG(field->key));
    line_refusal_stop(in, point->line, words);
}
