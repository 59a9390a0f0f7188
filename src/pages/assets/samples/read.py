import json
import os
import urllib.request

request = urllib.request.Request(
    "http://localhost:8787/api/externalOrders/1",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
)
with urllib.request.urlopen(request) as response:
    [order] = json.load(response)["orders"]
[item] = order["orderItems"]
print(f"order {order['id']}: {item['status']}, {item['txId']}")
