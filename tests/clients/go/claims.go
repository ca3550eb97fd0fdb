// What users of the SDK do with one table, from its creation to its deletion; each claim builds on those before it.
package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var table = aws.String("Songs")

type song struct {
	Artist string    `dynamodbav:"artist"`
	Title  string    `dynamodbav:"title"`
	Genre  string    `dynamodbav:"genre,omitempty"`
	Year   int       `dynamodbav:"year,omitempty"`
	Tags   []string  `dynamodbav:"tags,stringset,omitempty"`
	Cover  []byte    `dynamodbav:"cover,omitempty"`
	Heard  time.Time `dynamodbav:"heard,unixtime,omitempty"`
	Plays  *int      `dynamodbav:"plays,omitempty"`
}

type attributes = map[string]types.AttributeValue

var claims = []claim{
	{"a table with a global index is created and waited for", createsTable},
	{"a structure goes in and comes back", putsAndGets},
	{"an update with a condition answers the new values", updates},
	{"a failed condition is an error of its own type", refusesCondition},
	{"a batch is written and got", batches},
	{"a paginator walks a query, backwards too", pagesQuery},
	{"a global index is queried", queriesIndex},
	{"a paginator walks the segments of a scan", pagesScan},
	{"a transaction happens as one", transacts},
	{"a cancelled transaction carries its reasons", cancelsTransaction},
	{"a hot key is throttled while other keys are served", throttlesHotKey},
	{"an item is deleted and handed back", deletesItem},
	{"a deleted table is gone", deletesTable},
}

func createsTable(ctx context.Context, client *dynamodb.Client) error {
	key := func(name string, kind types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kind}
	}
	definition := func(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind}
	}
	created, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   table,
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   []types.KeySchemaElement{key("artist", types.KeyTypeHash), key("title", types.KeyTypeRange)},
		AttributeDefinitions: []types.AttributeDefinition{
			definition("artist", types.ScalarAttributeTypeS), definition("title", types.ScalarAttributeTypeS),
			definition("genre", types.ScalarAttributeTypeS), definition("year", types.ScalarAttributeTypeN)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("byGenre"),
			KeySchema:  []types.KeySchemaElement{key("genre", types.KeyTypeHash), key("year", types.KeyTypeRange)},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}},
	})
	if err != nil {
		return err
	}
	began := time.Now()
	described, err := dynamodb.NewTableExistsWaiter(client).WaitForOutput(ctx,
		&dynamodb.DescribeTableInput{TableName: table}, time.Minute)
	if err != nil {
		return err
	}
	if waited := time.Since(began); waited > 5*time.Second {
		return fmt.Errorf("waited %v: the table is to be there at the first look", waited)
	}
	return first(
		same(created.TableDescription.TableStatus, types.TableStatusCreating),
		same(described.Table.TableStatus, types.TableStatusActive),
		same(described.Table.GlobalSecondaryIndexes[0].IndexStatus, types.IndexStatusActive))
}

func putsAndGets(ctx context.Context, client *dynamodb.Client) error {
	plays := 0
	sent := song{Artist: "Björk", Title: "Jóga", Genre: "pop", Year: 1997, Tags: []string{"a", "ü😀"},
		Cover: []byte{0, 255}, Heard: time.Unix(1700000000, 0), Plays: &plays}
	if err := put(ctx, client, sent); err != nil {
		return err
	}
	got, err := get(ctx, client, sent.Artist, sent.Title)
	if err != nil {
		return err
	}
	nothing, err := get(ctx, client, sent.Artist, "Nothing")
	return first(err, same(got, &sent), same(nothing, (*song)(nil)))
}

func updates(ctx context.Context, client *dynamodb.Client) error {
	change, err := expression.NewBuilder().
		WithCondition(expression.Name("year").LessThan(expression.Value(2000))).
		WithUpdate(expression.Add(expression.Name("plays"), expression.Value(3)).
			Set(expression.Name("genre"), expression.Value("art")).
			Remove(expression.Name("cover"))).Build()
	if err != nil {
		return err
	}
	answer, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: table, Key: keyOf("Björk", "Jóga"), ReturnValues: types.ReturnValueAllNew,
		ConditionExpression: change.Condition(), UpdateExpression: change.Update(),
		ExpressionAttributeNames: change.Names(), ExpressionAttributeValues: change.Values()})
	if err != nil {
		return err
	}
	var now song
	err = attributevalue.UnmarshalMap(answer.Attributes, &now)
	return first(err, same(*now.Plays, 3), same(now.Genre, "art"), same(now.Cover, []byte(nil)))
}

