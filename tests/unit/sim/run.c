/* SPDX-License-Identifier: Apache-2.0
 * run.c: runs: what is counted, at which instant, and that a seed repeats it. */
#include "sim/run.h"

#include "sim_test.h"
#include "suites.h"

static sim_test it;

static const char mixed[] =
    "{'name':'m','tables':[{'name':'T','partition_key':'pk','sort_key':'sk','billing':'provisioned','throughput':"
    "{'read':200,'write':200},'indexes':[{'name':'g','partition_key':'a','throughput':{'read':50,'write':50}},"
    "{'name':'l','local':true,'sort_key':'b'}],'fill':{'count':500,'keys':{'distribution':'uniform','n':20},"
    "'sort_keys':{'distribution':'sequence'},'size':300}}],'capacity':{'burst_window':10},'phases':[{'name':'one',"
    "'duration':30,'load':[{'table':'T','rate':{'from':100,'to':400},'arrivals':'poisson','size':{'min':100,'max':3000}"
    ","
    "'operations':{'put':4,'update':2,'get':2,'delete':1,'query':1},'keys':{'distribution':'zipf','n':50},'sort_keys':"
    "{'distribution':'random'},'attributes':{'a':{'distribution':'uniform','n':5,'share':0.7},'b':{'distribution':"
    "'time','format':'timestamp'}}},{'table':'T','index':'g','rate':10,'operations':{'query':1,'scan':1},'limit':5,"
    "'keys':{'distribution':'uniform','n':5}},{'table':'T','index':'l','rate':3,'operations':'scan'}]},"
    "{'duration':15,'load':[{'table':'T','rate':7,'operations':'scan','consistent':true}],'actions':[{'at':5,"
    "'update_table':{'table':'T','throughput':{'read':400,'write':100}}}]}]}";

static void teardown(void)
{
    sim_test_close(&it);
}

static void check_sums(const td_sim_counts *counts)
{
    ck_assert_uint_eq(counts->offered, counts->accepted + counts->failed + td_sim__throttled(counts));
}

START_TEST(a_single_hot_key_gets_what_one_partition_serves)
{
    /* S9: 1,500 writes a second on one item of a new on-demand table; the bucket holds a second's worth at first. */
    sim_test_run(&it,
                 "{'name':'n','tables':[{'name':'T','partition_key':'pk','billing':'on-demand'}],'phases':["
                 "{'duration':100,'load':[{'table':'T','rate':1500,'operations':'put','keys':'hot'}]}]}",
                 0, 1);
    const td_sim_counts *total = sim_test_total(&it, "T", "");
    ck_assert_uint_eq(total->offered, 150000);
    ck_assert_double_eq_tol((double)total->accepted, 101000, 2);
    ck_assert_uint_eq(total->throttled[TD_LIMITED_BY_KEY_RANGE], total->offered - total->accepted);
    ck_assert_int_eq(total->consumed[TD_WRITE], (td_units)total->accepted * TD_UNITS_ONE);
}
END_TEST

START_TEST(a_provisioned_table_has_its_burst)
{
    /* S1: 100 units provisioned, 200 offered: 300 seconds free, then half. */
    sim_test_run(&it,
                 "{'name':'n','tables':[{'name':'T','partition_key':'pk','billing':'provisioned','throughput':"
                 "{'read':1,'write':100}}],'phases':[{'name':'a','duration':299,'load':[{'table':'T','rate':200,"
                 "'operations':'put','keys':'k'}]},{'name':'b','duration':101,'load':[{'table':'T','rate':200,"
                 "'operations':'put','keys':'k'}]}]}",
                 0, 1);
    const td_sim_place *place = sim_test_place(&it, "T", "");
    ck_assert_uint_eq(td_sim__throttled(&place->phases[0].counts), 0);
    ck_assert_double_eq_tol((double)place->phases[1].counts.throttled[TD_LIMITED_BY_PROVISIONED], 10000, 10);
    ck_assert_double_eq_tol(place->samples[199].balance[TD_WRITE], 10000, 101);
}
END_TEST

