"""A page of Markdown, typed in from its beginning: its commands in a shell, its servers beside it.

What a block is, its language tells:
  console   "$ " begins a command, which goes on while it ends with a backslash or a line begins with four blanks or more;
            the other lines are what it prints
  sh        commands alone: each must succeed
  python    a program that is run
  js        likewise, by node, as a module that finds the SDK
  log       lines of the server's log, since the server was started
Anything else is for reading. `<!-- not run: why -->` right before a block leaves it out.

How what is printed is compared: line by line, once normal() has been through both. "…" stands for any text within a line,
and alone on a line for any lines. A command whose output is not shown may print anything, but must succeed.

A command that starts the server (`./run`, `thermodyn` with options alone) runs "in another terminal": it takes the place
of the server before, and what it prints first is compared. A page begins with a server of default options. Port 8000 is
whatever port was free. A page is typed in its own folder within a copy of the documents; a page directly under docs/ and
the README, in the root.
"""
import os
import random
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import time

import loaded
from markdown import ROOT, blocks, read

HERE = os.path.dirname(os.path.abspath(__file__))
COPIED = ("docs", "conf", "docker")
UNUSED = shutil.ignore_patterns("*.md", "decisions", "pictures")  # by the commands of pages
PATIENCE = 300  # seconds for a command, and for a server to start
SHELL = r"""
shopt -s expand_aliases
status=0
while IFS= read -r -d '' -u "$1" command; do
    (exit "$status"); eval "$command" </dev/null
    status=$?
    printf '%d\0' "$status" >&"$2"
done
"""


def normal(line):
    """What differs between two runs that are the same: instants, ids of requests, and how many throttles fell into the
    second that a line of the log is about."""
    line = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?", "<instant>", line)
    line = re.sub(r"\b1[789]\d{8}(\d{3}|\.\d+)?\b", "<instant>", line)
    line = re.sub(r"\b[0-9A-Z]{52}\b", "<request>", line)
    line = re.sub(r"( throttled table=.* count=)\d+$", r"\1<count>", line)
    return line.rstrip()


def pattern(shown):
    """The lines that a page shows, as an expression of what may be printed."""
    text = ""
    for line in shown:
        if line.strip() == "…":
            text += r"(?:.*\n)*?"
        else:
            text += ".*".join(re.escape(part) for part in normal(line).split("…")) + r"\n"
    return text


def is_alike(shown, printed):
    return re.fullmatch(pattern(shown), "".join(normal(line) + "\n" for line in printed)) is not None


def commands(block):
    """(number of its line, command, lines shown) of a block."""
    found = []
    for number, line in enumerate(block.lines, block.number):
        if line.startswith("$ "):
            found.append((number, [line[2:]], []))
        elif found and not found[-1][2] and (found[-1][1][-1].endswith("\\") or line.startswith("    ")):
            found[-1][1].append(line)
        else:
            assert found, f"line {number}: output without a command"
            found[-1][2].append(line)
    return [(number, "\n".join(lines), shown) for number, lines, shown in found]


def server_options(command):
    """The options of a command that starts the server, or None when it is another command."""
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return None
    is_server = words[:1] in (["./run"], ["thermodyn"]) and (len(words) == 1 or words[1].startswith("-"))
    asks = any(re.match(r"--(help|version|print-)", word) for word in words)
    return words[1:] if is_server and not asks else None


