/* SPDX-License-Identifier: Apache-2.0 */
/* test_table - resources in memory: parts and wholes, enclosures, checks, changes. */
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "resource/resource.h"

#define CONFIG                                                                   \
    "[resource]\nhost = alex/a[1-4]\npart = fan: up\npart = accelerator: down\n" \
    "[enclosure c1]\ncluster = alex\nmember = a[1-2]\n"                          \
    "[enclosure r1]\ncluster = alex\nmember = c1,a3\ndown = unknown\n"

struct set {
    struct config *config;
    struct resource_rules *rules;
    struct resource_table *table;
    int64_t now_ns;
};

static int set_start(void **state)
{
    const struct config_section sections[] = { resource_config_section,
                                               enclosure_config_section };
    struct set *set = calloc(1, sizeof *set);
    struct err err = { 0 };
    assert_non_null(set);
    if (config_parse("barod.conf", SPAN(CONFIG), sections, COUNT_OF(sections),
                     &set->config, &err) < 0 ||
        resource_rules_new(set->config, &set->rules, &err) < 0 ||
        resource_table_new(set->rules, &set->table, &err) < 0)
        fail_msg("%s", err.text);
    set->now_ns = 1000 * NS_PER_S;
    *state = set;
    return 0;
}

static int set_end(void **state)
{
    struct set *set = *state;
    resource_table_free(set->table);
    resource_rules_free(set->rules);
    config_free(set->config);
    free(set);
    return 0;
}

static void apply(struct set *set, const char *component, const char *source,
                  enum resource_health health, const char *reason)
{
    set->now_ns += NS_PER_S;
    const struct resource_statement s = { .component = span_of(component),
                                          .source = span_of(source),
                                          .reason = span_of(reason),
                                          .health = health,
                                          .t_ns = set->now_ns };
    assert_null(resource_table_admits(set->table, &s));
    assert_int_equal(resource_table_apply(set->table, &s, 1, set->now_ns), 0);
}

static void load_empty(struct set *set)
{
    assert_int_equal(resource_table_load(set->table, NULL, 0, set->now_ns), 0);
}

static int print_view(void *arg, const struct resource_view *view)
{
    strbuf_addf(arg, SPAN_FMT " %s", SPAN_ARG(view->component),
                resource_health_name(view->health));
    if (view->source.size > 0)
        strbuf_addf(arg, " by " SPAN_FMT " of " SPAN_FMT " " SPAN_FMT,
                    SPAN_ARG(view->source), SPAN_ARG(view->cause),
                    SPAN_ARG(view->reason));
    strbuf_addc(arg, '\n');
    return 0;
}

static void check_list(struct set *set, const struct resource_filter *filter,
                       const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    assert_int_equal(resource_table_each(set->table, filter, print_view, &text), 0);
    assert_string_equal(strbuf_text(&text), want);
}

#define WORSE (1U << RESOURCE_DEGRADED | 1U << RESOURCE_DOWN | 1U << RESOURCE_DRAINED)
static const struct resource_filter worse = { .healths = WORSE };

static void nothing_is_known_before_it_is_loaded(void **state)
{
    struct set *set = *state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    assert_int_equal(resource_table_each(set->table, &worse, print_view, &text),
                     -EAGAIN);
    load_empty(set);
    check_list(set, &(struct resource_filter){ 0 },
               "alex/a1 unknown\nalex/a2 unknown\nalex/a3 unknown\nalex/a4 unknown\n"
               "alex/c1 unknown\nalex/r1 unknown\n");
}

