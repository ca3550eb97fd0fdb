/* SPDX-License-Identifier: Apache-2.0
 * items.c: tests of files of items: their forms, and the lines of what is wrong in them. */
#include "suites.h"
#include "world.h"

#include <stdio.h>

static void setup(void)
{
    world_setup();
    write_table();
}

/* Of the items' sort keys one to `count`. */
static void check_items(const char *items)
{
    char answer[2048];
    int count = 1;
    for (const char *at = items; (at = strstr(at, "},{'pk'")) != NULL; at++)
        count++;
    snprintf(answer, sizeof(answer), "{'Items':[%s],'Count':%d,'ScannedCount':%d}", items, count, count);
    CHECK_ANSWER(&server, "Scan", "{'TableName':'TTT'}", answer);
}

#define FIRST "{'pk':{'S':'a'},'sk':{'N':'1'}}"
#define BOTH FIRST ",{'pk':{'S':'a'},'sk':{'N':'2'}}"

/* A row: a name, a text, and the items of it. */
static const struct {
    const char *name;
    const char *text;
    const char *items;
} forms[] = {
    {"TTT.items.jsonl", "{'pk':{'S':'a'},'sk':{'N':'1'}}\n{'pk':{'S':'a'},'sk':{'N':'2'}}\n", BOTH},
    {"TTT.items.jsonl", "{'pk':'a','sk':1}\r\n\r\n{'sk':2,'pk':'a'}", BOTH},
    {"TTT.items.jsonl", "{'Item':{'pk':{'S':'a'},'sk':{'N':'1'}}}\n{'pk':{'S':'a'},'sk':{'N':'2'}}\n", BOTH},
    {"TTT.items.json", "[{'pk':'a',\n'sk':1},\n{'pk':{'S':'a'},'sk':{'N':'2'}}]\n", BOTH},
    {"TTT.items.json", " [ ] ", ""},
    {"TTT.items.json", "{'pk':'a','sk':1}{'pk':'a','sk':2}", BOTH},
    {"TTT.items.json", "{'Count':2,'ScannedCount':2,'Items':[" BOTH "]}", BOTH},
    {"TTT.items.json", "{'pk':'a','sk':1,'Items':[1]}", "{'Items':{'L':[{'N':'1'}]},'pk':{'S':'a'},'sk':{'N':'1'}}"},
    {"TTT.items.json", "{'pk':'a','sk':1,'s':'\\'{[\\\\\\'','t':true,'f':false,'n':null,'l':[],'m':{'x':1.50}}",
     "{'f':{'BOOL':false},'l':{'L':[]},'m':{'M':{'x':{'N':'1.5'}}},'n':{'NULL':true},'pk':{'S':'a'},"
     "'s':{'S':'\\'{[\\\\\\''},'sk':{'N':'1'},'t':{'BOOL':true}}"},
    {"TTT.items.csv", "pk,sk\na,1\na,2\n", BOTH},
    {"TTT.items.csv", "\xef\xbb\xbfsk,'pk'\r\n1,a\r\n\r\n2,'a'", BOTH},
    {"TTT.items.csv", "pk,sk,t,u\na,1,'x,''y''\nz',\n", "{'pk':{'S':'a'},'sk':{'N':'1'},'t':{'S':'x,\\'y\\'\\nz'}}"},
    {"TTT.items.csv", "pk,sk,t\na,1\n", FIRST},
    {"TTT.items.csv", "pk,sk\n", ""},
};

START_TEST(items_may_be_written_so)
{
    write_json(forms[_i].name, forms[_i].text);
    CHECK_LOADS();
    if (forms[_i].items[0] == '\0') {
        CHECK_ANSWER(&server, "Scan", "{'TableName':'TTT'}", "{'Items':[],'Count':0,'ScannedCount':0}");
    } else {
        check_items(forms[_i].items);
    }
}
END_TEST