START_TEST(an_index_that_holds_its_table_back_is_told_at_both)
{
    sim_test_run(&it,
                 "{'name':'n','tables':[{'name':'T','partition_key':'pk','billing':'on-demand','indexes':[{'name':"
                 "'g','partition_key':'a','projection':'keys_only'}]}],'phases':[{'duration':20,'load':[{'table':"
                 "'T','rate':3000,'operations':'put','keys':{'distribution':'sequence'},'attributes':{'a':'ONE'}}"
                 "]}]}",
                 0, 1);
    const td_sim_counts *table = sim_test_total(&it, "T", "");
    const td_sim_counts *index = sim_test_total(&it, "T", "g");
    ck_assert_double_eq_tol((double)table->accepted, 21000, 2);
    ck_assert_uint_eq(table->throttled[TD_SIM_BY_INDEX], table->offered - table->accepted);
    ck_assert_uint_eq(index->accepted, table->accepted);
    ck_assert_uint_eq(index->throttled[TD_LIMITED_BY_KEY_RANGE], table->throttled[TD_SIM_BY_INDEX]);
}
END_TEST

START_TEST(what_is_throttled_is_sent_again_when_the_load_says_so)
{
    /* The sequence waits for its operation: as many keys as were accepted. */
    sim_test_run(&it,
                 "{'name':'n','capacity':{'partition_write_cap':10},'tables':[{'name':'T','partition_key':'pk',"
                 "'sort_key':{'name':'sk','type':'N'},'billing':'on-demand'}],'phases':[{'duration':20,'load':["
                 "{'table':'T','rate':50,'retry':true,'operations':'put','keys':'k','sort_keys':{'distribution':"
                 "'sequence'}}]}]}",
                 0, 1);
    const td_sim_counts *total = sim_test_total(&it, "T", "");
    ck_assert_double_eq_tol((double)total->accepted, 210, 1);
    const td_sim_source *sequence = &it.scenario.phases[0].loads[0].fields[1].source;
    ck_assert_uint_le(sequence->drawn, total->accepted + 1);
}
END_TEST

START_TEST(all_kinds_of_operations_add_up)
{
    sim_test_run(&it, mixed, 0, 1);
    ck_assert_msg(it.record.first_failure.len == 0, "%.*s", (int)it.record.first_failure.len,
                  (const char *)it.record.first_failure.ptr);
    for (uint32_t i = 0; i < it.record.place_count; i++) {
        const td_sim_place *place = &it.record.places[i];
        td_sim_counts sum = {.offered = 0};
        ck_assert_uint_gt(place->total.offered, 0);
        check_sums(&place->total);
        for (uint32_t j = 0; j < it.record.phase_count; j++) {
            check_sums(&place->phases[j].counts);
            sum.offered += place->phases[j].counts.offered;
            sum.accepted += place->phases[j].counts.accepted;
            sum.consumed[TD_READ] += place->phases[j].counts.consumed[TD_READ];
        }
        ck_assert_uint_eq(sum.offered, place->total.offered);
        ck_assert_uint_eq(sum.accepted, place->total.accepted);
        ck_assert_int_eq(sum.consumed[TD_READ], place->total.consumed[TD_READ]);
    }
    ck_assert_uint_gt(td_sim__throttled(sim_test_total(&it, "T", "")), 0);
    ck_assert_uint_eq(it.record.event_count, 1);
}
END_TEST

START_TEST(a_split_by_hand_is_counted_and_told)
{
    sim_test_run(&it,
                 "{'name':'n','tables':[{'name':'T','partition_key':'pk','billing':'on-demand'}],'phases':[{'duration':"
                 "20,'load':[{'table':'T','rate':100,'operations':'put','keys':{'distribution':'uniform','n':1000}}],"
                 "'actions':[{'at':10,'split':{'table':'T','partition':'p-0001'}},{'at':15,'split':{'table':'T',"
                 "'partition':'p-9999'}}]}]}",
                 0, 1);
    const td_sim_place *place = sim_test_place(&it, "T", "");
    ck_assert_uint_eq(place->phases[0].partitions_before, 4);
    ck_assert_uint_eq(place->phases[0].partitions_after, 5);
    ck_assert_uint_eq(place->phases[0].splits, 1);
    ck_assert_uint_eq(place->samples[9].partitions, 4);
    ck_assert_uint_eq(place->samples[10].partitions, 5);
    ck_assert_uint_eq(place->border_count, 5);
    const td_sim_event *last = &it.record.events[it.record.event_count - 1];
    ck_assert(td_slice_equal(last->text, TD_LIT("split T: refused: there is no such partition")));
}
END_TEST

