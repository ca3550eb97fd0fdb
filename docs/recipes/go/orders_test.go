package orders

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func connect(t *testing.T, server *Thermodyn) *dynamodb.Client {
	db := dynamodb.New(dynamodb.Options{
		Region:           "us-east-1",
		Credentials:      credentials.NewStaticCredentialsProvider("any", "any", ""),
		EndpointResolver: dynamodb.EndpointResolverFromURL(server.URL),
		Retryer:          aws.NopRetryer{},
	})
	_, err := db.CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName: aws.String("Orders"), BillingMode: types.BillingModeProvisioned,
		ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(100), WriteCapacityUnits: aws.Int64(3000)},
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("customer"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("customer"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func put(db *dynamodb.Client, customer string) error {
	_, err := db.PutItem(context.Background(), &dynamodb.PutItemInput{
		TableName: aws.String("Orders"), Item: map[string]types.AttributeValue{
			"customer": &types.AttributeValueMemberS{Value: customer},
			"note":     &types.AttributeValueMemberS{Value: strings.Repeat("x", 100000)},
		}})
	return err
}

func TestOneCustomerIsThrottledByItsPartition(t *testing.T) {
	server := Start(t)
	db := connect(t, server)
	var err error
	for i := 0; i < 15 && err == nil; i++ {
		err = put(db, "ACME")
	}
	var throttle *types.ProvisionedThroughputExceededException
	if !errors.As(err, &throttle) {
		t.Fatalf("not throttled: %v", err)
	}
	if got := server.Throttled("Orders"); !reflect.DeepEqual(got, map[string]int{"TableWriteKeyRangeThroughputExceeded": 1}) {
		t.Fatal(got)
	}
	server.Advance(1000)
	if err := put(db, "ACME"); err != nil {
		t.Fatalf("throttled a second later: %v", err)
	}
}