static void a_bad_part_degrades_its_host(void **state)
{
    struct set *set = *state;
    load_empty(set);
    apply(set, "alex/a1", "system:ping", RESOURCE_UP, "");
    apply(set, "alex/a1/dimm:3", "system:edac", RESOURCE_DOWN, "14 errors");
    apply(set, "alex/a2/fan:1", "system:ipmi", RESOURCE_DOWN, "0 rpm");
    apply(set, "alex/a3/accelerator:0", "system:gpu", RESOURCE_DOWN, "fell off");
    apply(set, "alex/a4/x:1/y:2", "system:z", RESOURCE_DEGRADED, "r");
    apply(set, "alex/a4/dimm:1", "system:edac", RESOURCE_UNKNOWN, "timed out");
    check_list(set, &worse,
               "alex/a1 degraded by system:edac of alex/a1/dimm:3 14 errors\n"
               "alex/a1/dimm:3 down by system:edac of alex/a1/dimm:3 14 errors\n"
               "alex/a2/fan:1 down by system:ipmi of alex/a2/fan:1 0 rpm\n"
               "alex/a3 down by system:gpu of alex/a3/accelerator:0 fell off\n"
               "alex/a3/accelerator:0 down by system:gpu of alex/a3/accelerator:0 "
               "fell off\n"
               "alex/a4 degraded by system:z of alex/a4/x:1/y:2 r\n"
               "alex/a4/x:1 degraded by system:z of alex/a4/x:1/y:2 r\n"
               "alex/a4/x:1/y:2 degraded by system:z of alex/a4/x:1/y:2 r\n");
    apply(set, "alex/a1/dimm:3", "system:edac", RESOURCE_UP, "");
    check_list(set, &(struct resource_filter){ .below = SPAN("alex/a1") },
               "alex/a1 up by system:ping of alex/a1 \n"
               "alex/a1/dimm:3 up by system:edac of alex/a1/dimm:3 \n");
}

static void an_enclosure_that_is_down_has_its_members_so(void **state)
{
    struct set *set = *state;
    load_empty(set);
    apply(set, "alex/a1", "system:ping", RESOURCE_UP, "");
    apply(set, "alex/c1", "system:bmc", RESOURCE_DOWN, "no power");
    check_list(set, &worse,
               "alex/a1 down by system:bmc of alex/c1 no power\n"
               "alex/a2 down by system:bmc of alex/c1 no power\n"
               "alex/c1 down by system:bmc of alex/c1 no power\n");
    apply(set, "alex/c1", "system:bmc", RESOURCE_UP, "");
    check_list(set, &worse, "");
    /* Of a rack that is down it is not known how its members are. */
    apply(set, "alex/r1", "system:pdu", RESOURCE_DOWN, "no response");
    check_list(set, &worse, "alex/r1 down by system:pdu of alex/r1 no response\n");
    check_list(set, &(struct resource_filter){ .pattern = SPAN("alex/a[1-3]") },
               "alex/a1 up by system:ping of alex/a1 \nalex/a2 unknown\n"
               "alex/a3 unknown by system:pdu of alex/r1 no response\n");
    apply(set, "alex/r1", "admin", RESOURCE_DRAINED, "maintenance");
    check_list(set, &(struct resource_filter){ .healths = 1U << RESOURCE_DRAINED },
               "alex/a1 drained by admin of alex/r1 maintenance\n"
               "alex/a2 drained by admin of alex/r1 maintenance\n"
               "alex/a3 drained by admin of alex/r1 maintenance\n"
               "alex/c1 drained by admin of alex/r1 maintenance\n"
               "alex/r1 drained by admin of alex/r1 maintenance\n");
}

static void drained_stays_until_resumed(void **state)
{
    struct set *set = *state;
    load_empty(set);
    apply(set, "alex/a1", "system:ping", RESOURCE_DOWN, "no response");
    apply(set, "alex/a1", "admin", RESOURCE_DRAINED, "board swap");
    apply(set, "alex/a1", "system:ping", RESOURCE_UP, "");
    check_list(set, &worse, "alex/a1 drained by admin of alex/a1 board swap\n");
    apply(set, "alex/a1", "system:ping", RESOURCE_DOWN, "no response");
    apply(set, "alex/a1", "admin", RESOURCE_UP, "");
    check_list(set, &worse, "alex/a1 down by system:ping of alex/a1 no response\n");
}

static int print_check(void *arg, const char *host, const struct resource_view *view)
{
    strbuf_addf(arg, "%s %s\n", host,
                view ? resource_health_name(view->health) : "not known");
    return 0;
}

