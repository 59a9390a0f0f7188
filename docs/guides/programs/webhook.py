import json
import os
import sys
import urllib.error
import urllib.request


def call(method, path, body=None):
    request = urllib.request.Request(
        f"http://localhost:8787{path}",
        method=method,
        headers={
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "Content-Type": "application/json",
        },
        data=None if body is None else json.dumps(body).encode(),
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError:
        raise
    except urllib.error.URLError as error:
        sys.exit(f"there is no answer from {request.host}: {error.reason}")


url = "https://shop.example.com/webhooks"
webhooks = call("GET", "/api/webhooks?limit=100")["webhooks"]
found = next((each for each in webhooks if each["url"] == url), None)
if found:
    print(f"webhook {found['id']}: there is one with this URL")
else:
    new = {"url": url, "events": ["order.delivered", "order.failed"]}
    answer = call("POST", "/api/webhooks", new)
    print(f"webhook {answer['webhook']['id']}: {answer['secret']}")
