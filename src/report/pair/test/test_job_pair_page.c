/* SPDX-License-Identifier: Apache-2.0 */
/* test_job_pair_page - in what two runs differ: sentences, rows and JSON. */
#include "base/test/testing.h"
#include "report/pair/job_pair_page.h"

#include <math.h>

static struct difference of_log[] = {
    { "bytes", "bytes moved", "bytes", "volume", 1048576, 4194304, 1.386, 0.1, 13.86,
      true, false, false },
    { "meta", "share of time in metadata", "", "time", 0.1, 0.25, 0.15, 0.1, 1.5, false,
      false, true },
    { "program", "program", "", "identity", NAN, NAN, 20, 1, 20, true, false, false },
    { "files", "files", "", "volume", 0, 3, 20, 1, 20, true, false, false },
    { "ranks", "processes", "ranks", "volume", 8, 4, 0.69, 0.1, 6.9, true, false,
      false },
    { "speed", "speed", "bytes/s", "speed", 5, 0, 20, 1, 20, true, true, false },
};

static struct climate_value load = {
    .name = "load",
    .label = "load of <servers>",
    .unit = "%",
    .value = 90,
    .before = 10,
    .chance = 0.01,
    .q25 = 5,
    .q50 = NAN,
    .q75 = 20,
    .difference = { 200, 190, 0 },
    .rank = { 20, 18, 1 },
};

static struct job_pair *pair_new(void)
{
    struct job_pair *pair = calloc(1, sizeof *pair);
    assert_non_null(pair);
    for (int i = 0; i < 2; i++) {
        pair->runs[i].jobid = 4711 + i;
        (void)snprintf(pair->runs[i].exe, sizeof pair->runs[i].exe, "/bin/%s",
                       i ? "hacc" : "ior");
        (void)snprintf(pair->runs[i].program, sizeof pair->runs[i].program, "%s",
                       i ? "hacc" : "ior");
        job_context_init(&pair->comparison.jobs[i]);
    }
    pair->comparison.count = 2;
    pair->floors[PROFILE_SPEED] = log(1.4);
    return pair;
}

static void pair_free(struct job_pair *pair)
{
    job_pair_done(pair);
    free(pair);
}

static void item_add(struct job_pair *pair, enum contrast_kind kind,
                     const struct difference *d)
{
    pair->contrast.items[pair->contrast.count++] = (struct contrast_item){
        .kind = kind, .of_log = d, .floor = d->floor, .score = d->score
    };
}

static void text_is(const struct job_pair *pair, const char *want)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    job_pair_print_text(pair, &out);
    assert_string_equal(strbuf_text(&out), want);
}

static void nothing_unusual_is_stated_with_its_floor(void **state)
{
    (void)state;
    struct job_pair *pair = pair_new();
    text_is(pair, "A: job 4711, /bin/ior\nB: job 4712, /bin/hacc\n\n"
                  "Nothing differs beyond the usual 40 %.\n");
    pair->alike_count = 12;
    pair->set = "ior write";
    pair->pairs = 66;
    pair->runs[1].fault_count = 1;
    text_is(pair,
            "A: job 4711, /bin/ior\nB: job 4712, /bin/hacc\n"
            "Compared with 12 comparable runs.\n"
            "The noise floor is that of 66 pairs of comparable runs of ior write.\n\n"
            "Nothing differs beyond the usual 40 %.\n"
            "The log of B is not whole: what is missing is not seen.\n");
    pair_free(pair);
}

static void each_difference_is_a_line(void **state)
{
    (void)state;
    struct job_pair *pair = pair_new();
    for (size_t i = 0; i < COUNT_OF(of_log); i++)
        item_add(pair, of_log[i].is_effect ? CONTRAST_WENT : CONTRAST_DID, &of_log[i]);
    text_is(pair,
            "A: job 4711, /bin/ior\nB: job 4712, /bin/hacc\n\n"
            " 1. bytes moved                            1.00 MiB -> 4.00 MiB     x 4   "
            "         "
            "13.9 x the noise floor\n"
            " 2. share of time in metadata                10.0 % -> 25.0 %       +15.0 "
            "points   1.5 x the noise floor; follows\n"
            " 3. program                            ior -> hacc\n"
            " 4. files                                         0 -> 3            from "
            "nothing   20 x the noise floor\n"
            " 5. processes                               8 ranks -> 4 ranks      / 2   "
            "         "
            "6.9 x the noise floor\n"
            " 6. speed                                 5 bytes/s -> 0 bytes/s    to "
            "nothing     "
            "20 x the noise floor\n");
    pair_free(pair);
}

