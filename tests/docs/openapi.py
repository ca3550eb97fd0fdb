"""docs/openapi.yaml against the server: neither knows an endpoint, a parameter or a member that the other does not."""
import http.client
import json
import os
import re
import urllib.parse

import yaml

from markdown import ROOT, read

METHODS = ("put", "get", "post", "patch", "delete")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
# Members that only a server in trouble answers, and statuses that only such a one has.
UNSEEN = {"loaded", "to_load", "error"}
UNASKED = {"503"}
UNASKED_CONFLICTS = {("POST", "/_thermodyn/snapshots/{name}/restore")}  # while the data directory cannot be written


class Description:
    """The document, with its references resolved as they are met, and what of it has been seen in answers."""

    def __init__(self, document):
        self.document, self.seen = document, set()

    def resolve(self, node):
        while isinstance(node, dict) and "$ref" in node:
            target = self.document
            for name in node["$ref"][2:].split("/"):
                target = target[name]
            node = target
        return node

    def operations(self):
        """(method, path, operation), in the order of the document."""
        for path, methods in self.document["paths"].items():
            for method in METHODS:
                if method in methods:
                    yield method.upper(), path, methods[method]

    def schema(self, holder):
        return self.resolve(holder)["content"]["application/json"]["schema"]

    def parameters(self, operation, place):
        found = [self.resolve(each) for each in operation.get("parameters", [])]
        return [each for each in found if each["in"] == place]

    def check(self, schema, value, where):
        """The value is as the schema says, and has no member that it does not name."""
        schema = self.resolve(schema)
        for keyword, allowed in (("enum", schema.get("enum")), ("const", [schema["const"]] if "const" in schema else None)):
            assert allowed is None or value in allowed, f"{where}: {value!r} is not in its {keyword}"
        if "type" in schema:
            names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            assert any(is_of_type(value, name) for name in names), f"{where}: {value!r} is no {names}"
        assert "pattern" not in schema or re.search(schema["pattern"], value), f"{where}: {value!r}"
        if isinstance(value, dict):
            self.check_members(schema, value, where)
        if isinstance(value, list):
            for at, each in enumerate(value):
                self.check(schema["items"], each, f"{where}[{at}]")

    def check_members(self, schema, value, where):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", False)
        missing = set(schema.get("required", [])) - set(value)
        assert not missing, f"{where} lacks {missing}"
        for name, member in value.items():
            if name in known:
                self.seen.add((id(known), name))
                self.check(known[name], member, f"{where}.{name}")
            else:
                assert others is not False, f"{where} has {name}, which the description lacks"
                if others is not True:
                    self.check(others, member, f"{where}.{name}")

    def names(self, schema, where=""):
        """(key of what is seen, name for readers) of all members below a schema."""
        schema = self.resolve(schema)
        for name, member in schema.get("properties", {}).items():
            yield (id(schema["properties"]), name), f"{where}.{name}"
            yield from self.names(member, f"{where}.{name}")
        if "items" in schema:
            yield from self.names(schema["items"], where + "[]")


def is_of_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, (int, float)) and not isinstance(value, bool) and (name == "number" or value == int(value))
    return isinstance(value, TYPES[name])


def ask(port, method, path, body=None, headers=()):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request(method, path, None if body is None else json.dumps(body), dict(headers))
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text) if text else None


def call(port, operation, body):
    """An operation of DynamoDB."""
    return ask(port, "POST", "/", body, {
        "Content-Type": "application/x-amz-json-1.0", "X-Amz-Date": "20260101T000000Z",
        "X-Amz-Target": "DynamoDB_20120810." + operation,
        "Authorization": "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, "
                         "SignedHeaders=host, Signature=any"})


def put_load(port):
    """Writes until one customer is throttled, and reads, so that what answers is not empty."""
    statuses = []
    for i in range(12):
        item = {"customer": {"S": "ACME"}, "id": {"S": str(i)}, "status": {"S": "OPEN"}, "note": {"S": "x" * 100000}}
        status, _ = call(port, "PutItem", {"TableName": "Orders", "Item": item})
        statuses.append(status)
    assert 200 in statuses and 400 in statuses, statuses
    call(port, "Scan", {"TableName": "Orders"})