static const struct {
    const char *name;
    const char *text;
    const char *sentence;
} refusals[] = {
    {"TTT.items.jsonl", "{'pk':'a','sk':1}\n{'pk':'a'}\n",
     "TTT.items.jsonl:2: PutItem TTT: ValidationException: One or more parameter values were invalid: Missing the key "
     "sk in "
     "the item"},
    {"TTT.items.jsonl", "{'pk':'a','sk':1}\n{'pk':}\n", "TTT.items.jsonl:2: the item that begins here is not JSON"},
    {"TTT.items.jsonl", "\n\n{'pk':'a'\n", "TTT.items.jsonl:3: the item that begins here has no end"},
    {"TTT.items.jsonl", "{'pk':'a','sk':1}\n5\n", "TTT.items.jsonl:2: an item must be an object: {\"name\": value, …}"},
    {"TTT.items.jsonl", "{'pk':{'S':'a'},'sk':{'N':'x'}}",
     "TTT.items.jsonl:1: PutItem TTT: ValidationException: The parameter cannot be converted to a numeric value: x"},
    {"TTT.items.jsonl", "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'Y':'1'}}",
     "TTT.items.jsonl:1: PutItem TTT: ValidationException: Supplied AttributeValue is empty, must contain exactly one "
     "of the "
     "supported datatypes"},
    {"TTT.items.json", "[{'pk':'a','sk':1},\n5]", "TTT.items.json:2: an item must be an object: {\"name\": value, …}"},
    {"TTT.items.json", "[{'pk':'a','sk':1}\n{'pk':'a','sk':2}]",
     "TTT.items.json:2: there is no comma between two items of the list"},
    {"TTT.items.json", "[{'pk':'a','sk':1},", "TTT.items.json:1: the list of items has no end"},
    {"TTT.items.json", "[]\n{}", "TTT.items.json:2: something stands behind the list of items"},
    {"TTT.items.json", "{'Count':1,'ScannedCount':1,'Items':[5]}", "TTT.items.json:1: an item must be an object"},
    {"NNN.items.json", "{'pk':'a'}",
     "NNN.items.json:1: PutItem NNN: ResourceNotFoundException: Requested resource not found"},
    {"TTT.items.csv", "pk,sk\na,1\na,x\n",
     "TTT.items.csv:3: PutItem TTT: ValidationException: The parameter cannot be converted to a numeric value: x"},
    {"TTT.items.csv", "pk,sk\n'a\n\n",
     "TTT.items.csv:2: the record that begins here has a quoted field without an end"},
    {"TTT.items.csv", "pk,sk\n'a'b,1\n", "TTT.items.csv:2: something stands behind a quoted field"},
    {"TTT.items.csv", "pk,sk\na'b',1\n", "TTT.items.csv:2: a quote stands in a field that does not begin with one"},
    {"TTT.items.csv", "pk,sk\na,1,2\n", "TTT.items.csv:2: the record has more fields than there are columns"},
    {"TTT.items.csv", "pk,,sk\n", "TTT.items.csv:1: a column has no name"},
    {"TTT.items.csv", "pk,sk\n\xff,1\n", "TTT.items.csv:2: a field is not UTF-8"},
    {"NNN.items.csv", "pk,sk\n",
     "NNN.items.csv:1: DescribeTable NNN: ResourceNotFoundException: Requested resource not found: Table: NNN not "
     "found"},
};

START_TEST(what_is_wrong_is_told_with_its_line)
{
    write_json(refusals[_i].name, refusals[_i].text);
    CHECK_REFUSES(refusals[_i].sentence);
}
END_TEST

START_TEST(packed_files_are_unpacked)
{
    write_packed("TTT.items.jsonl.gz", "{\"pk\":\"a\",\"sk\":1}\n");
    write_packed("TTT.items.csv.gz", "pk,sk\na,2\n");
    CHECK_LOADS();
    check_items(BOTH);
}
END_TEST

START_TEST(a_packed_file_that_is_cut_off_is_refused)
{
    write_bytes("TTT.items.jsonl.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56", 12);
    CHECK_REFUSES("TTT.items.jsonl.gz: cannot be read: it is cut off");
}
END_TEST

/* More than is read at once, with items that lie across the border. */
START_TEST(many_items_come_in_pieces)
{
    static char text[1200000];
    size_t len = 0;
    int count = 0;
    while (len < sizeof(text) - 400) {
        count++;
        len += (size_t)snprintf(text + len, sizeof(text) - len, "{\"pk\":\"a\",\"sk\":%d,\"pad\":\"%0250d\"}\n", count,
                                count);
    }
    write_bytes("TTT.items.jsonl", text, len);
    CHECK_LOADS();
    ck_assert_uint_eq(loaded.items, (uint64_t)count);
    snprintf(text + len, sizeof(text) - len, "oops");
    write_bytes("TTT.items.jsonl", text, len + 4);
    char sentence[200];
    snprintf(sentence, sizeof(sentence), "TTT.items.jsonl:%d: an item must be an object: {\"name\": value, …}",
             count + 1);
    CHECK_REFUSES(sentence);
}
END_TEST

TCase *items_tests(void)
{
    TCase *tcase = tcase_create("items");
    tcase_add_checked_fixture(tcase, setup, world_teardown);
    tcase_add_loop_test(tcase, items_may_be_written_so, 0, TD_COUNT_OF(forms));
    tcase_add_loop_test(tcase, what_is_wrong_is_told_with_its_line, 0, TD_COUNT_OF(refusals));
    tcase_add_test(tcase, packed_files_are_unpacked);
    tcase_add_test(tcase, a_packed_file_that_is_cut_off_is_refused);
    tcase_add_test(tcase, many_items_come_in_pieces);
    return tcase;
}