static void only_how_it_went_points_elsewhere(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_pair *pair = pair_new();
    item_add(pair, CONTRAST_WENT, &of_log[5]);
    job_pair_print_text(pair, &out);
    assert_non_null(
        strstr(strbuf_text(&out),
               "\n\nBoth did the same with another result: look at the file "
               "system and at co-scheduled jobs.\n 1. speed "));
    pair_free(pair);
}

static void both_did_the_same_needs_all_modules(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_pair *pair = pair_new();
    item_add(pair, CONTRAST_WENT, &of_log[5]);
    pair->runs[0].gaps.present = LOG_BIT(DARSHAN_POSIX) | LOG_BIT(DARSHAN_BGQ);
    pair->runs[1].gaps.partial = LOG_BIT(DARSHAN_STDIO);
    job_pair_print_text(pair, &out);
    assert_null(strstr(strbuf_text(&out), "Both did the same"));
    assert_non_null(strstr(strbuf_text(&out),
                           "What was compared is the same, with another result.\n"
                           "Not compared, or not whole: BG/Q, STDIO.\n"));
    pair_free(pair);
}

static void an_interface_of_one_run_is_named(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_pair *pair = pair_new();
    item_add(pair, CONTRAST_WENT, &of_log[5]);
    pair->runs[0].gaps.present = LOG_BIT(DARSHAN_POSIX) | LOG_BIT(DARSHAN_LUSTRE);
    pair->runs[1].gaps.present =
        LOG_BIT(DARSHAN_POSIX) | LOG_BIT(DARSHAN_H5D) | LOG_BIT(DARSHAN_HEATMAP);
    job_pair_print_text(pair, &out);
    assert_non_null(strstr(strbuf_text(&out),
                           "What was compared is the same, with another result.\n"
                           "Only B has records of H5D.\n"));
    pair_free(pair);
}

static void climate_add(struct job_pair *pair)
{
    pair->comparison.has_climate = true;
    pair->comparison.climate = (struct job_climate){
        .set = "ior write", .others = 20, .values = &load, .count = 1
    };
    pair->contrast.items[pair->contrast.count++] = (struct contrast_item){
        .kind = CONTRAST_AROUND, .around = &load, .floor = 2.5, .score = 32
    };
    pair->contrast.looked_at = 7;
    pair->contrast.left_out = 2;
}

static void climate_remove(struct job_pair *pair)
{
    pair->comparison.has_climate = false;
    pair->comparison.climate = (struct job_climate){ 0 };
}

static void with_a_climate_each_line_has_its_kind(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_pair *pair = pair_new();
    climate_add(pair);
    item_add(pair, CONTRAST_WENT, &of_log[5]);
    job_pair_print_text(pair, &out);
    const char *text = strstr(strbuf_text(&out), "\n\n");
    assert_non_null(text);
    assert_string_equal(
        text,
        "\n\nHeld against pairs of 20 other runs of B's class (ior write).\n\n 1. "
        "around  load of <servers>                          10 % -> 90 %"
        "                        32 x the noise floor; farther apart than 95.0 % of "
        "pairs; B "
        "more than in 18 of 20 runs\n"
        " 2. went    speed                                 5 bytes/s -> 0 bytes/s    "
        "to "
        "nothing     20 x the noise floor\n"
        "2 more of what was around them are as unusual.\n"
        "(7 measures of the climate were looked at; one in ten lies as far apart by "
        "chance.)\n");
    climate_remove(pair);
    pair_free(pair);
}

