/* SPDX-License-Identifier: Apache-2.0 */
/* stats_text - a node's counters in the text form of Prometheus. */
#include "session/stats_text.h"

void session_stats_print(const struct session_node_stats *s, const char *prefix,
                         struct strbuf *out)
{
    const struct {
        const char *name, *kind, *help;
        double value;
    } lines[] = {
        { "epochs_total", "counter", "Instants at which this node sampled.",
          (double)s->epochs },
        { "missed_total", "counter", "Instants that were announced too late.",
          (double)s->missed },
        { "late_total", "counter", "Contributions that came after their epoch closed.",
          (double)s->late },
        { "refused_contributions_total", "counter",
          "Contributions for nodes that are not below their sender, or twice.",
          (double)(s->foreign + s->overlapping) },
        { "skew_seconds", "gauge", "From the last instant to the sample.",
          (double)s->skew_ns / 1e9 },
        { "skew_max_seconds", "gauge", "The longest of these.",
          (double)s->skew_max_ns / 1e9 },
        { "burst_seconds", "gauge", "Duration of the last sample.",
          (double)s->burst_ns / 1e9 },
        { "burst_max_seconds", "gauge", "The longest of these.",
          (double)s->burst_max_ns / 1e9 },
        { "clock_difference_seconds", "gauge", "The parent's clock less this node's.",
          (double)s->clock_difference_ns / 1e9 },
        { "parents_lost_total", "counter", "Parents that were lost.",
          (double)s->parents_lost },
        { "children_lost_total", "counter", "Children that were lost.",
          (double)s->children_lost },
        { "nodes_refused_total", "counter", "Nodes that were refused at their hello.",
          (double)s->refused },
        { "impostors_total", "counter",
          "Peers that were refused: they do not show that they are whom they claim.",
          (double)s->impostors },
        { "events_forged_total", "counter",
          "Events that their origin, or the control node, did not sign.",
          (double)s->events_forged },
        { "half_open", "gauge", "Connections without a hello.", (double)s->half_open },
        { "half_open_dropped_total", "counter",
          "Connections without a hello that gave way to others.",
          (double)s->half_open_dropped },
        { "half_open_ended_total", "counter",
          "Connections that ended without a hello: scans, or another key.",
          (double)s->half_open_ended },
        { "slow_children", "gauge", "Children for which too much waits.",
          (double)s->slow_children },
        { "children", "gauge", "Children of this node.", s->children },
        { "online", "gauge", "Nodes that are online in the session.", s->online },
        { "depth", "gauge", "Distance from the control node.", s->depth },
        { "parent", "gauge", "Rank of the parent; -1: there is none now.",
          (double)s->parent_rank },
        { "events_total", "counter", "Events that were seen.", (double)s->events },
        { "events_published_total", "counter", "Events published here.",
          (double)s->events_published },
        { "events_refused_total", "counter", "Events refused here: a rate, a size.",
          (double)s->events_refused },
        { "events_lost_total", "counter", "Events that this node did not see.",
          (double)s->events_lost },
        { "events_dropped_total", "counter",
          "Events of children that published more than their subtrees may.",
          (double)s->events_dropped },
        { "incarnation", "gauge", "How often the control node began.",
          (double)s->incarnation },
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        strbuf_addf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n%s%s %.17g\n", prefix,
                    lines[i].name, lines[i].help, prefix, lines[i].name, lines[i].kind,
                    prefix, lines[i].name, lines[i].value);
}
