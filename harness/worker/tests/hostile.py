"""A worker that tries what a worker may not, and says in its `hello` what came of it.

Usage: hostile.py ATTEMPT [ARGUMENT...]
"""

import json
import os
import socket
import subprocess
import sys


def secret(name):
    return os.environ.get(name, "absent")


def connect(port):
    try:
        socket.create_connection(("127.0.0.1", int(port)), timeout=5).close()
        return "connected"
    except OSError as error:
        return f"refused: {error}"


def interfaces():
    """The interfaces of this network namespace."""
    return " ".join(name for _, name in socket.if_nameindex())


def privileges(program):
    """The rights of a program that is setuid, and whether this process could get any."""
    with open("/proc/self/status", encoding="utf-8") as status:
        bit = next(line.split()[1] for line in status if line.startswith("NoNewPrivs:"))
    run = subprocess.run([program, "-u"], capture_output=True, text=True, check=False)
    return f"{bit} {run.stdout.strip()}"


def fill(path):
    """Writes until it is stopped; Python ignores SIGXFSZ, so that the write fails."""
    try:
        with open(path, "wb", buffering=0) as file:
            for _ in range(64):
                file.write(bytes(1 << 20))
        return "written"
    except OSError as error:
        return f"stopped: {error.errno}"


def daemon(path):
    """A process that leaves everything by which it could be found: group, session, parent, names."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            with open(path, "w", encoding="utf-8") as file:
                file.write(str(os.getpid()))
            for stream in range(3):
                os.close(stream)
            os.execve("/bin/sleep", ["sleep", "60"], {})
        os._exit(0)
    os.wait()
    return "started"


def child(path):
    """A process that stays in the group."""
    process = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(process.pid))
    return "started"


def forks(count):
    """How many processes it can have at a time, itself not counted."""
    started = []
    for _ in range(int(count)):
        try:
            process = os.fork()
        except OSError:
            break
        if process == 0:
            sys.stdin.close()
            import signal
            signal.pause()
        started.append(process)
    for process in started:
        os.kill(process, 9)
        os.waitpid(process, 0)
    return str(len(started))


def leave(_):
    """Enters the network namespace of the process that started it."""
    try:
        os.setns(os.open(f"/proc/{os.getppid()}/ns/net", os.O_RDONLY))
        return "entered"
    except (OSError, AttributeError) as error:
        return f"refused: {error}"


ATTEMPTS = {f.__name__: f for f in (secret, connect, interfaces, privileges, fill, daemon, child, forks, leave)}

for line in sys.stdin:
    if json.loads(line)["type"] == "hello":
        came = ATTEMPTS[sys.argv[1]](*sys.argv[2:])
        hello = {"type": "hello", "protocol": 1, "name": "hostile", "dialects": ["ptx"], "device": {"came": came}}
        print(json.dumps(hello), flush=True)