START_TEST(scale_keeps_the_picture)
{
    static const char text[] =
        "{'name':'n','tables':[{'name':'P','partition_key':'pk','billing':'provisioned','throughput':{'read':10,'write'"
        ":"
        "1000}},{'name':'O','partition_key':'pk','billing':'on-demand'}],'phases':[{'duration':60,'load':[{'table':'P',"
        "'rate':900,'operations':'put','keys':{'distribution':'uniform','n':1000}},{'table':'O','rate':1500,'"
        "operations':"
        "'put','keys':'k'}]}]}";
    sim_test_run(&it, text, 0, 0.1);
    ck_assert_uint_eq(sim_test_total(&it, "P", "")->offered, 5400);
    ck_assert_uint_eq(td_sim__throttled(sim_test_total(&it, "P", "")), 0);
    ck_assert_double_eq_tol((double)sim_test_total(&it, "O", "")->accepted, 6100, 2);
}
END_TEST

/* All that a run writes. */
static void write_all(td_buf *buf)
{
    td_sim__write_summary(&it.record, buf);
    for (uint32_t i = 0; i <= it.record.place_count; i++)
        td_sim__write_csv(&it.record, i, buf);
    td_sim__write_html(&it.record, buf);
    ck_assert(!td_buf_has_failed(buf));
}

START_TEST(the_same_seed_gives_the_same_bytes)
{
    td_buf written[3];
    for (int i = 0; i < 3; i++) {
        td_buf_init(&written[i], (size_t)64 << 20);
        bool is_read = sim_test_read(&it, mixed);
        ck_assert_msg(is_read, "%s", it.reader.sentence);
        it.scenario.seed = i < 2 ? 5 : 6;
        sim_test_run_read(&it, 0, 1);
        write_all(&written[i]);
        if (i < 2) sim_test_close(&it);
    }
    ck_assert(td_slice_equal(td_buf_contents(&written[0]), td_buf_contents(&written[1])));
    ck_assert(!td_slice_equal(td_buf_contents(&written[0]), td_buf_contents(&written[2])));
    for (int i = 0; i < 3; i++)
        td_buf_done(&written[i]);
}
END_TEST

START_TEST(texts_of_a_scenario_are_no_markup)
{
    sim_test_run(&it,
                 "{'name':'<script>alert(1)</script>','story':'a & b','tables':[{'name':'T','partition_key':'pk',"
                 "'billing':'on-demand'}],'phases':[{'name':'<b>','duration':5,'load':[{'table':'T','rate':10,"
                 "'operations':'put','keys':'<i>'}]}]}",
                 0, 1);
    td_buf buf;
    td_buf_init(&buf, (size_t)64 << 20);
    write_all(&buf);
    td_buf_append_byte(&buf, '\0');
    const char *page = strstr((const char *)buf.data, "<!doctype html>");
    ck_assert_ptr_nonnull(page);
    ck_assert_ptr_null(strstr(page, "<script"));
    ck_assert_ptr_null(strstr(page, "<i>"));
    ck_assert_ptr_nonnull(strstr(page, "a &amp; b"));
    ck_assert_ptr_null(strstr(page, "http"));
    td_buf_done(&buf);
}
END_TEST

TCase *run_tests(void)
{
    TCase *tests = tcase_create("run");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, a_single_hot_key_gets_what_one_partition_serves);
    tcase_add_test(tests, a_provisioned_table_has_its_burst);
    tcase_add_test(tests, an_index_that_holds_its_table_back_is_told_at_both);
    tcase_add_test(tests, what_is_throttled_is_sent_again_when_the_load_says_so);
    tcase_add_test(tests, all_kinds_of_operations_add_up);
    tcase_add_test(tests, a_split_by_hand_is_counted_and_told);
    tcase_add_test(tests, scale_keeps_the_picture);
    tcase_add_test(tests, the_same_seed_gives_the_same_bytes);
    tcase_add_test(tests, texts_of_a_scenario_are_no_markup);
    return tests;
}
