"""What is shipped beside the pages: names of the environment, and the Dockerfile."""
import os
import re
import subprocess

from markdown import ROOT, SKIPPED, read

SHOWN = (".md", ".yaml", ".yml", ".txt", ".py", ".mjs", ".go", "Dockerfile", ".service")


def check_environment(server):
    """A variable of the environment that a page, a recipe or the image names is an option's."""
    options = subprocess.run([server, "--help"], capture_output=True, text=True, check=True).stdout
    known = {"THERMODYN_" + name[2:].replace("-", "_").upper() for name in re.findall(r"^  (--[a-z-]+) ", options, re.M)}
    known |= {"THERMODYN_IMAGE"}  # a variable of a CI service, in recipes
    assert {"THERMODYN_PORT", "THERMODYN_PORT_FILE"} <= known, known
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED | {"tests", "server", "storage"}]
        for path in (os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(SHOWN)):
            unknown = set(re.findall(r"\bTHERMODYN_[A-Z_]+\b", read(path))) - known
            assert not unknown, f"{path}: there is no option for {unknown}"


def check_dockerfile(_):
    """A pinned base, packages without more than is asked for and without what apt leaves, no archive from elsewhere, a last
    stage that holds the server alone and runs as nobody, commands without a shell."""
    text = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", read("docker/Dockerfile"), flags=re.M))
    lines = [line.split(None, 1) for line in text.split("\n") if line.strip()]
    bases = [rest for name, rest in lines if name == "FROM"]
    assert all(re.match(r"scratch$|[\w./-]+:(?!latest\b)[\w.-]+", base) for base in bases), bases
    assert bases[-1] == "scratch", bases
    for name, rest in lines:
        assert name != "ADD" and name.isupper(), f"{name} {rest}"
        if name == "RUN" and "apt-get" in rest:
            wanted = ("apt-get update", "install -y --no-install-recommends", "apt-get clean", "rm -rf /var/lib/apt/lists/*")
            assert all(each in rest for each in wanted), rest
        if name in ("ENTRYPOINT", "CMD", "HEALTHCHECK"):
            assert re.search(r'(^|CMD )\["/', rest), f"{name} {rest}: a list, since there is no shell"
        if name == "ENV":
            assert not re.search(r"SECRET|PASSWORD|TOKEN|ACCESS_KEY", rest), rest
    last = lines[max(at for at, (name, _) in enumerate(lines) if name == "FROM"):]
    users = [rest for name, rest in last if name == "USER"]
    assert users and re.fullmatch(r"[1-9]\d+:[1-9]\d+", users[-1]), f"USER {users}: numbers, to be told from root"
    assert sum(name == "HEALTHCHECK" for name, _ in last) == 1 and sum(name == "ENTRYPOINT" for name, _ in last) == 1, last
