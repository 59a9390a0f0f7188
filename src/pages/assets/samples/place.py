import json
import os
import urllib.request

orders = [{"nftId": 2, "listingId": 2, "quantity": 1, "buyerUserId": 3}]
request = urllib.request.Request(
    "http://localhost:8787/api/externalOrders",
    data=json.dumps(orders).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    [order] = json.load(response)["orders"]
print(f"order {order['id']}: {order['status']}")