def free_port():
    """Below those that the system gives out, so that nobody is given it while the server of a page starts anew."""
    while True:
        port = random.randrange(10000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Session:
    """A copy of the documents, a server and a shell. Use it with `with`."""

    def __init__(self, server, scratch, folder=""):
        self.server, self.root, self.port = server, os.path.join(scratch, "thermodyn"), free_port()
        self.folder = os.path.join(self.root, folder)
        self.log_path, self.process, self.shell = os.path.join(scratch, "log"), None, None
        self.home, self.bin = os.path.join(scratch, "home"), os.path.join(scratch, "bin")
        self.environment = {"PATH": self.bin + ":/usr/bin:/bin:" + os.environ["PATH"], "HOME": self.home,
                            "LC_ALL": "C.UTF-8", "THERMODYN_PORT": str(self.port), "AWS_EC2_METADATA_DISABLED": "true",
                            "PYTHONDONTWRITEBYTECODE": "1", loaded.FOLDER: os.environ.get(loaded.FOLDER, ""),
                            "AWS_JAVASCRIPT_SDK_MAINTENANCE_MODE_MESSAGE": "off", "NO_COLOR": "1",
                            # Go takes Debian's sources of the SDK, without the network, as tests/clients/go/run does.
                            "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOGC": "off",
                            "GOFLAGS": "-vet=off -gcflags=github.com/...=-N -gcflags=golang.org/...=-N -ldflags=-s",
                            "GOTOOLCHAIN": "local", "GOCACHE": os.path.join(ROOT, "build/clients-go/cache"),
                            "npm_config_update_notifier": "false"}

    def __enter__(self):
        os.makedirs(self.home)
        os.makedirs(self.bin)
        os.makedirs(self.root)
        for name in COPIED:
            source, target = os.path.join(ROOT, name), os.path.join(self.root, name)
            shutil.copytree(source, target, copy_function=self.copy, ignore=UNUSED)
        os.symlink(os.path.join(ROOT, "tests/clients/js/node_modules"), os.path.join(self.root, "node_modules"))
        self.put_command("run", f'exec "{self.server}" "$@"', self.root)
        self.put_command("thermodyn", f'exec "{self.server}" "$@"')
        loaded_program = f'exec /usr/bin/python3 -SE "{HERE}/loaded.py"'
        self.put_command("aws", f'{loaded_program} aws "$@"')
        self.put_command("python3", f'case $1 in *.py) {loaded_program} python3 "$@" ;; esac\nexec /usr/bin/python3 "$@"')
        # A request that is refused is a command that fails.
        self.put_command("curl", 'exec /usr/bin/curl --no-progress-meter --fail-with-body "$@"')
        self.put_command("docker", f'exec "{HERE}/docker" "$@"')
        self.start_server([])
        return self

    def __exit__(self, *_):
        self.stop_shell()
        self.stop_server()

    def here(self, text):
        return re.sub(r"(localhost|127\.0\.0\.1|0\.0\.0\.0):8000", rf"\1:{self.port}", text)

    def there(self, text):
        return text.replace(f":{self.port}", ":8000")

    def copy(self, source, target):
        with open(source, encoding="utf-8") as file:
            text = file.read()
        with open(target, "w", encoding="utf-8") as file:
            file.write(self.here(text))
        shutil.copymode(source, target)

    def put_command(self, name, script, folder=None):
        path = os.path.join(folder or self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o755)

    def start_server(self, options):
        """What it prints until it listens."""
        self.stop_server()
        port_file = os.path.join(self.home, "port")
        with open(self.log_path, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [self.server, "--port", str(self.port), "--port-file", port_file, *options], cwd=self.folder,
                env=self.environment, stdout=log, stderr=subprocess.STDOUT)
        self.wait(lambda: os.path.exists(port_file) or self.process.poll() is not None, "the server does not start")
        assert self.process.poll() is None, "the server does not start: " + self.log()
        os.remove(port_file)
        self.wait(lambda: " listening on " in self.log(), "the server does not say where it listens")
        return self.log().splitlines()

    def stop_server(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=PATIENCE)
        self.process = None
        assert status == 0, f"the server ended with {status}: {self.log()}"

    def log(self):
        with open(self.log_path, encoding="utf-8") as file:
            return self.there(file.read())

    @staticmethod
    def wait(is_done, complaint):
        end = time.monotonic() + PATIENCE
        while not is_done():
            assert time.monotonic() < end, complaint
            time.sleep(0.005)

    def start_shell(self):
        commands_read, self.commands = os.pipe()
        self.ends, ends_write = os.pipe()
        self.output = open(os.path.join(self.home, "output"), "w+", encoding="utf-8")
        self.shell = subprocess.Popen(
            ["bash", "-c", SHELL, "bash", str(commands_read), str(ends_write)], cwd=self.folder, env=self.environment,
            stdout=self.output, stderr=subprocess.STDOUT, pass_fds=(commands_read, ends_write))
        os.close(commands_read)
        os.close(ends_write)

    def stop_shell(self):
        if self.shell is None:
            return
        os.close(self.commands)
        self.shell.kill()
        self.shell.wait()
        os.close(self.ends)
        self.output.close()
        self.shell = None

    def run(self, command):
        """(exit status, lines printed) of a command in the shell."""
        if self.shell is None:
            self.start_shell()
        begin = os.fstat(self.output.fileno()).st_size
        os.write(self.commands, self.here(command).encode() + b"\0")
        status = b""
        while not status.endswith(b"\0"):
            assert select.select([self.ends], [], [], PATIENCE)[0], f"no end of: {command}"
            piece = os.read(self.ends, 64)
            assert piece, f"the shell ended at: {command}"
            status += piece
        self.output.seek(begin)
        return int(status[:-1]), self.there(self.output.read()).splitlines()

    def type_in(self, where, command, shown):
        """What is printed instead of what is shown, or None when they are alike."""
        options = server_options(command)
        status, printed = self.run(command) if options is None else (0, self.start_server(options))
        assert shown or status == 0, "%s: %s: exit status %d\n%s" % (where, command, status, "\n".join(printed))
        return printed if shown and not is_alike(shown, printed) else None

    def run_program(self, where, interpreter, name, lines):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(self.here("\n".join(lines)))
        status, printed = self.run(f"{interpreter} {name}")
        assert status == 0, "%s: exit status %d\n%s" % (where, status, "\n".join(printed))

    def find_in_log(self, where, lines):
        for line in lines:
            self.wait(lambda: any(is_alike([line], [there]) for there in self.log().splitlines()),
                      f"{where}: not in the log: {line}")

    def read_page(self, page):
        """Runs every block of a page that can be. Answers [(number of the line, lines shown, lines printed)] of what
        differs."""
        differences = []
        for block in blocks(read(page)):
            where = f"{page}:{block.number}"
            if block.excuse or block.language not in ("console", "sh", "python", "js", "log"):
                continue
            if block.language == "console":
                for number, command, shown in commands(block):
                    printed = self.type_in(f"{page}:{number}", command, shown)
                    if printed is not None:
                        differences.append((number + command.count("\n") + 1, shown, printed))
            elif block.language == "sh":
                self.type_in(where, "\n".join(["set -e", *block.lines]).join(["(", ")"]), [])
            elif block.language == "python":
                self.run_program(where, "python3", "block.py", block.lines)
            elif block.language == "js":
                self.run_program(where, "node", "block.mjs", block.lines)
            else:
                self.find_in_log(where, block.lines)
        return differences
