import pytest

NOTE = "x" * 100_000  # about a hundred write units an item


def load(db, keys):
    for key in keys:
        db.Table("Orders").put_item(Item={"customer": key, "note": NOTE})


def test_each_test_begins_with_the_fixtures(db):
    assert db.Table("Orders").scan()["Items"] == [{"customer": "Ann", "total": 120}]


def test_many_customers_are_not_throttled(db, thermodyn):
    load(db, [f"customer-{i}" for i in range(15)])
    assert thermodyn.throttled("Orders") == {}


def test_one_customer_is_throttled_by_its_partition(db, thermodyn):
    with pytest.raises(db.meta.client.exceptions.ProvisionedThroughputExceededException):
        load(db, ["ACME"] * 15)
    assert thermodyn.throttled("Orders") == {"TableWriteKeyRangeThroughputExceeded": 1}


def test_a_second_later_the_partition_serves_again(db, thermodyn):
    load(db, ["ACME"] * 10)
    thermodyn.advance(1)
    load(db, ["ACME"] * 10)


def test_a_fault_on_demand(db, thermodyn):
    thermodyn.control("POST", "faults", {"match": {"operation": "GetItem"}, "inject": {"error": "InternalServerError"}})
    with pytest.raises(db.meta.client.exceptions.InternalServerError):
        db.Table("Orders").get_item(Key={"customer": "Ann"})
