/* SPDX-License-Identifier: Apache-2.0
 * reader.c: what a scenario's document may say, and the sentences when it says something else. */
#include "sim_test.h"
#include "suites.h"

/* Around what a test is about. */
#define HEAD "{'name':'n','tables':["
#define TABLE "{'name':'T','partition_key':'pk','billing':'on-demand'}"
#define PHASES "],'phases':["
#define PHASE(load) "{'duration':10,'load':[" load "]}"
#define LOAD(rest) "{'table':'T','rate':1,'operations':'put'," rest "}"
#define TAIL "]}"
#define WITH_TABLE(table) HEAD table PHASES PHASE("") TAIL
#define WITH_LOAD(load) HEAD TABLE PHASES PHASE(load) TAIL
#define WITH_KEYS(keys) WITH_LOAD(LOAD("'keys':" keys))

static const struct {
    const char *text;
    const char *sentence;
} refused[] = {
    {"[1", "the body is not one JSON document"},
    {"[]", "must be an object with members of: name story seed start table_delays capacity tables phases"},
    {"{'name':'n','tabels':[]}", "unknown member \"tabels\"; known here: name story seed start table_delays capacity "
                                 "tables phases"},
    {"{'tables':[],'phases':[]}", "name: is missing"},
    {"{'name':7}", "name: must be a text"},
    {"{'name':'n','seed':-1}", "seed: must be a whole number from 0 to 9007199254740991"},
    {"{'name':'n','start':'yesterday'}", "start: must be an instant such as \"2026-11-13T12:00:00Z\""},
    {"{'name':'n','story':[1]}", "story[0]: must be a text"},
    {"{'name':'n','capacity':{'heat':1}}", "capacity: there is no setting \"heat\" (thermodyn --help lists them)"},
    {"{'name':'n','capacity':{'burst_window':0}}",
     "capacity.burst_window: \"burst_window\" must be a number from 0.001 to 86400"},
    {"{'name':'n','capacity':{'preset':'slow'}}",
     "capacity.preset: \"preset\" must be \"faithful\", \"laptop\" or \"unit-test\""},
    {"{'name':'n'}", "tables: is missing"},
    {HEAD TAIL, "tables: must be a list of 1 to 32 elements"},
    {WITH_TABLE("{'name':'T/1','partition_key':'pk','billing':'on-demand'}"),
     "tables[0].name: must have 255 characters at most, of a-z, A-Z, 0-9, '_', '-' and '.'"},
    {WITH_TABLE("{'name':'T','billing':'on-demand'}"), "tables[0].partition_key: is missing"},
    {WITH_TABLE("{'name':'T','partition_key':{'name':'pk','type':'SS'},'billing':'on-demand'}"),
     "tables[0].partition_key.type: must be one of \"S\", \"N\", \"B\""},
    {WITH_TABLE("{'name':'T','partition_key':'pk','billing':'free'}"),
     "tables[0].billing: must be one of \"provisioned\", \"on-demand\""},
    {WITH_TABLE("{'name':'T','partition_key':'pk','billing':'provisioned'}"), "tables[0].throughput: is missing"},
    {WITH_TABLE("{'name':'T','partition_key':'pk','billing':'on-demand','throughput':{'read':1}}"),
     "tables[0].throughput: only provisioned tables have it"},
    {WITH_TABLE("{'name':'T','partition_key':'pk','billing':'provisioned','throughput':{'write':0}}"),
     "tables[0].throughput.write: must be a whole number from 1 to 1000000000000"},
    {WITH_TABLE(TABLE "," TABLE), "tables[1].name: another table has this name"},
    {WITH_TABLE("{'name':'T','partition_key':'pk','billing':'on-demand','indexes':[{'name':'i','local':true,"
                "'sort_key':'a'}]}"),
     "tables[0].indexes[0].local: a table without a sort key has no local indexes"},
    {WITH_TABLE("{'name':'T','partition_key':'pk','billing':'on-demand','indexes':[{'name':'i','partition_key':"
                "{'name':'pk','type':'N'}}]}"),
     "tables[0].indexes[0].partition_key: \"pk\" has another type elsewhere in the table"},
    {HEAD TABLE PHASES "{}" TAIL, "phases[0].duration: is missing"},
    {HEAD TABLE PHASES "{'duration':'5 weeks'}" TAIL,
     "phases[0].duration: must be a number of seconds, or a text such as \"90 s\", \"15 min\" or \"2 h\", of 2678400 s "
     "at most"},
    {HEAD TABLE PHASES "{'duration':0.5}" TAIL, "phases[0].duration: must be a second or more"},
    {WITH_LOAD("{'table':'U','rate':1,'operations':'put','keys':'k'}"),
     "phases[0].load[0].table: there is no table \"U\" in \"tables\""},
    {WITH_LOAD("{'table':'T','rate':-1,'operations':'put','keys':'k'}"),
     "phases[0].load[0].rate: must be a number from 0 to 1000000"},
    {WITH_LOAD("{'table':'T','rate':{'from':1},'operations':'put','keys':'k'}"),
     "phases[0].load[0].rate.to: is missing"},
    {WITH_LOAD("{'table':'T','rate':1,'operations':'post','keys':'k'}"),
     "phases[0].load[0].operations: must be one of \"put\", \"get\", \"update\", \"delete\", \"query\", \"scan\""},
    {WITH_LOAD("{'table':'T','rate':1,'operations':{'put':0},'keys':'k'}"),
     "phases[0].load[0].operations: must have a weight above 0"},
    {WITH_LOAD("{'table':'T','rate':1,'operations':'put','index':'i','keys':'k'}"),
     "phases[0].load[0].index: the table has no index \"i\""},
    {WITH_LOAD(LOAD("'size':0,'keys':'k'")), "phases[0].load[0].size: must be a whole number from 1 to 409600"},
    {WITH_LOAD(LOAD("'arrivals':'odd','keys':'k'")),
     "phases[0].load[0].arrivals: must be one of \"even\", \"poisson\""},
    {WITH_LOAD("{'table':'T','rate':1,'operations':'put'}"), "phases[0].load[0].keys: is missing"},
    {WITH_LOAD(LOAD("'keys':'k','sort_keys':'s'")), "phases[0].load[0].sort_keys: the table has no sort key"},
    {WITH_LOAD(LOAD("'keys':'k','attributes':{'pk':'x'}")),
     "phases[0].load[0].attributes.pk: is a key, which has a member of its own, or \"pad\", which fills items up"},
    {WITH_KEYS("{}"), "phases[0].load[0].keys.distribution: is missing"},
    {WITH_KEYS("{'distribution':'normal'}"),
     "phases[0].load[0].keys.distribution: must be one of \"single\", \"uniform\", \"zipf\", \"sequence\", \"list\", "
     "\"sharded\", \"time\", \"join\", \"random\", \"increasing\", \"decreasing\""},
    {WITH_KEYS("{'distribution':'zipf','n':10,'mean':1}"),
     "phases[0].load[0].keys: unknown member \"mean\"; known here: distribution share n s first prefix suffix"},
    {WITH_KEYS("{'distribution':'uniform'}"), "phases[0].load[0].keys.n: is missing"},
    {WITH_KEYS("{'distribution':'list','values':['a'],'weights':[1,2]}"),
     "phases[0].load[0].keys.weights: must be a list of 1 numbers, one for each value"},
    {WITH_KEYS("{'distribution':'list','values':['a','b'],'weights':[0,0]}"),
     "phases[0].load[0].keys.weights: must have a number above 0"},
    {WITH_KEYS("{'distribution':'list','values':['a',7]}"),
     "phases[0].load[0].keys.values[1]: must be a text, or an object with a \"distribution\""},
    {WITH_KEYS("{'distribution':'sequence','order':'hash'}"), "phases[0].load[0].keys.n: is missing"},
    {WITH_KEYS("{'distribution':'join','parts':[{'distribution':'join','parts':[{'distribution':'join','parts':["
               "{'distribution':'join','parts':[{'distribution':'join','parts':['x']}]}]}]}]}"),
     "phases[0].load[0].keys.parts[0].parts[0].parts[0].parts[0].parts[0]: is nested more than 4 deep"},
    {HEAD TABLE PHASES "{'duration':10,'actions':[{'at':1}]}" TAIL,
     "phases[0].actions[0]: must have one of update_table, capacity and split"},
    {HEAD TABLE PHASES "{'duration':10,'actions':[{'at':11,'capacity':{}}]}" TAIL,
     "phases[0].actions[0].at: lies behind the end of its phase"},
    {HEAD TABLE PHASES "{'duration':10,'actions':[{'at':1,'split':{'table':'T'}}]}" TAIL,
     "phases[0].actions[0].split.partition: is missing"},
};

