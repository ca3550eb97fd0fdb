import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';

const stack = new Stack(new App(), 'Shop');
new Table(stack, 'Orders', {
  tableName: 'Orders',
  partitionKey: { name: 'customer', type: AttributeType.STRING },
  billingMode: BillingMode.PAY_PER_REQUEST,
  removalPolicy: RemovalPolicy.DESTROY,
});
