// A table's life as the provider has it (table.go there): create, read, update, destroy.
package main

import (
	"context"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// create is resourceTableCreate.
func (client *client) create(ctx context.Context, wanted table) error {
	wanted = settled(wanted, table{TimeToLive: &timeToLive{}, Recovery: &recovery{}})
	input := &dynamodb.CreateTableInput{
		TableName:             &wanted.Name,
		BillingMode:           types.BillingMode(wanted.BillingMode),
		KeySchema:             keySchema(wanted.HashKey, wanted.RangeKey),
		AttributeDefinitions:  definitions(wanted.Attributes),
		ProvisionedThroughput: throughput(wanted.BillingMode, wanted.ReadCapacity, wanted.WriteCapacity),
		TableClass:            types.TableClass(wanted.TableClass),
		Tags:                  tags(wanted.Tags),
	}
	for _, each := range wanted.Locals {
		input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes, types.LocalSecondaryIndex{
			IndexName: aws.String(each.Name), KeySchema: keySchema(wanted.HashKey, each.RangeKey),
			Projection: projection(each.Projection, each.NonKey)})
	}
	for _, each := range wanted.Globals {
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(each.Name), KeySchema: keySchema(each.HashKey, each.RangeKey),
			Projection:            projection(each.Projection, each.NonKey),
			ProvisionedThroughput: throughput(wanted.BillingMode, each.ReadCapacity, each.WriteCapacity)})
	}
	if wanted.StreamEnabled {
		input.StreamSpecification = stream(wanted)
	}
	if _, err := client.CreateTable(ctx, input); err != nil {
		return err
	}
	if err := client.awaitTable(ctx, wanted.Name); err != nil {
		return err
	}
	for _, each := range wanted.Globals {
		if err := client.awaitIndex(ctx, wanted.Name, each.Name); err != nil {
			return err
		}
	}
	if wanted.TimeToLive.Enabled {
		if err := client.updateTimeToLive(ctx, wanted); err != nil {
			return err
		}
	}
	if wanted.Recovery.Enabled {
		return client.updateRecovery(ctx, wanted)
	}
	return nil
}

// refresh is resourceTableRead, with the tags that the provider reads of every resource; nil when there is no table.
func (client *client) refresh(ctx context.Context, name string) (*table, error) {
	described, younger, err := client.describe(ctx, name)
	if described == nil {
		return nil, err
	}
	found := flatten(described)
	found.IsProtected = younger.DeletionProtectionEnabled
	backups, err := client.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	status := backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus
	found.Recovery = &recovery{status == types.PointInTimeRecoveryStatusEnabled}
	expiry, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return nil, err
	}
	found.TimeToLive = &timeToLive{aws.ToString(expiry.TimeToLiveDescription.AttributeName),
		expiry.TimeToLiveDescription.TimeToLiveStatus == types.TimeToLiveStatusEnabled}
	tagged, err := client.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: described.TableArn})
	if err != nil {
		return nil, err
	}
	for _, tag := range tagged.Tags {
		found.Tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return &found, nil
}

// flatten is what the provider keeps of a description.
func flatten(described *types.TableDescription) table {
	found := table{Name: aws.ToString(described.TableName), BillingMode: "PROVISIONED", TableClass: "STANDARD",
		Tags: map[string]string{}}
	if described.BillingModeSummary != nil {
		found.BillingMode = string(described.BillingModeSummary.BillingMode)
	}
	if described.TableClassSummary != nil {
		found.TableClass = string(described.TableClassSummary.TableClass)
	}
	if described.ProvisionedThroughput != nil {
		found.ReadCapacity = aws.ToInt64(described.ProvisionedThroughput.ReadCapacityUnits)
		found.WriteCapacity = aws.ToInt64(described.ProvisionedThroughput.WriteCapacityUnits)
	}
	if described.StreamSpecification != nil {
		found.StreamEnabled = aws.ToBool(described.StreamSpecification.StreamEnabled)
		found.StreamViewType = string(described.StreamSpecification.StreamViewType)
	}
	found.HashKey, found.RangeKey = keys(described.KeySchema)
	for _, each := range described.AttributeDefinitions {
		found.Attributes = append(found.Attributes, attribute{aws.ToString(each.AttributeName), string(each.AttributeType)})
	}
	for _, each := range described.LocalSecondaryIndexes {
		_, rangeKey := keys(each.KeySchema)
		found.Locals = append(found.Locals, local{aws.ToString(each.IndexName), rangeKey,
			string(each.Projection.ProjectionType), each.Projection.NonKeyAttributes})
	}
	for _, each := range described.GlobalSecondaryIndexes {
		hashKey, rangeKey := keys(each.KeySchema)
		found.Globals = append(found.Globals, global{aws.ToString(each.IndexName), hashKey, rangeKey,
			string(each.Projection.ProjectionType), each.Projection.NonKeyAttributes,
			aws.ToInt64(each.ProvisionedThroughput.ReadCapacityUnits),
			aws.ToInt64(each.ProvisionedThroughput.WriteCapacityUnits)})
	}
	return found
}

