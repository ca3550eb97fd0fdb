// A hot key, in a time that stands still: a partition serves its 1,000 write units of the second and no more, whatever
// the table has left.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func throttlesHotKey(ctx context.Context, client *dynamodb.Client) error {
	hot := aws.String("Orders")
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: hot,
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("customer"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("customer"), AttributeType: types.ScalarAttributeTypeS}},
		ProvisionedThroughput: &types.ProvisionedThroughput{
			ReadCapacityUnits: aws.Int64(1), WriteCapacityUnits: aws.Int64(10000)}})
	if err != nil {
		return err
	}
	if err := setClock(ctx, `{"mode":"manual"}`); err != nil {
		return err
	}
	defer setClock(context.Background(), `{"mode":"real"}`)

	note := strings.Repeat("x", 99*1024) // a hundred units, with the key
	place := func(customer string) error {
		_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: hot, Item: attributes{
			"customer": &types.AttributeValueMemberS{Value: customer},
			"note":     &types.AttributeValueMemberS{Value: note}}})
		return err
	}
	for i := 0; i < 10; i++ {
		if err := place("ACME"); err != nil {
			return fmt.Errorf("after %d hundred units: %w", i, err)
		}
	}
	err = place("ACME")
	var throttle *types.ProvisionedThroughputExceededException
	if !errors.As(err, &throttle) {
		return fmt.Errorf("got %v", err)
	}
	// Ten partitions: a few of these customers share that of ACME, most do not.
	served := 0
	for i := 0; i < 20; i++ {
		if err := place(fmt.Sprintf("customer %d", i)); err == nil {
			served++
		} else if !errors.As(err, &throttle) {
			return err
		}
	}
	if served < 10 {
		return fmt.Errorf("%d of 20 other keys are served", served)
	}
	return nil
}

func setClock(ctx context.Context, setting string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, os.Getenv("ENDPOINT")+"/_thermodyn/clock",
		strings.NewReader(setting))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return same(answer.StatusCode, http.StatusOK)
}
