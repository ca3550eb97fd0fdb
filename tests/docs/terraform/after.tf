# What before.tf says, changed: an index goes, another one comes, and all else is the other way round.
resource "aws_dynamodb_table" "shipments" {
  name         = "Shipments"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "order"
  range_key    = "at"
  table_class  = "STANDARD_INFREQUENT_ACCESS"

  tags = {
    Stage = "production"
    Owner = "ops"
  }

  attribute {
    name = "order"
    type = "S"
  }

  attribute {
    name = "at"
    type = "N"
  }

  attribute {
    name = "weight"
    type = "N"
  }

  attribute {
    name = "depot"
    type = "S"
  }

  attribute {
    name = "customer"
    type = "S"
  }

  local_secondary_index {
    name               = "by-weight"
    range_key          = "weight"
    projection_type    = "INCLUDE"
    non_key_attributes = ["carrier"]
  }

  global_secondary_index {
    name               = "by-depot"
    hash_key           = "depot"
    projection_type    = "INCLUDE"
    non_key_attributes = ["weight", "carrier"]
  }

  global_secondary_index {
    name            = "by-customer"
    hash_key        = "customer"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "expires"
    enabled        = false
  }

  point_in_time_recovery {
    enabled = false
  }
}
