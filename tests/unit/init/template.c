/* SPDX-License-Identifier: Apache-2.0
 * template.c: tests of templates: the tables in them, their functions and variables, and what cannot be resolved. */
#include "suites.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#define SCHEMA                                                                                                         \
    "      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]\n"                                            \
    "      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n"

static bool says(const char *operation, const char *body, const char *part)
{
    ask(&server, operation, body);
    return strstr(server.text, ask_quoted(&server, part)) != NULL;
}

START_TEST(a_table_has_all_its_properties)
{
    write_file("template.yaml", "Resources:\n"
                                "  Orders:\n"
                                "    Type: AWS::DynamoDB::Table\n"
                                "    DeletionPolicy: Retain\n"
                                "    Properties:\n"
                                "      TableName: TTT\n"
                                "      AttributeDefinitions:\n"
                                "        - {AttributeName: pk, AttributeType: S}\n"
                                "        - {AttributeName: g, AttributeType: N}\n"
                                "      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n"
                                "      ProvisionedThroughput: {ReadCapacityUnits: '7', WriteCapacityUnits: 8}\n"
                                "      GlobalSecondaryIndexes:\n"
                                "        - IndexName: by-g\n"
                                "          KeySchema: [{AttributeName: g, KeyType: HASH}]\n"
                                "          Projection: {ProjectionType: KEYS_ONLY}\n"
                                "          ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 2}\n"
                                "          ContributorInsightsSpecification: {Enabled: true}\n"
                                "      StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}\n"
                                "      SSESpecification: {SSEEnabled: true, KMSMasterKeyId: !GetAtt Key.Arn}\n"
                                "      TableClass: STANDARD_INFREQUENT_ACCESS\n"
                                "      DeletionProtectionEnabled: true\n"
                                "      Tags: [{Key: k, Value: 5}]\n"
                                "      TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}\n"
                                "      PointInTimeRecoverySpecification:\n"
                                "        {PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 9}\n"
                                "      ResourcePolicy:\n"
                                "        PolicyDocument:\n"
                                "          Version: 2012-10-17\n"
                                "          Statement:\n"
                                "            - {Effect: Deny, Principal: '*', Action: ['dynamodb:DeleteItem'],\n"
                                "               Resource: !Sub 'arn:aws:dynamodb:${AWS::Region}:*:table/TTT'}\n"
                                "      KinesisStreamSpecification: {StreamArn: !ImportValue stream}\n"
                                "  Function:\n"
                                "    Type: AWS::Lambda::Function\n"
                                "    Properties: {Code: !ImportValue code}\n");
    CHECK_LOADS();
    static const char *const parts[] = {
        "'ReadCapacityUnits':7,'WriteCapacityUnits':8", "'IndexName':'by-g'",
        "'StreamViewType':'NEW_AND_OLD_IMAGES'",        "'SSEType':'KMS'",
        "'TableClass':'STANDARD_INFREQUENT_ACCESS'",    "'DeletionProtectionEnabled':true",
    };
    for (size_t i = 0; i < TD_COUNT_OF(parts); i++)
        ck_assert_msg(says("DescribeTable", "{'TableName':'TTT'}", parts[i]), "%s: %s", parts[i], server.text);
    ck_assert(says("DescribeTimeToLive", "{'TableName':'TTT'}", "'AttributeName':'ttl'"));
    ck_assert(says("DescribeContinuousBackups", "{'TableName':'TTT'}", "'PointInTimeRecoveryStatus':'ENABLED'"));
    ck_assert(says("DescribeContinuousBackups", "{'TableName':'TTT'}", "'RecoveryPeriodInDays':9"));
    ck_assert(says("DescribeContributorInsights", "{'TableName':'TTT','IndexName':'by-g'}", "'ENABLED'"));
    ck_assert(says("GetResourcePolicy", "{'ResourceArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT'}",
                   "'Policy':'{\\'Version\\':\\'2012-10-17\\',\\'Statement\\':[{\\'Effect\\':\\'Deny\\',"
                   "\\'Principal\\':\\'*\\',\\'Action\\':\\'dynamodb:DeleteItem\\',"
                   "\\'Resource\\':\\'arn:aws:dynamodb:us-east-1:*:table/TTT\\'}]}'"));
    ck_assert(says("ListTagsOfResource", "{'ResourceArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT'}",
                   "{'Key':'k','Value':'5'}"));
}
END_TEST

