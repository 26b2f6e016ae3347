"""Requests of the views of data files and models, sent without a browser."""

import http.client
import json

PARAMETERS = {"C1": 1, "C2": 1, "rho1": 1, "rho2": 1.5, "kernel": "linear"}
CHOICES = {"target": None, "dropped": [], "categorical": [], "header": None}
FIT = {"search": False, "scale": "standard", "choices": CHOICES, "parameters": PARAMETERS}
QUERY = {"place": "", "text": "", "wrong": False, "sort": None, "descending": False}


def sent(server, name, content):
    """Return the key of a file that was uploaded as the page does it."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("POST", "/upload", content, {"X-File-Name": name, "Cookie": cookie(server)})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["upload"]


def cookie(server):
    """Return the cookie that a browser would have."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", f"/?token={server.token}")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.getheader("Set-Cookie").split(";")[0]


def ask(client, kind, fields):
    """Return the answer to a request, and what was reported before it."""
    number, reports = client.send(kind, fields), []
    while True:
        answered, own, values, arrays = client.receive()
        assert own == number
        if answered == "progress":
            reports.append(values)
            continue
        assert answered == kind, values
        return values, arrays, reports


def refusal(client, kind, fields):
    """Return why a request is refused."""
    answered, values, _ = client.ask(kind, fields)
    while answered == "progress":
        answered, _, values, _ = client.receive()
    assert answered == "error", values
    return values["message"]


def opened(client, fields=None):
    """Return what the server says of a file: an uploaded one, or the one named at the shell."""
    return ask(client, "data.open", fields or {})[0]["file"]


def fitted(client, **changes):
    """Return the answer to a fit, with settings that may differ from FIT."""
    return ask(client, "data.fit", {**FIT, **changes})