func refusesCondition(ctx context.Context, client *dynamodb.Client) error {
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: table, Item: keyOf("Björk", "Jóga"), ConditionExpression: aws.String("attribute_not_exists(artist)")})
	var refusal *types.ConditionalCheckFailedException
	if !errors.As(err, &refusal) {
		return fmt.Errorf("got %v", err)
	}
	return same(refusal.ErrorMessage(), "The conditional request failed")
}

func batches(ctx context.Context, client *dynamodb.Client) error {
	var requests []types.WriteRequest
	for i := 0; i < 25; i++ {
		item, err := attributevalue.MarshalMap(song{Artist: "Band", Title: title(i), Genre: "rock", Year: 1970 + i})
		if err != nil {
			return err
		}
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
	}
	written, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{*table: requests},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
	if err != nil {
		return err
	}
	got, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		*table: {Keys: []attributes{keyOf("Band", title(3)), keyOf("Band", "None"), keyOf("Band", title(7))}}}})
	if err != nil {
		return err
	}
	return first(
		same(len(written.UnprocessedItems), 0),
		same(*written.ConsumedCapacity[0].CapacityUnits, 50.0), // each item once in the table and once in its index
		same(len(got.Responses[*table]), 2),
		same(len(got.UnprocessedKeys), 0))
}

func pagesQuery(ctx context.Context, client *dynamodb.Client) error {
	search, err := expression.NewBuilder().
		WithKeyCondition(expression.Key("artist").Equal(expression.Value("Band")).
			And(expression.Key("title").BeginsWith("song 0"))).
		WithFilter(expression.Name("year").NotEqual(expression.Value(1974))).Build()
	if err != nil {
		return err
	}
	input := &dynamodb.QueryInput{
		TableName: table, Limit: aws.Int32(3), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression: search.KeyCondition(), FilterExpression: search.Filter(),
		ExpressionAttributeNames: search.Names(), ExpressionAttributeValues: search.Values()}
	var titles []string
	pages := 0
	for pager := dynamodb.NewQueryPaginator(client, input); pager.HasMorePages(); pages++ {
		page, err := pager.NextPage(ctx)
		if err != nil {
			return err
		}
		if titles, err = appendTitles(titles, page.Items); err != nil {
			return err
		}
	}
	var wanted []string
	for i := 9; i >= 0; i-- {
		if i != 4 {
			wanted = append(wanted, title(i))
		}
	}
	return first(same(titles, wanted), same(pages, 4))
}

func queriesIndex(ctx context.Context, client *dynamodb.Client) error {
	found, err := client.Query(ctx, &dynamodb.QueryInput{
		TableName: table, IndexName: aws.String("byGenre"),
		KeyConditionExpression:   aws.String("genre = :g AND #y BETWEEN :from AND :to"),
		ExpressionAttributeNames: map[string]string{"#y": "year"},
		ExpressionAttributeValues: attributes{
			":g":    &types.AttributeValueMemberS{Value: "rock"},
			":from": &types.AttributeValueMemberN{Value: "1972"}, ":to": &types.AttributeValueMemberN{Value: "1974"}}})
	if err != nil {
		return err
	}
	titles, err := appendTitles(nil, found.Items)
	return first(err, same(titles, []string{title(2), title(3), title(4)}), same(found.Count, int32(3)))
}

func pagesScan(ctx context.Context, client *dynamodb.Client) error {
	var titles []string
	for segment := int32(0); segment < 3; segment++ {
		pager := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{
			TableName: table, Limit: aws.Int32(4), Segment: aws.Int32(segment), TotalSegments: aws.Int32(3)})
		for pager.HasMorePages() {
			page, err := pager.NextPage(ctx)
			if err != nil {
				return err
			}
			if titles, err = appendTitles(titles, page.Items); err != nil {
				return err
			}
		}
	}
	wanted := []string{"Jóga"}
	for i := 0; i < 25; i++ {
		wanted = append(wanted, title(i))
	}
	sort.Strings(titles)
	sort.Strings(wanted)
	return same(titles, wanted)
}