START_TEST(json_is_the_same_with_functions_in_full)
{
    write_json("template.json",
               "{'Parameters':{'Stage':{'Type':'String','Default':'test'}},'Resources':{'Orders':{'Type':"
               "'AWS::DynamoDB::Table','Properties':{'TableName':{'Fn::Join':['-',[{'Ref':'Stage'},'orders',"
               "{'Ref':'AWS::Region'}]]},'BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{'AttributeName':'pk',"
               "'AttributeType':'S'}],'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],"
               "'ProvisionedThroughput':{'Ref':'AWS::NoValue'}}}}}");
    CHECK_LOADS();
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':['test-orders-us-east-1']}");
}
END_TEST

START_TEST(a_simple_table_has_defaults)
{
    write_file("template.yaml", "Resources:\n"
                                "  One: {Type: AWS::Serverless::SimpleTable}\n"
                                "  Two:\n"
                                "    Type: AWS::Serverless::SimpleTable\n"
                                "    Properties:\n"
                                "      PrimaryKey: {Name: n, Type: Number}\n"
                                "      ProvisionedThroughput: {ReadCapacityUnits: 3, WriteCapacityUnits: 4}\n"
                                "      Tags: {team: blue}\n");
    CHECK_LOADS();
    ck_assert(says("DescribeTable", "{'TableName':'One'}", "[{'AttributeName':'id','AttributeType':'S'}]"));
    ck_assert(says("DescribeTable", "{'TableName':'One'}", "'BillingMode':'PAY_PER_REQUEST'"));
    ck_assert(says("DescribeTable", "{'TableName':'Two'}", "[{'AttributeName':'n','AttributeType':'N'}]"));
    ck_assert(says("ListTagsOfResource", "{'ResourceArn':'arn:aws:dynamodb:us-east-1:000000000000:table/Two'}",
                   "{'Key':'team','Value':'blue'}"));
}
END_TEST

START_TEST(a_global_table_is_a_table)
{
    write_file(
        "template.yaml",
        "Resources:\n"
        "  One:\n"
        "    Type: AWS::DynamoDB::GlobalTable\n"
        "    Properties:\n"
        "      BillingMode: PAY_PER_REQUEST\n"
        "      Replicas: [{Region: us-east-1}]\n" SCHEMA "  Two:\n"
        "    Type: AWS::DynamoDB::GlobalTable\n"
        "    Properties:\n"
        "      WriteProvisionedThroughputSettings: {WriteCapacityAutoScalingSettings: {MinCapacity: 5, MaxCapacity: "
        "9}}\n"
        "      Replicas:\n"
        "        - Region: us-east-1\n"
        "          ReadProvisionedThroughputSettings: {ReadCapacityUnits: 4}\n"
        "          GlobalSecondaryIndexes:\n"
        "            - IndexName: iii\n"
        "              ReadProvisionedThroughputSettings: {ReadCapacityAutoScalingSettings: {MinCapacity: 2}}\n"
        "      GlobalSecondaryIndexes:\n"
        "        - IndexName: iii\n"
        "          KeySchema: [{AttributeName: pk, KeyType: HASH}]\n"
        "          Projection: {ProjectionType: ALL}\n"
        "          WriteProvisionedThroughputSettings: {WriteCapacityAutoScalingSettings: {MinCapacity: 3}}\n" SCHEMA);
    CHECK_LOADS();
    ck_assert(says("DescribeTable", "{'TableName':'Two'}", "'ReadCapacityUnits':4,'WriteCapacityUnits':5"));
    ck_assert(says("DescribeTable", "{'TableName':'Two'}", "'ReadCapacityUnits':2,'WriteCapacityUnits':3"));
}
END_TEST

