"""A server over stdio, written out by hand so that it can do what no SDK would.

    python plain.py [banner] [silent-pages] ...

Tools: three pages of two, then more once ``grow`` was called.
"""

import base64
import json
import os
import sys
import time

PIXEL = base64.b64encode(b"\x89PNG-not-really").decode()
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
COUNT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
NONE = {"type": "object", "properties": {}}
PAGES = [
    [("echo", TEXT), ("long", COUNT)],
    [("mixed", NONE), ("noisy", COUNT)],
    [("sleep", COUNT), ("crash", NONE)],
]
MORE = [("grow", NONE), ("fail", TEXT), ("endless", NONE), ("cancelled", NONE), ("nan", NONE)]
STRICT = {**TEXT, "additionalProperties": False}
state = {"tools": [], "cancelled": [], "odd": {"name": "odd", "inputSchema": STRICT, "x-own": [1]}}


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tool(name, schema):
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema}


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


def mixed():
    blocks = [
        {"type": "text", "text": "downloaded"},
        {
            "type": "resource",
            "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "BODY"},
        },
        {"type": "image", "data": PIXEL, "mimeType": "image/png"},
        {"type": "resource_link", "uri": "file:///b.bin", "name": "b", "mimeType": "x/y"},
    ]
    return {"content": blocks, "structuredContent": {"n": 1}}


def call(name, arguments):
    if name == "echo":
        return text(arguments["text"])
    if name == "long":
        return text("é" * arguments["n"])
    if name == "mixed":
        return mixed()
    if name == "noisy":
        for number in range(arguments["n"]):
            print(f"debug: line {number}")
        sys.stdout.write("loading...")  # no end of line: the answer follows on the same one
        return text("still here")
    if name == "sleep":
        time.sleep(arguments["n"])
        return text("slept")
    if name == "crash":
        print("Traceback: the disk is full", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "grow":
        state["tools"] = [("extra", NONE)]
        send(method="notifications/tools/list_changed")
        return text("grown")
    if name == "fail":
        return text(arguments["text"], isError=True)
    if name == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    if name == "cancelled":
        return text(json.dumps(state["cancelled"]))
    if name == "nan":
        return text("a number", structuredContent={"value": float("nan")})
    if name == "extra":
        return text("more")
    return None


def pages():
    listed = [[tool(*one) for one in page] for page in PAGES]
    if "more" in sys.argv:
        listed.append([tool(*one) for one in MORE] + [state["odd"]])
    return [*listed, [tool(*one) for one in state["tools"]]] if state["tools"] else listed


def answer(message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        about = {"name": "plain", "version": "1.2"}
        version = params["protocolVersion"]
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": about,
        }
    if method == "tools/list":
        at = int(params.get("cursor", 0))
        listed = pages()
        more = {"nextCursor": str(at + 1)} if at + 1 < len(listed) else {}
        return {"tools": listed[at], **more}
    if method == "tools/call":
        return call(params["name"], params["arguments"])
    return {} if method == "ping" else None


def main():
    if "banner" in sys.argv:
        print("plain server 1.2\n{ listening on stdio }")
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "notifications/cancelled":
            state["cancelled"].append(message["params"]["requestId"])
        if "id" not in message:
            continue
        result = answer(message)
        if result is None:
            error = {"code": -32602, "message": f"Unknown tool: {message['params'].get('name')}"}
            send(id=message["id"], error=error)
        else:
            send(id=message["id"], result=result)


if __name__ == "__main__":
    main()
