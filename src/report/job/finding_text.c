/* SPDX-License-Identifier: Apache-2.0 */
/* finding_text - a finding in words for a person. */
#include "report/job/finding_text.h"

#include "base/span.h"

#include "model/model.h"
#include "report/unusual/unusual.h"

#include <math.h>

void finding_print_value(const struct finding *f, double value, struct strbuf *out)
{
    bool is_of_log = f->kind == FINDING_OF_LOG;
    bool is_ratio = is_of_log ? profile_term(f->measure)->scale != PROFILE_SHARE
                              : f->kind == FINDING_CONTENDED;
    if (isnan(value))
        strbuf_adds(out, "for a time that is not known");
    else if (is_of_log && f->measure == PROFILE_STRIPES)
        strbuf_addf(out, "%.0f targets", value);
    else if (isinf(value))
        strbuf_adds(out, "and nothing elsewhere");
    else if (is_ratio)
        strbuf_addf(out, "%.1f x", value);
    else if (f->unit[0])
        strbuf_addf(out, f->unit[0] == 'x' ? "%.1f %s" : "%.0f %s", value, f->unit);
    else if (is_of_log || strncmp(f->evidence, "contention_", 11) == 0)
        strbuf_addf(out, "%.0f %%", value * 100);
    else
        strbuf_addf(out, "%.0f", value);
}

void finding_print_other_job(const struct server_neighbour *n, struct strbuf *out)
{
    if (!n->job) {
        strbuf_adds(out, "entries without a job");
        return;
    }
    strbuf_adds(out, "job ");
    entry_id_print(out, span_of(n->job));
    if (n->user) {
        strbuf_adds(out, " of user ");
        entry_id_print(out, span_of(n->user));
    }
}

void finding_print_contention(const struct server_target *t, struct strbuf *out)
{
    entry_id_print(out, span_of(t->name));
    if (t->neighbour_count == 0)
        return;
    strbuf_adds(out, ", most by ");
    finding_print_other_job(&t->neighbours[0], out);
}

void finding_print_text(const struct finding *f, struct strbuf *out)
{
    strbuf_adds(out, f->text);
    if (f->who) {
        strbuf_adds(out, ": ");
        entry_id_print(out, span_of(f->who));
    }
    if (f->contended) {
        strbuf_adds(out, ": ");
        finding_print_contention(f->contended, out);
    }
    if (f->kind != FINDING_OF_LOG || f->which < 0)
        return;
    if (f->measure == PROFILE_SLOW_TARGET) /* Lustre's names are hexadecimal */
        strbuf_addf(out, ": OST %lld (OST%04llx)", (long long)f->which,
                    (unsigned long long)f->which);
    else
        strbuf_addf(out, ": rank %lld", (long long)f->which);
}

void finding_print_evidence(const struct finding *f, struct strbuf *out)
{
    const char *between = "";
    finding_print_value(f, f->value, out);
    strbuf_adds(out, " (");
    if (!isnan(f->threshold)) {
        strbuf_adds(out, "reported above ");
        finding_print_value(f, f->threshold, out);
        between = "; ";
    }
    if (f->n > 0) {
        strbuf_addf(out, "%sn = %llu %s", between, (unsigned long long)f->n, f->n_word);
        between = "; ";
    }
    if (!isnan(f->p) && f->others > 0)
        strbuf_addf(out, "%sp = %.2g among %llu others", between, f->p,
                    (unsigned long long)f->others);
    else if (!isnan(f->p))
        strbuf_addf(out, "%sp = %.2g, its files dealt to targets anew", between, f->p);
    strbuf_addc(out, ')');
}

const char *finding_advice(const struct finding *f)
{
    return f->because || !f->rule ? NULL : f->rule->advice;
}

void finding_print_advice(const struct finding *f, int blanks, struct strbuf *out)
{
    const char *advice = finding_advice(f);
    if (advice)
        strbuf_addf(out, "%*s %s\n", blanks, "", advice);
}

void finding_print_rate(const struct finding *f, struct strbuf *out)
{
    finding_rate_print(finding_rate_of(f->name, finding_is_by_climate(f)), out);
}

void finding_print(const struct finding *f, double run_s, struct strbuf *out)
{
    strbuf_addf(out, "%-17s ", f->name);
    if (f->because) {
        strbuf_addf(out, "follows from %s: ", f->because);
    } else if (cost_is_known(&f->cost)) {
        cost_print(&f->cost, out);
        if (run_s > 0) {
            strbuf_adds(out, " of ");
            cost_print_seconds(run_s, out);
        }
        strbuf_adds(out, ": ");
    }
    finding_print_text(f, out);
    strbuf_addf(out, "\n%-17s ", "");
    finding_print_evidence(f, out);
    strbuf_addf(out, "\n%-17s ", "");
    finding_print_rate(f, out);
}
