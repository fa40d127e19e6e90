/* SPDX-License-Identifier: Apache-2.0 */
/* test_scrape_names - the component that an exporter's labels name. */
#include "base/span.h"
#include "wire/wire.h"

#include "base/test/testing.h"
#include "ingest/ingest.h"
#include "ingest/scrape_names.h"

#include <string.h>

static const char *maps[] = { "gpu accelerator" };
static const char *drops[] = { "UUID" };
static const char *all[] = { "*" };

static void labels_become_a_component(void **state)
{
    static const struct {
        const char *name;
        struct prometheus_label labels[3];
        size_t label_count;
        const char *host_label;
        bool has_map, drops_all;
        const char *want;
    } cases[] = {
        { "no labels", { { { 0 }, { 0 } } }, 0, "", false, false, "alex/n1" },
        { "a label that is mapped",
          { { SPAN("gpu"), SPAN("0") } },
          1,
          "",
          true,
          false,
          "alex/n1/accelerator:0" },
        { "one that is dropped, and one that names the host",
          { { SPAN("UUID"), SPAN("GPU-1") }, { SPAN("Hostname"), SPAN("n7") } },
          2,
          "Hostname",
          true,
          false,
          "alex/n7" },
        { "others are a level of their own",
          { { SPAN("cpu"), SPAN("0") }, { SPAN("mode"), SPAN("idle") } },
          2,
          "",
          false,
          false,
          "alex/n1/tags:cpu=0,mode=idle" },
        { "or are dropped, all of them",
          { { SPAN("cpu"), SPAN("0") }, { SPAN("gpu"), SPAN("3") } },
          2,
          "",
          true,
          true,
          "alex/n1/accelerator:3" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
        struct scrape_names_opts opts = { .cluster = SPAN("alex"),
                                          .host_label = cases[i].host_label };
        if (cases[i].has_map) {
            opts.map = (struct config_list){ maps, 1 };
            opts.drop = (struct config_list){ drops, 1 };
        }
        if (cases[i].drops_all)
            opts.drop = (struct config_list){ all, 1 };
        const struct prometheus_sample sample = { .labels = cases[i].labels,
                                                  .label_count = cases[i].label_count };
        assert_int_equal(scrape_names_make(&opts, SPAN("n1"), &sample, &path), 0);
        if (strcmp(strbuf_text(&path), cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].name, strbuf_text(&path));
    }
}

static void a_map_without_a_type_is_refused(void **state)
{
    static const struct {
        const char *map;
        int want;
    } cases[] = { { "gpu accelerator", 0 }, { "gpu", -EINVAL }, { "", -EINVAL } };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *items[] = { cases[i].map };
        const struct scrape_names_opts opts = { .map = { items, 1 } };
        struct err err = { 0 };
        int rc = scrape_names_check(&opts, &err);
        if (rc != cases[i].want)
            fail_msg("'%s': %d, %s", cases[i].map, rc, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_become_a_component),
        cmocka_unit_test(a_map_without_a_type_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