static void rows_have_the_same_for_programs(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_pair *pair = pair_new();
    item_add(pair, CONTRAST_DID, &of_log[0]);
    item_add(pair, CONTRAST_FOLLOWS, &of_log[1]);
    item_add(pair, CONTRAST_DID, &of_log[2]);
    item_add(pair, CONTRAST_WENT, &of_log[5]);
    job_pair_print_rows(pair, TABLE_FORM_CSV, &out);
    assert_string_equal(
        strbuf_text(&out),
        "measure,family,unit,kind,text_a,text_b,a,b,distance,floor,score\n"
        "bytes,volume,bytes,cause,,,1048576,4194304,1.386,0.1,13.86\n"
        "meta,time,\"\",follows,,,0.1,0.25,0.15,0.1,1.5\n"
        "program,identity,\"\",cause,ior,hacc,,,20,1,20\n"
        "speed,speed,bytes/s,effect,,,5,0,20,1,20\n");
    strbuf_clear(&out);
    pair->contrast.count = 1;
    climate_add(pair);
    pair->contrast.items[2] = pair->contrast.items[1];
    pair->contrast.items[2].kind = CONTRAST_FOLLOWS;
    pair->contrast.items[3] = pair->contrast.items[1];
    pair->contrast.items[3].kind = CONTRAST_WENT;
    pair->contrast.count = 4;
    job_pair_print_rows(pair, TABLE_FORM_CSV, &out);
    assert_string_equal(
        strbuf_text(&out),
        "measure,family,unit,kind,text_a,text_b,a,b,distance,floor,score,chance,pairs\n"
        "bytes,volume,bytes,cause,,,1048576,4194304,1.386,0.1,13.86,,\n"
        "load,climate,%,around,,,10,90,80,2.5,32,0.01,200\n"
        "load,climate,%,follows,,,10,90,80,2.5,32,0.01,200\n"
        "load,climate,%,effect,,,10,90,80,2.5,32,0.01,200\n");
    climate_remove(pair);
    pair_free(pair);
}

static void json_has_both_jobs_their_clock_and_their_class(void **state)
{
    (void)state;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct job_pair *pair = pair_new();
    struct job_comparison *c = &pair->comparison;
    climate_add(pair);
    c->has_clock = true;
    c->clock.offset_s = -3;
    pair->contrast.count = 0;
    job_pair_print_json(pair, &out);
    static const char climate[] =
        "\"clock_offset_s\":-3,\"climate\":{\"class\":\"ior write\",\"refused\":null,"
        "\"runs\":20,\"values\":[{\"name\":\"load\",\"label\":\"load of <servers>\","
        "\"before\":10,\"pairs\":200,\"pairs_nearer\":190,\"value\":90,\"q25\":5,"
        "\"q50\":null,\"q75\":20,\"chance\":0.01,\"others\":20,\"less\":18,"
        "\"equal\":1}]}}\n";
    assert_non_null(strstr(strbuf_text(&out), climate));
    assert_ptr_equal(strstr(strbuf_text(&out), "{\"differences\":["), out.data);
    assert_non_null(strstr(strbuf_text(&out), ",\"summary_a\":{"));
    assert_non_null(strstr(strbuf_text(&out), ",\"summary_b\":{"));
    /* Of one job there is nothing before. */
    strbuf_clear(&out);
    c->count = 1;
    c->has_clock = false;
    c->climate.set = NULL;
    c->climate.refused = "no class";
    job_pair_print_json(pair, &out);
    assert_non_null(strstr(strbuf_text(&out), ",\"summary\":{"));
    assert_non_null(strstr(strbuf_text(&out),
                           "\"climate\":{\"class\":null,\"refused\":\"no class\","));
    assert_null(strstr(strbuf_text(&out), "\"before\""));
    assert_null(strstr(strbuf_text(&out), "summary_a"));
    assert_null(strstr(strbuf_text(&out), "clock_offset_s"));
    c->count = 2;
    climate_remove(pair);
    pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_unusual_is_stated_with_its_floor),
        cmocka_unit_test(each_difference_is_a_line),
        cmocka_unit_test(only_how_it_went_points_elsewhere),
        cmocka_unit_test(both_did_the_same_needs_all_modules),
        cmocka_unit_test(an_interface_of_one_run_is_named),
        cmocka_unit_test(with_a_climate_each_line_has_its_kind),
        cmocka_unit_test(rows_have_the_same_for_programs),
        cmocka_unit_test(json_has_both_jobs_their_clock_and_their_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