static void a_check_names_what_is_not_to_be_used(void **state)
{
    struct set *set = *state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(hostset_free) struct hostset *hosts = NULL;
    load_empty(set);
    apply(set, "alex/a2", "system:ping", RESOURCE_DOWN, "no response");
    apply(set, "alex/a3", "system:ping", RESOURCE_UNKNOWN, "timed out");
    apply(set, "alex/a4/dimm:1", "system:edac", RESOURCE_DEGRADED, "r");
    apply(set, "fritz/a1", "admin", RESOURCE_DRAINED, "r");
    assert_int_equal(hostset_parse(SPAN("a[1-5]"), &hosts, NULL), 0);
    assert_int_equal(
        resource_table_check(set->table, SPAN("alex"), hosts, print_check, &text), 0);
    assert_string_equal(strbuf_text(&text), "a2 down\na5 not known\n");
    strbuf_clear(&text);
    assert_int_equal(
        resource_table_check(set->table, SPAN(""), hosts, print_check, &text), 0);
    assert_string_equal(strbuf_text(&text), "a1 drained\na2 down\na5 not known\n");
}

static int print_source(void *arg, const struct resource_statement *s,
                        bool is_confirmed)
{
    strbuf_addf(arg, SPAN_FMT " %s%s\n", SPAN_ARG(s->source),
                resource_health_name(s->health), is_confirmed ? " confirmed" : "");
    return 0;
}

static void each_source_has_its_own(void **state)
{
    struct set *set = *state;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    load_empty(set);
    apply(set, "alex/a1", "user:eve", RESOURCE_DOWN, "slow");
    check_list(set, &worse, "");
    apply(set, "alex/a1", "system:ping", RESOURCE_DOWN, "no response");
    apply(set, "alex/a1", "system:edac", RESOURCE_UP, "");
    assert_int_equal(
        resource_table_sources(set->table, SPAN("alex/a1"), print_source, &text), 0);
    assert_string_equal(strbuf_text(&text),
                        "user:eve down confirmed\nsystem:ping down\nsystem:edac up\n");
    assert_int_equal(
        resource_table_sources(set->table, SPAN("alex/none"), print_source, &text),
        -ENOENT);
}

static void sources_are_bounded_and_an_administrator_has_a_place(void **state)
{
    struct set *set = *state;
    struct resource_statement s = { .component = SPAN("alex/a1"),
                                    .reason = SPAN("r"),
                                    .health = RESOURCE_DOWN,
                                    .t_ns = NS_PER_S };
    char name[32];
    load_empty(set);
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < 2 * RESOURCE_SOURCES_MAX; i++) {
            (void)snprintf(name, sizeof name, "%s:%d", kind ? "system" : "user", i);
            s.source = span_of(name);
            if (resource_table_admits(set->table, &s))
                break;
            assert_int_equal(resource_table_apply(set->table, &s, 1, NS_PER_S), 0);
        }
        assert_non_null(resource_table_admits(set->table, &s));
    }
    s.source = SPAN("admin");
    assert_null(resource_table_admits(set->table, &s));
    assert_int_equal(resource_table_apply(set->table, &s, 1, NS_PER_S), 0);
    s.source = SPAN("user:eve");
    s.component = SPAN("alex/none");
    assert_string_equal(resource_table_admits(set->table, &s),
                        "no such component is known");
}

/* One batch takes places as several do. */
static void a_batch_has_no_more_places(void **state)
{
    struct set *set = *state;
    AUTO(resource_admission_done) struct resource_admission a;
    size_t admitted = 0, parts = 0;
    char text[64];
    const char *reason;
    load_empty(set);
    resource_admission_begin(&a, set->table);
    struct resource_statement s = { .component = SPAN("alex/a1"),
                                    .health = RESOURCE_UP,
                                    .is_of_agent = true };
    for (int i = 0; i < 100; i++) {
        (void)snprintf(text, sizeof text, "system:%d", i);
        s.source = span_of(text);
        assert_int_equal(resource_admission_of(&a, &s, &reason), 0);
        admitted += !reason;
    }
    assert_int_equal(admitted, RESOURCE_OF_AGENTS_MAX);
    s.source = SPAN("system:presence");
    assert_int_equal(resource_admission_of(&a, &s, &reason), 0);
    assert_null(reason);
    s.source = SPAN("system:gpu");
    for (int i = 0; i < RESOURCE_PARTS_MAX; i++) {
        (void)snprintf(text, sizeof text, "alex/a2/x:%d/y:1", i);
        s.component = span_of(text);
        assert_int_equal(resource_admission_of(&a, &s, &reason), 0);
        parts += !reason;
    }
    assert_int_equal(parts, RESOURCE_PARTS_MAX / 2);
}