def requests(description, path, operation):
    """(path and query, body) of each example: each parameter of the query by itself (with its table), all together, and
    each body."""
    for parameter in description.parameters(operation, "path"):
        path = path.replace("{%s}" % parameter["name"], parameter["example"])
    given = [each for each in description.parameters(operation, "query") if "example" in each]
    needed = [each for each in given if each.get("required")]
    table = [each for each in given if each["name"] == "table"]
    for chosen in [needed, given, *([*table, each] for each in given if each not in table)]:
        query = urllib.parse.urlencode([(each["name"], each["example"]) for each in chosen])
        target = path + ("?" + query if query else "")
        if "requestBody" not in operation:
            yield target, None
        else:
            for example in operation["requestBody"]["content"]["application/json"]["examples"].values():
                yield target, example["value"]
        if not given:
            return


def check_answers(description, port, method, path, operation):
    """Each example is answered with 200, in the form that is described; each example has the form described, too."""
    for target, body in requests(description, path, operation):
        where = f"{method} {target}"
        if body is not None:
            description.check(operation["requestBody"]["content"]["application/json"]["schema"], body, where)
        status, answer = ask(port, method, target, body)
        assert status == 200, f"{where} {body}: {status} {answer}"
        description.check(description.schema(operation["responses"]["200"]), answer, where)


def check_refusals(description, port, method, path, operation):
    """400 for what is unknown and 404 for what is not there, where they are described, and nowhere else."""
    known = path.replace("{table}", "Orders").replace("{id}", "f-1").replace("{name}", "before")
    needed = "".join("&table=Orders" for each in description.parameters(operation, "query") if each.get("required"))
    absent = path.replace("{table}", "Nowhere").replace("{id}", "f-999").replace("{name}", "of-no-" + method)
    probes = {"400": [(f"{known}?unknown=1{needed}", {"unknown": 1} if method != "GET" else None)],
              "404": [(absent, example(operation))]}
    if any(each["name"] == "table" for each in description.parameters(operation, "query")):
        probes["404"] = [(f"{path}?table=Nowhere", None)]
    elif "table" in body_schema(description, operation).get("properties", {}):
        probes["404"] = [(path, {"table": "Nowhere"})]
    elif "{" not in path:
        probes["404"] = []
    for status, asked in probes.items():
        for target, body in asked:
            got, answer = ask(port, method, target, body)
            is_described = status in operation["responses"]
            assert (got == int(status)) == is_described, f"{method} {target} {body}: {got}, described: {is_described}"
            if is_described:
                description.check(description.schema(operation["responses"][status]), answer, f"{method} {target}")


def body_schema(description, operation):
    if "requestBody" not in operation:
        return {}
    return description.resolve(operation["requestBody"]["content"]["application/json"]["schema"])


def example(operation):
    if "requestBody" not in operation:
        return None
    return next(iter(operation["requestBody"]["content"]["application/json"]["examples"].values()))["value"]


def split_to_the_end(port):
    """Statuses of splits, each of the fullest partition: one that holds a single item is not split any more."""
    for _ in range(8):
        partitions = ask(port, "GET", "/_thermodyn/tables/Products/partitions")[1]["partitions"]
        fullest = max(partitions, key=lambda each: each["items"])
        yield ask(port, "POST", "/_thermodyn/tables/Products/partitions/split", {"id": fullest["id"]})[0]


def reset_without_fixtures(session):
    fixtures = os.path.join(session.folder, "docs/examples/shop/template.yaml")
    os.rename(fixtures, fixtures + ".away")
    yield ask(session.port, "POST", "/_thermodyn/reset")[0]
    os.rename(fixtures + ".away", fixtures)


def keep_while_a_table_changes(session):
    session.start_server(["--preset", "unit-test", "--table-delays", "on"])
    call(session.port, "CreateTable", {
        "TableName": "Orders", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]})
    yield ask(session.port, "PUT", "/_thermodyn/snapshots/before")[0]


def check_conflicts(session, description):
    """Each 409 that is described."""
    ask(session.port, "PUT", "/_thermodyn/clock", {"mode": "real"})
    asked = {("POST", "/_thermodyn/clock/advance"): [ask(session.port, "POST", "/_thermodyn/clock/advance", {"ms": 1})[0]],
             ("POST", "/_thermodyn/tables/{table}/partitions/split"): list(split_to_the_end(session.port)),
             ("POST", "/_thermodyn/reset"): list(reset_without_fixtures(session)),
             ("PUT", "/_thermodyn/snapshots/{name}"): list(keep_while_a_table_changes(session))}
    described = {(method, path) for method, path, operation in description.operations() if "409" in operation["responses"]}
    assert described == set(asked) | UNASKED_CONFLICTS, described ^ set(asked)
    for call, statuses in asked.items():
        assert 409 in statuses, f"{call}: {statuses}"