// update is resourceTableUpdate, in its phases; the tags go first, by the provider's interceptor.
func (client *client) update(ctx context.Context, found, wanted table) error {
	if err := client.updateTags(ctx, found, wanted); err != nil {
		return err
	}
	for _, each := range found.Globals {
		if !isKept(each, wanted) {
			err := client.updateTable(ctx, wanted.Name, dynamodb.UpdateTableInput{}, types.GlobalSecondaryIndexUpdate{
				Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String(each.Name)}})
			if err == nil {
				err = client.awaitNoIndex(ctx, wanted.Name, each.Name)
			}
			if err != nil {
				return err
			}
		}
	}
	if found.TableClass != wanted.TableClass {
		input := dynamodb.UpdateTableInput{TableClass: types.TableClass(wanted.TableClass)}
		if err := client.updateTable(ctx, wanted.Name, input); err != nil {
			return err
		}
	}
	if err := client.updateCapacityAndStream(ctx, found, wanted); err != nil {
		return err
	}
	for _, each := range wanted.Globals {
		if there := find(found.Globals, each.Name); there == nil || !isKept(*there, wanted) {
			input := dynamodb.UpdateTableInput{AttributeDefinitions: definitions(wanted.Attributes)}
			err := client.updateTable(ctx, wanted.Name, input, types.GlobalSecondaryIndexUpdate{
				Create: &types.CreateGlobalSecondaryIndexAction{
					IndexName: aws.String(each.Name), KeySchema: keySchema(each.HashKey, each.RangeKey),
					Projection:            projection(each.Projection, each.NonKey),
					ProvisionedThroughput: throughput(wanted.BillingMode, each.ReadCapacity, each.WriteCapacity)}})
			if err == nil {
				err = client.awaitIndex(ctx, wanted.Name, each.Name)
			}
			if err != nil {
				return err
			}
		}
	}
	if *found.TimeToLive != *wanted.TimeToLive {
		if err := client.updateTimeToLive(ctx, wanted); err != nil {
			return err
		}
	}
	if *found.Recovery != *wanted.Recovery {
		return client.updateRecovery(ctx, wanted)
	}
	return nil
}

// updateCapacityAndStream is the one call that changes them, with the capacity of indexes that stay (updateDiffGSI).
func (client *client) updateCapacityAndStream(ctx context.Context, found, wanted table) error {
	var input dynamodb.UpdateTableInput
	var indexes []types.GlobalSecondaryIndexUpdate
	isChanged := false
	if found.BillingMode != wanted.BillingMode || found.ReadCapacity != wanted.ReadCapacity ||
		found.WriteCapacity != wanted.WriteCapacity {
		isChanged = true
		input.BillingMode = types.BillingMode(wanted.BillingMode)
		input.ProvisionedThroughput = throughput(wanted.BillingMode, wanted.ReadCapacity, wanted.WriteCapacity)
	}
	if found.StreamEnabled != wanted.StreamEnabled {
		isChanged = true
		input.StreamSpecification = stream(wanted)
	}
	for _, each := range found.Globals {
		now := find(wanted.Globals, each.Name)
		if now != nil && isKept(each, wanted) && capacity(each) != capacity(*now) && wanted.BillingMode == "PROVISIONED" {
			isChanged = true
			indexes = append(indexes, types.GlobalSecondaryIndexUpdate{Update: &types.UpdateGlobalSecondaryIndexAction{
				IndexName:             aws.String(now.Name),
				ProvisionedThroughput: throughput(wanted.BillingMode, now.ReadCapacity, now.WriteCapacity)}})
		}
	}
	if !isChanged {
		return nil
	}
	if err := client.updateTable(ctx, wanted.Name, input, indexes...); err != nil {
		return err
	}
	for _, each := range indexes {
		if err := client.awaitIndex(ctx, wanted.Name, *each.Update.IndexName); err != nil {
			return err
		}
	}
	return nil
}

func (client *client) updateTable(ctx context.Context, name string, input dynamodb.UpdateTableInput,
	indexes ...types.GlobalSecondaryIndexUpdate) error {
	input.TableName, input.GlobalSecondaryIndexUpdates = &name, indexes
	if _, err := client.UpdateTable(ctx, &input); err != nil {
		return err
	}
	return client.awaitTable(ctx, name)
}