/* A row: what TableName says in a template with the parts below, and the name that comes of it. */
#define PARTS                                                                                                          \
    "Parameters:\n"                                                                                                    \
    "  Stage: {Type: String, Default: dev}\n"                                                                          \
    "  Bare: {Type: String}\n"                                                                                         \
    "Mappings:\n"                                                                                                      \
    "  Names: {dev: {orders: mapped}}\n"                                                                               \
    "Conditions:\n"                                                                                                    \
    "  IsDev: !Equals [!Ref Stage, dev]\n"                                                                             \
    "  IsNot: !Not [!Condition IsDev]\n"                                                                               \
    "  All: !And [!Condition IsDev, !Equals [a, a]]\n"                                                                 \
    "  Any: !Or [!Condition IsNot, !Equals [a, b]]\n"                                                                  \
    "  Loop: !Not [!Condition Loop]\n"                                                                                 \
    "Resources:\n"

static const struct {
    const char *value;
    const char *name;
} names[] = {
    {"plain", "plain"},
    {"!Ref Stage", "dev"},
    {"!Ref Other", "other-name"},
    {"!Sub 'a-${Stage}-${AWS::AccountId}'", "a-dev-000000000000"},
    {"!Sub ['${Stage}.${Own}', {Own: !Ref Stage}]", "dev.dev"},
    {"!Sub 'a_${!Stage}'", NULL},
    {"!Join ['', [a, '.', !Ref Stage]]", "a.dev"},
    {"!Select [1, [one, two]]", "two"},
    {"!FindInMap [Names, !Ref Stage, orders]", "mapped"},
    {"!If [IsDev, yes, no]", "yes"},
    {"!If [IsNot, yes, no1]", "no1"},
    {"!If [All, yes, no]", "yes"},
    {"!If [Any, yes, no1]", "no1"},
    {"!Ref AWS::NoValue", "Logical"},
    {"!Ref AWS::StackName", "thermodyn"},
};

static void write_named(const char *value)
{
    char text[2000];
    snprintf(
        text, sizeof(text),
        PARTS
        "  Logical:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      TableName: %s\n"
        "      BillingMode: PAY_PER_REQUEST\n" SCHEMA
        "  Other:\n    Type: AWS::DynamoDB::Table\n    Condition: IsNot\n    Properties: {TableName: other-name}\n",
        value);
    write_file("template.yaml", text);
}

START_TEST(names_are_resolved)
{
    write_named(names[_i].value);
    if (names[_i].name == NULL) {
        ck_assert_ptr_nonnull(strstr(load(), "failed to satisfy constraint")); /* "${Stage}" is no name */
        return;
    }
    CHECK_LOADS();
    char answer[200];
    snprintf(answer, sizeof(answer), "{'TableNames':['%s']}", names[_i].name);
    CHECK_ANSWER(&server, "ListTables", "{}", answer);
}
END_TEST

static const struct {
    const char *value;
    const char *sentence;
} unresolved[] = {
    {"!ImportValue x", "Fn::ImportValue cannot be resolved without a deployment"},
    {"!GetAtt Key.Arn", "Key.Arn cannot be resolved without a deployment"},
    {"!GetAtt Other.StreamArn", "Other.StreamArn cannot be resolved without a deployment"},
    {"!GetAtt Other", "Fn::GetAtt must name a resource and an attribute of it"},
    {"!Ref Bare", "the parameter Bare has no Default"},
    {"!Ref Nothing", "Nothing is no parameter of the template and no table of it"},
    {"!Sub '${Nothing}'", "Nothing is no parameter of the template and no table of it"},
    {"!Ref [a]", "Ref must name something"},
    {"!Ref Logical", "this refers to itself, or is nested too deep"},
    {"!Sub {a: b}", "Fn::Sub must have a text"},
    {"!Join [a]", "Fn::Join must have a separator and a list"},
    {"!Join ['', b]", "Fn::Join must have a separator and a list"},
    {"!Join ['', [[c]]]", "this must be a text"},
    {"!If [Nothing, a, b]", "the template has no such condition"},
    {"!If [IsDev, a]", "Fn::If must have a condition and two values"},
    {"!If [Loop, a, b]", "this refers to itself, or is nested too deep"},
    {"!Select [2, [one, two]]", "Fn::Select must have an index into its list"},
    {"!FindInMap [Names, test, orders]", "the template's Mappings have no such entry"},
    {"[a]", "TableName must be a text"},
    {"${self:none}", "${self:none} has no value here"},
};

