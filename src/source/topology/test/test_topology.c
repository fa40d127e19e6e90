/* SPDX-License-Identifier: Apache-2.0 */
/* test_topology - places, radii and gateways out of the texts of any site. */
#include "base/span.h"
#include "base/strbuf.h"
#include "base/test/testing.h"
#include "source/topology/topology.h"

#include <inttypes.h>
#include <math.h>

#define CRAY(id, x, y, z)                                                \
    "cpu=0,slot=2,cab_position=2,x_coord=" x ",y_coord=" y ",z_coord=" z \
    ",processor_status='up',note='a,x_coord=9',processor_id=" id ",od=null\n"

static void hear_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    strbuf_addf(arg, "! %" PRIu64 " %s\n", line, reason);
}

static void print_node(const struct node_map *map, const char *name, struct strbuf *out)
{
    const struct node_map_node *node = node_map_find(map, span_of(name));
    if (!node)
        return;
    strbuf_adds(out, name);
    if (node->has_place)
        strbuf_addf(out, " %g %g %g", node->at[0], node->at[1], node->at[2]);
    for (size_t i = 0; i < node->gateway_count; i++)
        strbuf_addf(out, " %s", map->gateways[node->gateways[i]]);
    strbuf_addc(out, '\n');
}

static void every_line_says_what_it_says(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        { "a Cray's lines",
          "#\n# a table\n" CRAY("7", "1", "0", "22") CRAY("65432", "2", "3", "4"),
          "nid00007 1 0 22\nnid65432 2 3 4\n" },
        { "a Cray's lines that lack something",
          CRAY("null", "1", "0", "2") CRAY("7", "null", "0", "2")
              CRAY("99999999", "1", "1", "1") "processor_id=7,x_coord=1,y_coord=1\n",
          "! 1 processor_id is not a number\n! 2 a coordinate is not a number, or too "
          "far "
          "away\n"
          "! 3 processor_id or a coordinate is missing\n"
          "! 4 processor_id or a coordinate is missing\n" },
        { "plain places, one said twice", "n1 1 2 3\n\n  n2\t-0.5  1e3 0 \nn1 4 5 6\n",
          "n1 4 5 6\nn2 -0.5 1000 0\n" },
        { "gateways of sets", "n[1-2] via g[1-2]\nn2 via g3,g1\nn2 0 0 0\n",
          "n1 g1 g2\nn2 0 0 0 g3 g1\n" },
        { "what is none of these",
          "n1 1 2\nn1 1 2 3 4\nn1 1 2 x\nn1 1 2 1e300\nn[1 via g\nn1 via g[\nn1 via\n",
          "! 1 it is neither 'NODES X Y Z' nor 'NODES via GATEWAYS'\n"
          "! 2 it is neither 'NODES X Y Z' nor 'NODES via GATEWAYS'\n"
          "! 3 a coordinate is not a number, or too far away\n"
          "! 4 a coordinate is not a number, or too far away\n"
          "! 5 the nodes are no set of hosts\n! 6 the gateways are no set of hosts\n"
          "! 7 it is neither 'NODES X Y Z' nor 'NODES via GATEWAYS'\n" },
        { "a last line that is cut", "n1 1 2 3\nn2 1 2 3",
          "! 2 the line is cut\nn1 1 2 3\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(node_map_done) struct node_map map;
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        node_map_init(&map);
        assert_int_equal(node_map_add(&map, span_of(cases[i].text), hear_fault, &out),
                         0);
        static const char *const names[] = { "n1", "n2", "nid00007", "nid65432" };
        for (size_t n = 0; n < COUNT_OF(names); n++)
            print_node(&map, names[n], &out);
        if (strcmp(strbuf_text(&out), cases[i].want) != 0)
            fail_msg("%s: got\n%s", cases[i].name, strbuf_text(&out));
    }
}

static void map_of(struct node_map *map, const char *text)
{
    node_map_init(map);
    assert_int_equal(node_map_add(map, span_of(text), NULL, NULL), 0);
    assert_int_equal(map->fault_count, 0);
}

static struct hostset *set_of(const char *text)
{
    struct hostset *set = NULL;
    assert_int_equal(hostset_parse(span_of(text), &set, NULL), 0);
    return set;
}

static void radii_are_distances_to_the_middle(void **state)
{
    (void)state;
    AUTO(node_map_done) struct node_map map;
    AUTO(hostset_free) struct hostset *nodes = set_of("n[1-4],n1,n9");
    AUTO(hostset_free) struct hostset *unknown = set_of("m1");
    struct node_spread spread;
    map_of(&map, "n1 0 0 0\nn2 6 0 0\nn3 3 9 0\nn4 3 3 0\nn9 via g\n");
    assert_int_equal(node_spread(&map, nodes, &spread), 0);
    assert_int_equal(spread.nodes, 5); /* n1 once */
    assert_int_equal(spread.placed, 4);
    assert_int_equal(spread.routed, 1);
    /* The middle is 3 3 0. */
    assert_true(spread.radius_min == 0 && spread.radius_max == 6);
    assert_true(fabs(spread.radius_mean - (2 * sqrt(18) + 6) / 4) < 1e-12);
    assert_int_equal(node_spread(&map, unknown, &spread), 0);
    assert_true(spread.nodes == 1 && spread.placed == 0 && isnan(spread.radius_mean));
}

static void gateways_are_counted_once_and_shared_ones_seen(void **state)
{
    (void)state;
    AUTO(node_map_done) struct node_map map;
    AUTO(hostset_free) struct hostset *ours = set_of("n[1-3]");
    AUTO(hostset_free) struct hostset *theirs = set_of("n[3-5]");
    uint8_t used[8] = { 0 };
    map_of(&map, "n[1-2] via g1\nn3 via g[1-2]\nn[4-5] via g[2-3]\nn6 via g4\n");
    assert_int_equal(map.gateway_count, 4);
    assert_int_equal(node_gateways(&map, ours, 1, used), 2);
    assert_int_equal(node_gateways(&map, ours, 1, used), 0);
    assert_int_equal(node_gateways(&map, theirs, 2, used), 3);
    assert_true(used[0] == 3 && used[1] == 3 && used[2] == 2 && used[3] == 0);
}

static void too_many_names_cost_their_lines(void **state)
{
    (void)state;
    AUTO(node_map_done) struct node_map map;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    /* 65 lists of 65,536 gateways: the last is over NODE_MAP_LINKS_MAX. */
    for (int i = 0; i < 65; i++)
        strbuf_addf(&text, "n%d via g[1-65536]\n", i);
    strbuf_adds(&text, "n1 via h\nn2 1 1 1\n");
    node_map_init(&map);
    assert_int_equal(node_map_add(&map, strbuf_span(&text), NULL, NULL), 0);
    assert_int_equal(map.fault_count, 2);
    assert_int_equal(map.link_count, NODE_MAP_LINKS_MAX);
    assert_int_equal(map.gateway_count, NODE_MAP_GATEWAYS_MAX);
    assert_true(node_map_find(&map, SPAN("n2"))->has_place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_says_what_it_says),
        cmocka_unit_test(radii_are_distances_to_the_middle),
        cmocka_unit_test(gateways_are_counted_once_and_shared_ones_seen),
        cmocka_unit_test(too_many_names_cost_their_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