def check_shares(description, port):
    """Partitions of a provisioned table have shares in the older eras."""
    ask(port, "PATCH", "/_thermodyn/capacity", {"table": "Products", "era": "static"})
    _, answer = ask(port, "GET", "/_thermodyn/tables/Products/partitions")
    answered = description.document["paths"]["/_thermodyn/tables/{table}/partitions"]["get"]["responses"]["200"]
    description.check(description.schema(answered), answer, "GET /_thermodyn/tables/Products/partitions")


def known_to_sources():
    """{(method, path): names of parameters and members that its handler's file names}."""
    folder, found = os.path.join(ROOT, "server/control"), {}
    sources = {name: read(f"server/control/{name}") for name in os.listdir(folder) if name.endswith(".c")}
    rules = re.findall(r'\{"(\w+)", TYPE_', read("server/ops/fault_rule.c"))
    for method, path, handler in re.findall(r'\{"([A-Z]+)", "(/_thermodyn/[^"]*)", (\w+),', sources["control.c"]):
        defined = re.compile(rf"^(?:static )?int {handler}\([^;]*\)\n{{", re.M)
        holder, = [name for name, text in sources.items() if defined.search(text)]
        body = re.search(rf"^(?:static )?int {handler}\(.*?\n}}\n", sources[holder], re.M | re.S)[0]
        names = set(re.findall(r'\{\.name = "(\w+)"\}|\{"(\w+)", (?:TD_JSON_NODE_|is_of_table)', body))
        found[method, path] = {a or b for a, b in names} | (set(rules) if handler.endswith("post_faults") else set())
    return found


def check_names(description):
    """What the sources read of a call is described: capacity.def's rows and what is read beside them is checked by calls."""
    for (method, path), names in known_to_sources().items():
        operation = description.document["paths"][path][method.lower()]
        described = {each["name"] for each in description.parameters(operation, "query")}
        described |= {label.split(".")[-1] for _, label in description.names(body_schema(description, operation))}
        assert names <= described, f"{method} {path}: the description lacks {names - described}"


def check(session):
    with open(os.path.join(ROOT, "docs/openapi.yaml"), encoding="utf-8") as file:
        description = Description(yaml.safe_load(file))
    session.start_server(["--preset", "unit-test", "--init", "docs/examples/shop"])
    port = session.port
    listed = {(each["method"], each["path"]) for each in ask(port, "GET", "/_thermodyn/")[1]["endpoints"]}
    described = {(method, path) for method, path, _ in description.operations()}
    assert listed == described, f"only one of the server and its description has {listed ^ described}"
    unexplained = [f"{method} {path}" for method, path in described if f"{method} {path}" not in read("docs/control-api.md")]
    assert not unexplained, f"docs/control-api.md lacks {unexplained}"
    assert description.document["info"]["version"] == ask(port, "GET", "/_thermodyn/health")[1]["version"]
    check_names(description)
    statuses = {status for _, _, operation in description.operations() for status in operation["responses"]}
    assert statuses == {"200", "400", "404", "409"} | UNASKED, statuses
    for method, path, operation in description.operations():
        check_refusals(description, port, method, path, operation)
    ask(port, "PUT", "/_thermodyn/snapshots/before")
    for scope in ("", "?scope=any/us-east-1"):
        ask(port, "POST", "/_thermodyn/faults" + scope, {"match": {"table": "Nowhere"}, "inject": {"unprocessed": True}})
    for method, path, operation in description.operations():
        check_answers(description, port, method, path, operation)
    put_load(port)  # and once more what is looked at, with traffic behind it
    ask(port, "PUT", "/_thermodyn/snapshots/before")
    for method, path, operation in description.operations():
        if method == "GET":
            check_answers(description, port, method, path, operation)
    check_shares(description, port)
    check_conflicts(session, description)
    session.start_server(["--data-dir", os.path.join(session.home, "data")])
    health = description.document["components"]["responses"]["Health"]
    description.check(description.schema(health), ask(port, "GET", "/_thermodyn/health")[1], "GET /_thermodyn/health")
    unseen = [f"{method} {path} {label}" for method, path, operation in description.operations()
              for key, label in description.names(description.schema(operation["responses"]["200"]))
              if key not in description.seen and key[1] not in UNSEEN]
    assert not unseen, f"described, and never answered: {unseen}"
    unasked = [f"{method} {path} {label}" for method, path, operation in description.operations()
               for key, label in description.names(body_schema(description, operation)) if key not in description.seen]
    assert not unasked, f"described, and in no example: {unasked}"
