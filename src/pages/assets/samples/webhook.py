import json
import os
import urllib.request

request = urllib.request.Request(
    "http://localhost:8787/api/webhooks",
    method="POST",
    headers={
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Content-Type": "application/json",
    },
    data=json.dumps({
        "url": "https://shop.example.com/webhooks",
        "events": ["order.delivered", "order.failed"],
    }).encode(),
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
print(f"webhook {answer['webhook']['id']}: {answer['secret']}")