/* A token that is every node's cannot make all the components that there may be. */
static void nodes_leave_components_for_others(void **state)
{
    struct set *set = *state;
    AUTO(resource_admission_done) struct resource_admission a;
    const char *reason;
    load_empty(set);
    resource_admission_begin(&a, set->table);
    a.component_count = RESOURCES_OF_AGENTS_MAX - 1;
    struct resource_statement s = { .component = SPAN("fritz/f6"),
                                    .source = SPAN("system:gpu"),
                                    .health = RESOURCE_UP,
                                    .is_of_agent = true };
    assert_int_equal(resource_admission_of(&a, &s, &reason), 0);
    assert_null(reason);
    s.source = SPAN("system:dimm"); /* of one that is known */
    assert_int_equal(resource_admission_of(&a, &s, &reason), 0);
    assert_null(reason);
    s.component = SPAN("fritz/f7");
    assert_int_equal(resource_admission_of(&a, &s, &reason), 0);
    assert_string_equal(reason, "there are as many components as can be");
    s.is_of_agent = false;
    assert_int_equal(resource_admission_of(&a, &s, &reason), 0);
    assert_null(reason);
}

static int read_since(void *arg, const struct resource_view *view)
{
    *(int64_t *)arg = view->since_ns;
    return 0;
}

static int64_t since_s(struct set *set, const char *component)
{
    const struct resource_filter filter = { .pattern = span_of(component) };
    int64_t since_ns = 0;
    assert_int_equal(resource_table_each(set->table, &filter, read_since, &since_ns),
                     0);
    return (since_ns - 1000 * NS_PER_S) / NS_PER_S;
}

static void since_is_when_it_became_so(void **state)
{
    struct set *set = *state;
    load_empty(set);
    apply(set, "alex/a4", "system:other", RESOURCE_UP, "");   /* 1 */
    apply(set, "alex/a4", "system:ping", RESOURCE_DOWN, "r"); /* 2 */
    apply(set, "alex/a4", "system:ping", RESOURCE_UP, "");    /* 3 */
    assert_int_equal(since_s(set, "alex/a4"), 3);
    apply(set, "alex/a4", "system:new", RESOURCE_UP, ""); /* 4 */
    assert_int_equal(since_s(set, "alex/a4"), 3);
    apply(set, "alex/a4/dimm:1", "system:edac", RESOURCE_DOWN, "r"); /* 5 */
    apply(set, "alex/a4", "system:ping", RESOURCE_DOWN, "r");        /* 6 */
    apply(set, "alex/a4", "system:new", RESOURCE_DOWN, "r");         /* 7 */
    apply(set, "alex/a4", "system:ping", RESOURCE_UP, "");           /* 8 */
    assert_int_equal(since_s(set, "alex/a4"), 6);
    apply(set, "alex/a4", "system:new", RESOURCE_UP, ""); /* 9 */
    assert_int_equal(since_s(set, "alex/a4"), 9);
    apply(set, "alex/a4/dimm:1", "system:edac", RESOURCE_UP, ""); /* 10 */
    assert_int_equal(since_s(set, "alex/a4"), 10);
}

/* Of what is loaded it is never earlier than it was. */
static void up_is_since_the_last_that_is_so(void **state)
{
    struct set *set = *state;
    const int64_t s_ns = 1000 * NS_PER_S;
    const struct resource_statement stored[] = {
        { .component = SPAN("alex/a4"),
          .source = SPAN("system:ping"),
          .t_ns = 1,
          .stored_ns = s_ns + 7 * NS_PER_S },
        { .component = SPAN("alex/a4"),
          .source = SPAN("system:presence"),
          .t_ns = 1,
          .stored_ns = s_ns + NS_PER_S },
        { .component = SPAN("alex/a3"),
          .source = SPAN("system:ping"),
          .t_ns = 1,
          .stored_ns = s_ns + NS_PER_S },
        /* It may have been down until then. */
        { .component = SPAN("alex/a3/dimm:1"),
          .source = SPAN("system:edac"),
          .reason = SPAN("timed out"),
          .health = RESOURCE_UNKNOWN,
          .t_ns = 1,
          .stored_ns = s_ns + 8 * NS_PER_S },
    };
    assert_int_equal(
        resource_table_load(set->table, stored, COUNT_OF(stored), s_ns + 9 * NS_PER_S),
        0);
    assert_int_equal(since_s(set, "alex/a4"), 7);
    assert_int_equal(since_s(set, "alex/a3"), 8);
}