func transacts(ctx context.Context, client *dynamodb.Client) error {
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String("one"),
		TransactItems: []types.TransactWriteItem{
			{Put: &types.Put{TableName: table, Item: keyOf("Trio", "one")}},
			{Delete: &types.Delete{TableName: table, Key: keyOf("Band", title(24))}},
			{ConditionCheck: &types.ConditionCheck{TableName: table, Key: keyOf("Björk", "Jóga"),
				ConditionExpression: aws.String("attribute_exists(artist)")}}}})
	if err != nil {
		return err
	}
	got, err := client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: table, Key: keyOf("Trio", "one")}},
		{Get: &types.Get{TableName: table, Key: keyOf("Band", title(24))}}}})
	if err != nil {
		return err
	}
	return first(same(got.Responses[0].Item, keyOf("Trio", "one")), same(len(got.Responses[1].Item), 0))
}

func cancelsTransaction(ctx context.Context, client *dynamodb.Client) error {
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: table, Item: keyOf("Trio", "two")}},
		{Put: &types.Put{TableName: table, Item: keyOf("Trio", "one"),
			ConditionExpression:                 aws.String("attribute_not_exists(artist)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}}}})
	var refusal *types.TransactionCanceledException
	if !errors.As(err, &refusal) {
		return fmt.Errorf("got %v", err)
	}
	nothing, err := get(ctx, client, "Trio", "two")
	return first(err, same(nothing, (*song)(nil)),
		same(*refusal.CancellationReasons[0].Code, "None"),
		same(*refusal.CancellationReasons[1].Code, "ConditionalCheckFailed"),
		same(refusal.CancellationReasons[1].Item, keyOf("Trio", "one")))
}

func deletesItem(ctx context.Context, client *dynamodb.Client) error {
	answer, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: table, Key: keyOf("Trio", "one"), ReturnValues: types.ReturnValueAllOld})
	if err != nil {
		return err
	}
	nothing, err := get(ctx, client, "Trio", "one")
	return first(err, same(answer.Attributes, keyOf("Trio", "one")), same(nothing, (*song)(nil)))
}

func deletesTable(ctx context.Context, client *dynamodb.Client) error {
	if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: table}); err != nil {
		return err
	}
	err := dynamodb.NewTableNotExistsWaiter(client).Wait(ctx, &dynamodb.DescribeTableInput{TableName: table}, time.Minute)
	if err != nil {
		return err
	}
	_, err = get(ctx, client, "Björk", "Jóga")
	var refusal *types.ResourceNotFoundException
	if !errors.As(err, &refusal) {
		return fmt.Errorf("got %v", err)
	}
	return same(refusal.ErrorMessage(), "Requested resource not found")
}

func keyOf(artist, title string) attributes {
	return attributes{
		"artist": &types.AttributeValueMemberS{Value: artist}, "title": &types.AttributeValueMemberS{Value: title}}
}

func title(number int) string {
	return fmt.Sprintf("song %02d", number)
}

func put(ctx context.Context, client *dynamodb.Client, sent song) error {
	item, err := attributevalue.MarshalMap(sent)
	if err != nil {
		return err
	}
	_, err = client.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: item})
	return err
}

// get is the song of that key, or nil when there is none.
func get(ctx context.Context, client *dynamodb.Client, artist, title string) (*song, error) {
	answer, err := client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: table, Key: keyOf(artist, title), ConsistentRead: aws.Bool(true)})
	if err != nil || answer.Item == nil {
		return nil, err
	}
	found := new(song)
	return found, attributevalue.UnmarshalMap(answer.Item, found)
}

func appendTitles(titles []string, items []attributes) ([]string, error) {
	var page []song
	err := attributevalue.UnmarshalListOfMaps(items, &page)
	for _, found := range page {
		titles = append(titles, found.Title)
	}
	return titles, err
}
