"""Recipes that others run: files for CI services and for docker compose, whose commands are run here in their order; and
what takes tools of its own: the CDK (npm --prefix tests/docs ci, which ./test does), and what stands for Terraform
(../../docs/decisions/0026-terraform-is-its-reader-and-its-calls.md).
"""
import json
import os
import shlex
import shutil
import subprocess
import unittest

import yaml

from markdown import ROOT

FOLDER = "docs/recipes"
HERE = os.path.dirname(os.path.abspath(__file__))


def load(path):
    with open(os.path.join(ROOT, FOLDER, path), encoding="utf-8") as file:
        return yaml.safe_load(file)


def run_all(session, environment, commands):
    """Runs commands in one shell, each of which must succeed."""
    for name, value in environment.items():
        session.run(f"export {name}={shlex.quote(session.here(value))}")
    for command in commands:
        status, printed = session.run(command)
        assert status == 0, "%s: exit status %d\n%s" % (command, status, "\n".join(printed))


def check_github_actions(session):
    """The summary has the table, and the last step judged it."""
    job = load("github-actions/test.yml")["jobs"]["test"]
    environment = {name: value.replace("${{ vars.THERMODYN_IMAGE }}", "thermodyn") for name, value in job["env"].items()}
    assert job["services"]["thermodyn"]["ports"] == ["8000:8000"]
    run_all(session, {**environment, "GITHUB_STEP_SUMMARY": "summary.md"},
            [step["run"] for step in job["steps"] if "run" in step])
    status, summary = session.run("cat summary.md")
    assert status == 0 and any(line.startswith("| Orders |") for line in summary), summary
    status, judged = session.run("cat thermodyn.xml")
    assert status == 0 and any('tests="1" failures="0"' in line for line in judged), judged


def check_gitlab_ci(session):
    """Passes with the load of the recipe, and fails when the advice has a hot key."""
    job = load("gitlab-ci/.gitlab-ci.yml")["test"]
    variables = {name: value.replace("http://thermodyn:", "http://localhost:") for name, value in job["variables"].items()}
    run_all(session, variables, job["script"])
    session.run("""echo '{"advice": [{"kind": "hot-key", "text": "ACME is hot"}]}' > advice.json""")
    status, printed = session.run(job["script"][-1])
    assert (status, printed) == (1, ["ACME is hot"]), printed


def check_compose(session):
    """The service's options and fixtures, and the application's command."""
    services = load("compose/compose.yaml")["services"]
    environment = services["thermodyn"]["environment"]
    source, target, mode = services["thermodyn"]["volumes"][0].split(":")
    assert (target, mode) == ("/docker-entrypoint-init.d", "ro")
    session.environment.update(environment)
    session.start_server(["--init", source])
    application = services["application"]
    run_all(session, application["environment"], ["aws " + application["command"].replace("thermodyn:", "localhost:")])


def check_terraform(session):
    """The calls that Terraform's AWS provider makes of the recipe, and of tables that have more: terraform/main.go."""
    if not os.path.exists("/usr/share/gocode/src/github.com/hashicorp/hcl/v2"):
        raise unittest.SkipTest("HashiCorp's hcl is not installed")
    source, program = os.path.join(HERE, "terraform"), os.path.join(ROOT, "build/docs-terraform")
    run(["go", "build", "-o", program, "."], cwd=source, env=session.environment)
    recipe = os.path.join(session.folder, "main.tf")
    sequence = [f"{recipe},{source}/{name}.tf" for name in ("before", "after", "before")]
    run([program, recipe, *sequence], env=session.environment)


def check_cdk(session):
    """What the CDK's own command writes of the stack: the tables are those of the template that the
    page shows, and the server makes them."""
    if shutil.which("npm") is None:
        raise unittest.SkipTest("there is no npm here")
    modules = os.path.join(HERE, "node_modules")
    assert os.path.exists(os.path.join(modules, "aws-cdk")), "npm --prefix tests/docs ci installs it"
    os.symlink(modules, os.path.join(session.folder, "node_modules"))
    shutil.copy(os.path.join(session.folder, "stack.ts"), os.path.join(session.folder, "stack.mjs"))  # there is no type in it
    run(["node", "node_modules/aws-cdk/bin/cdk", "synth", "--quiet", "--no-notices", "--app", "node stack.mjs",
         "--output", "synthesized"], cwd=session.folder, env=session.environment)
    templates = []
    for folder in ("synthesized", "cdk.out"):
        with open(os.path.join(session.folder, folder, "Shop.template.json"), encoding="utf-8") as file:
            resources = json.load(file)["Resources"]
        templates.append([{**each, "Metadata": None} for each in resources.values() if each["Type"] == "AWS::DynamoDB::Table"])
    assert templates[0] == templates[1], templates
    session.start_server(["--init", "synthesized/Shop.template.json"])
    assert " tables=1 " in session.log(), session.log()


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr


CHECKS = {"github-actions": check_github_actions, "gitlab-ci": check_gitlab_ci, "compose": check_compose,
          "terraform": check_terraform, "cdk": check_cdk}