static int print_change(void *arg, const struct resource_change *c)
{
    strbuf_addf(arg, SPAN_FMT " %s>%s\n", SPAN_ARG(c->component),
                resource_health_name(c->from), resource_health_name(c->to));
    return 0;
}

static void check_changes(struct set *set, struct resource_change_id *at, size_t limit,
                          bool is_lost, const char *want)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct resource_changes_query query = { .after = *at, .limit = limit };
    assert_int_equal(resource_table_changes(set->table, &query, print_change, &text),
                     0);
    *at = query.after;
    assert_string_equal(strbuf_text(&text), want);
    assert_int_equal(query.is_lost, is_lost);
}

static void changes_are_followed_and_what_is_lost_is_noted(void **state)
{
    struct set *set = *state;
    struct resource_change_id at = { 0 }, old = { 17, 1 };
    load_empty(set);
    check_changes(set, &at, 100, false, "");
    assert_false(resource_table_has_changes(set->table, at));
    apply(set, "alex/a1/dimm:3", "system:edac", RESOURCE_DEGRADED, "r");
    apply(set, "alex/a1/dimm:3", "system:edac", RESOURCE_DEGRADED, "other");
    assert_true(resource_table_has_changes(set->table, at));
    check_changes(set, &at, 1, false, "alex/a1/dimm:3 unknown>degraded\n");
    check_changes(set, &at, 100, false, "alex/a1 unknown>degraded\n");
    check_changes(set, &old, 1, true, "alex/a1/dimm:3 unknown>degraded\n");
    for (int i = 0; i < RESOURCE_CHANGES_MAX; i++)
        apply(set, "alex/a4", "system:x", i % 2 ? RESOURCE_UP : RESOURCE_DOWN, "r");
    check_changes(set, &at, 1, false, "alex/a4 unknown>down\n");
    apply(set, "alex/a4", "system:x", RESOURCE_DOWN, "r");
    apply(set, "alex/a4", "system:x", RESOURCE_UP, "r");
    check_changes(set, &at, 1, true, "alex/a4 up>down\n");
    /* What was loaded anew begins anew. */
    load_empty(set);
    assert_true(resource_table_has_changes(set->table, at));
    check_changes(set, &at, 1, true, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_known_before_it_is_loaded, set_start,
                                        set_end),
        cmocka_unit_test_setup_teardown(a_bad_part_degrades_its_host, set_start,
                                        set_end),
        cmocka_unit_test_setup_teardown(an_enclosure_that_is_down_has_its_members_so,
                                        set_start, set_end),
        cmocka_unit_test_setup_teardown(drained_stays_until_resumed, set_start,
                                        set_end),
        cmocka_unit_test_setup_teardown(a_check_names_what_is_not_to_be_used, set_start,
                                        set_end),
        cmocka_unit_test_setup_teardown(each_source_has_its_own, set_start, set_end),
        cmocka_unit_test_setup_teardown(
            sources_are_bounded_and_an_administrator_has_a_place, set_start, set_end),
        cmocka_unit_test_setup_teardown(a_batch_has_no_more_places, set_start, set_end),
        cmocka_unit_test_setup_teardown(nodes_leave_components_for_others, set_start,
                                        set_end),
        cmocka_unit_test_setup_teardown(since_is_when_it_became_so, set_start, set_end),
        cmocka_unit_test_setup_teardown(up_is_since_the_last_that_is_so, set_start,
                                        set_end),
        cmocka_unit_test_setup_teardown(changes_are_followed_and_what_is_lost_is_noted,
                                        set_start, set_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
