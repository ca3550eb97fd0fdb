"""The AWS CLI and programs of boto3 without their starts: a process that has loaded one of them forks for each command, which
takes a third of the time.

serve() is that process. As a program this is the command that asks it: loaded.py aws ARGUMENT… or loaded.py python3 FILE
ARGUMENT…; it hands over its arguments, environment, folder and files.
"""
import gc
import json
import os
import runpy
import socket
import sys
import time

FOLDER = "DOCS_LOADED"  # the variable of the environment that says where the sockets of serve() are
PATIENCE = 60  # seconds until one is there


def serve(folder, name):
    """Never returns. What is loaded is Debian's package, whatever else is in the PATH."""
    program = {"aws": load_aws, "python3": load_boto3}[name]()
    gc.freeze()
    path = os.path.join(folder, name)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + ".new")
    listener.listen()
    os.rename(path + ".new", path)
    while True:
        connection, _ = listener.accept()
        with connection:
            message, files, _, _ = socket.recv_fds(connection, 1 << 20, 2)
            child = os.fork()
            if child == 0:
                os._exit(run(program, json.loads(message), files))
            for file in files:
                os.close(file)
            _, status = os.waitpid(child, 0)
            connection.sendall(bytes([os.waitstatus_to_exitcode(status) & 255]))


def load_aws():
    from awscli.clidriver import create_clidriver  # has a botocore of its own, which goes with no other
    loader = create_clidriver().session.get_component("data_loader")

    def new_driver():
        driver = create_clidriver()
        driver.session.register_component("data_loader", loader)
        return driver

    for service in ("dynamodb", "cloudwatch"):
        new_driver().session.create_client(service, region_name="us-east-1")
    driver = new_driver()

    def run_command(arguments):
        session = driver.session
        session._config = session._profile = session._profile_map = None  # what it read here; it reads them when asked
        return driver.main(arguments)
    return run_command


def load_boto3():
    import boto3
    boto3.resource("dynamodb", region_name="us-east-1")
    return run_file


def run_file(arguments):
    sys.argv = arguments
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


def run(program, call, files):
    """The exit status of a program that runs in this process, as its interpreter would end."""
    os.dup2(files[0], 1)
    os.dup2(files[1], 2)
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    try:
        status = program(call["arguments"])
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else end.code is not None
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return int(status)


def main():
    name, arguments = sys.argv[1], sys.argv[2:]
    path, end = os.path.join(os.environ[FOLDER], name), time.monotonic() + PATIENCE
    while not os.path.exists(path):  # it is still loading
        if time.monotonic() > end:
            sys.exit(f"nobody serves {name}")
        time.sleep(0.01)
    call = json.dumps({"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}).encode()
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    socket.send_fds(connection, [call], [1, 2])
    return connection.recv(1)[0]


if __name__ == "__main__":
    sys.exit(main())
