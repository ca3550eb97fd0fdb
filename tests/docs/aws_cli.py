"""The AWS CLI without its start: a process that has loaded it forks for each command, which takes a third of the time.

serve() is that process. As a program this is the command `aws`: it hands its arguments, environment and files over.
"""
import gc
import json
import os
import socket
import sys
import time

SOCKET = "DOCS_AWS_SOCKET"  # the variable of the environment that says where serve() listens


def serve(path):
    """Never returns. What is loaded here is Debian's package, whatever else is in the PATH."""
    from awscli.clidriver import create_clidriver  # costs a second: only when a document asks for it
    loader = create_clidriver().session.get_component("data_loader")
    for service in ("dynamodb", "cloudwatch"):
        session = create_clidriver().session
        session.register_component("data_loader", loader)
        session.create_client(service, region_name="us-east-1")
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + ".new")
    listener.listen()
    os.rename(path + ".new", path)
    while True:
        connection, _ = listener.accept()
        with connection:
            message, files, _, _ = socket.recv_fds(connection, 1 << 20, 2)
            call = json.loads(message)
            child = os.fork()
            if child == 0:
                os._exit(run(create_clidriver, loader, call, files))
            for file in files:
                os.close(file)
            _, status = os.waitpid(child, 0)
            connection.sendall(bytes([os.waitstatus_to_exitcode(status) & 255]))


def run(create_clidriver, loader, call, files):
    """A driver of its own, since one reads the configuration once; what it loads of services is shared."""
    try:
        os.dup2(files[0], 1)
        os.dup2(files[1], 2)
        os.chdir(call["folder"])
        os.environ.clear()
        os.environ.update(call["environment"])
        driver = create_clidriver()
        driver.session.register_component("data_loader", loader)
        status = driver.main(call["arguments"])
        sys.stdout.flush()
        sys.stderr.flush()
        return status
    except BaseException as error:  # the CLI ends by raising, too
        print(repr(error), file=sys.stderr, flush=True)
        return 255


def main():
    call = json.dumps({"arguments": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd()}).encode()
    while not os.path.exists(os.environ[SOCKET]):  # it is still loading
        time.sleep(0.01)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ[SOCKET])
    socket.send_fds(connection, [call], [1, 2])
    return connection.recv(1)[0]


if __name__ == "__main__":
    sys.exit(main())