START_TEST(what_cannot_be_resolved_is_told)
{
    write_named(unresolved[_i].value);
    const char *sentence = load();
    char rest[400] = "";
    unsigned line = 0;
    ck_assert_int_eq(sscanf(sentence, "template.yaml:%u: %399[^\n]", &line, rest), 2);
    ck_assert_str_eq(rest, unresolved[_i].sentence);
    bool is_elsewhere = strstr(unresolved[_i].value, "Loop") != NULL;
    if (!is_elsewhere) ck_assert_uint_eq(line, 16);
}
END_TEST

START_TEST(an_unknown_property_is_refused)
{
    write_file("template.yaml", "Resources:\n"
                                "  Orders:\n"
                                "    Type: AWS::DynamoDB::Table\n"
                                "    Properties:\n"
                                "      BilingMode: PAY_PER_REQUEST\n");
    CHECK_REFUSES("template.yaml:5: the table Orders has an unknown property BilingMode");
}
END_TEST

START_TEST(a_serverless_file_has_variables)
{
    setenv("THERMODYN_TEST_SUFFIX", "x", 1);
    write_file("serverless.yml",
               "service: shop\n"
               "provider: {name: aws, stage: \"${opt:stage, 'test'}\"}\n"
               "custom:\n"
               "  table: ${self:service}-${sls:stage}-${self:provider.stage}\n"
               "  test: {name: inner}\n"
               "functions: {f: {handler: \"${file(x.js):y}\"}}\n"
               "resources:\n"
               "  - Outputs: {}\n"
               "  - Resources:\n"
               "      Orders:\n"
               "        Type: AWS::DynamoDB::Table\n"
               "        Properties:\n"
               "          TableName: ${self:custom.table}-${env:THERMODYN_TEST_SUFFIX}-${env:NONE, self:service}\n"
               "          BillingMode: PAY_PER_REQUEST\n"
               "          AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]\n"
               "          KeySchema: [{AttributeName: pk, KeyType: HASH}]\n"
               "          Tags: [{Key: k, Value: \"${self:custom.${self:provider.stage}.name}\"}]\n");
    CHECK_LOADS();
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':['shop-test-test-x-shop']}");
    ck_assert(says("ListTagsOfResource",
                   "{'ResourceArn':'arn:aws:dynamodb:us-east-1:000000000000:table/shop-test-test-x-shop'}", "'inner'"));
}
END_TEST

START_TEST(a_part_of_a_serverless_file_is_read_alone)
{
    write_file("serverless.yml", "resources:\n  - ${file(tables.yml)}\n");
    CHECK_REFUSES("serverless.yml:2: other files are not followed: name the file of the resources itself");
    write_file("tables.yml",
               "Orders:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      BillingMode: PAY_PER_REQUEST\n" SCHEMA);
    ck_assert_str_eq(load_paths("tables.yml"), "");
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':['Orders']}");
}
END_TEST

TCase *template_tests(void)
{
    TCase *tcase = tcase_create("template");
    tcase_add_checked_fixture(tcase, world_setup, world_teardown);
    tcase_add_test(tcase, a_table_has_all_its_properties);
    tcase_add_test(tcase, json_is_the_same_with_functions_in_full);
    tcase_add_test(tcase, a_simple_table_has_defaults);
    tcase_add_test(tcase, a_global_table_is_a_table);
    tcase_add_loop_test(tcase, names_are_resolved, 0, TD_COUNT_OF(names));
    tcase_add_loop_test(tcase, what_cannot_be_resolved_is_told, 0, TD_COUNT_OF(unresolved));
    tcase_add_test(tcase, an_unknown_property_is_refused);
    tcase_add_test(tcase, a_serverless_file_has_variables);
    tcase_add_test(tcase, a_part_of_a_serverless_file_is_read_alone);
    return tcase;
}
