"""warpdiff's own worker as one that takes programs of SPA 5.0 as machine words and in no other way: what it says of its dialects is altered
on the way, and a launch whose program comes as text ends the worker."""
import json, subprocess, sys

worker = subprocess.Popen([sys.argv[1], "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
for line in sys.stdin:
    request = json.loads(line)
    shader = request.get("shader")
    if request["type"] == "launch" and (request["program"].lstrip().startswith(".spa") or (shader and request["program"])):
        sys.exit(3)
    worker.stdin.write(line)
    worker.stdin.flush()
    for _ in range(2 if request["type"] == "launch" else 1):
        reply = json.loads(worker.stdout.readline())
        if reply["type"] == "hello":
            reply["dialects"] = ["ptx", "spa-5.0-words"]
        print(json.dumps(reply), flush=True)
worker.stdin.close()
worker.wait()