func (client *client) updateTimeToLive(ctx context.Context, wanted table) error {
	_, err := client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &wanted.Name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: &wanted.TimeToLive.Attribute, Enabled: &wanted.TimeToLive.Enabled}})
	if err != nil {
		return err
	}
	status := types.TimeToLiveStatusDisabled
	if wanted.TimeToLive.Enabled {
		status = types.TimeToLiveStatusEnabled
	}
	return await(ctx, func() (bool, error) {
		output, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &wanted.Name})
		return err == nil && output.TimeToLiveDescription.TimeToLiveStatus == status, err
	})
}

func (client *client) updateRecovery(ctx context.Context, wanted table) error {
	_, err := client.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: &wanted.Name,
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: &wanted.Recovery.Enabled}})
	if err != nil {
		return err
	}
	return await(ctx, func() (bool, error) {
		found, err := client.refresh(ctx, wanted.Name)
		return err == nil && found != nil && *found.Recovery == *wanted.Recovery, err
	})
}

// updateTags takes away and then sets (updateTags).
func (client *client) updateTags(ctx context.Context, found, wanted table) error {
	described, _, err := client.describe(ctx, wanted.Name)
	if err != nil {
		return err
	}
	var removed []string
	changed := map[string]string{}
	for key := range found.Tags {
		if _, isWanted := wanted.Tags[key]; !isWanted {
			removed = append(removed, key)
		}
	}
	for key, value := range wanted.Tags {
		if old, isThere := found.Tags[key]; !isThere || old != value {
			changed[key] = value
		}
	}
	if len(removed) > 0 {
		_, err = client.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: described.TableArn, TagKeys: removed})
	}
	if err == nil && len(changed) > 0 {
		_, err = client.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: described.TableArn, Tags: tags(changed)})
	}
	return err
}

// destroy is resourceTableDelete.
func (client *client) destroy(ctx context.Context, name string) error {
	if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
		return err
	}
	return await(ctx, func() (bool, error) {
		found, _, err := client.describe(ctx, name)
		return err == nil && found == nil, err
	})
}

// isKept is whether an index need not be made anew: only its capacity can change.
func isKept(index global, wanted table) bool {
	now := find(wanted.Globals, index.Name)
	if now == nil {
		return false
	}
	index.ReadCapacity, index.WriteCapacity = now.ReadCapacity, now.WriteCapacity
	index.NonKey = sorted(index.NonKey, func(each string) string { return each })
	return reflect.DeepEqual(index, *now)
}

func capacity(index global) [2]int64 {
	return [2]int64{index.ReadCapacity, index.WriteCapacity}
}

func keySchema(hashKey, rangeKey string) []types.KeySchemaElement {
	schema := []types.KeySchemaElement{{AttributeName: &hashKey, KeyType: types.KeyTypeHash}}
	if rangeKey != "" {
		schema = append(schema, types.KeySchemaElement{AttributeName: &rangeKey, KeyType: types.KeyTypeRange})
	}
	return schema
}

func keys(schema []types.KeySchemaElement) (hashKey, rangeKey string) {
	for _, each := range schema {
		if each.KeyType == types.KeyTypeHash {
			hashKey = aws.ToString(each.AttributeName)
		} else {
			rangeKey = aws.ToString(each.AttributeName)
		}
	}
	return
}

func definitions(attributes []attribute) []types.AttributeDefinition {
	var made []types.AttributeDefinition
	for _, each := range attributes {
		made = append(made, types.AttributeDefinition{
			AttributeName: aws.String(each.Name), AttributeType: types.ScalarAttributeType(each.Type)})
	}
	return made
}

func projection(kind string, attributes []string) *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionType(kind), NonKeyAttributes: attributes}
}

func throughput(billingMode string, read, write int64) *types.ProvisionedThroughput {
	if billingMode == string(types.BillingModePayPerRequest) {
		return nil
	}
	return &types.ProvisionedThroughput{ReadCapacityUnits: &read, WriteCapacityUnits: &write}
}

func stream(wanted table) *types.StreamSpecification {
	if !wanted.StreamEnabled {
		return &types.StreamSpecification{StreamEnabled: aws.Bool(false)}
	}
	return &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(wanted.StreamViewType)}
}

func tags(of map[string]string) []types.Tag {
	var made []types.Tag
	for key, value := range of {
		made = append(made, types.Tag{Key: aws.String(key), Value: aws.String(value)})
	}
	return made
}