START_TEST(what_is_wrong_is_said_with_its_path)
{
    sim_test it;
    ck_assert(!sim_test_read(&it, refused[_i].text));
    ck_assert_str_eq(it.reader.sentence, refused[_i].sentence);
    sim_test_close(&it);
}
END_TEST

START_TEST(a_number_attribute_takes_no_texts)
{
    sim_test it;
    ck_assert(!sim_test_read(&it, HEAD
                             "{'name':'T','partition_key':{'name':'pk','type':'N'},'billing':'on-demand'}" PHASES PHASE(
                                 LOAD("'keys':{'distribution':'time'}")) TAIL));
    ck_assert_str_eq(it.reader.sentence,
                     "phases[0].load[0].keys.distribution: \"time\" gives texts, but the attribute is a number");
    sim_test_close(&it);
}
END_TEST

START_TEST(a_whole_scenario_is_read)
{
    sim_test it;
    bool is_read = sim_test_read(
        &it, "{'name':'n','story':['one','two'],'seed':7,'start':'2024-02-29T23:59:59Z','capacity':{'preset':'laptop',"
             "'heat_split':false,'era':'static'},'tables':[{'name':'T','partition_key':'pk','sort_key':{'name':'sk',"
             "'type':'N'},'billing':'provisioned','throughput':{'read':10,'write':20},'indexes':[{'name':'g',"
             "'partition_key':'a','throughput':{'read':1,'write':2},'projection':['x']},{'name':'l','local':true,"
             "'sort_key':'b','projection':'keys_only'}],'fill':{'count':3,'keys':'k','sort_keys':{'distribution':"
             "'sequence'}}}],'phases':[{'name':'p','duration':'1.5 min','load':[{'table':'T','rate':{'from':1,'to':2},"
             "'operations':{'put':3,'get':1},'arrivals':'poisson','size':{'min':10,'max':20},'keys':'k','sort_keys':5,"
             "'attributes':{'a':{'distribution':'list','values':['x'],'share':0.5}}}],'actions':[{'at':60,'capacity':"
             "{'enforce':'off'}},{'at':'30 s','update_table':{'table':'T','throughput':{'read':5,'write':6}}}]}]}");
    ck_assert_msg(is_read, "%s", it.reader.sentence);
    const td_sim_scenario *scenario = &it.scenario;
    ck_assert_uint_eq(scenario->story_count, 2);
    ck_assert_uint_eq(scenario->seed, 7);
    ck_assert_int_eq(scenario->start_us, INT64_C(1709251199000000));
    ck_assert_double_eq(scenario->patch->settings.values[TD_CAPACITY_heat_split], 0);
    ck_assert_int_eq(scenario->patch->settings.era, TD_ERA_STATIC);
    const td_table_spec *spec = &scenario->tables[0].spec;
    ck_assert_int_eq(spec->throughput.rate[TD_WRITE], 20);
    ck_assert_uint_eq(spec->definition_count, 4);
    ck_assert(!spec->indexes[0].is_global); /* local ones come first, as the engine wants them */
    ck_assert_int_eq(spec->indexes[1].projection, TD_PROJECT_INCLUDE);
    ck_assert_uint_eq(scenario->tables[0].fill_count, 3);
    const td_sim_phase *phase = &scenario->phases[0];
    ck_assert_int_eq(phase->duration_us, 90 * TD_US_PER_S);
    ck_assert_uint_eq(phase->loads[0].field_count, 3);
    ck_assert_double_eq(phase->loads[0].fields[0].share, 0.5);
    ck_assert_int_eq(phase->actions[0].kind, TD_SIM_UPDATE_TABLE); /* by time */
    ck_assert_int_eq(phase->actions[1].kind, TD_SIM_SET_CAPACITY);
    sim_test_close(&it);
}
END_TEST

TCase *reader_tests(void)
{
    TCase *tests = tcase_create("reader");
    tcase_add_loop_test(tests, what_is_wrong_is_said_with_its_path, 0, (int)TD_COUNT_OF(refused));
    tcase_add_test(tests, a_number_attribute_takes_no_texts);
    tcase_add_test(tests, a_whole_scenario_is_read);
    return tests;
}
