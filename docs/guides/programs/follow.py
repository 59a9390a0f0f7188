import json
import os
import sys
import time
import urllib.error
import urllib.request


def wait_for_delivery(order_id):
    request = urllib.request.Request(
        f"http://localhost:8787/api/externalOrders/{order_id}",
        headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
    )
    delay = 1
    while True:
        try:
            with urllib.request.urlopen(request) as response:
                [order] = json.load(response)["orders"]
        except urllib.error.HTTPError:
            raise
        except urllib.error.URLError as error:
            sys.exit(f"there is no answer from {request.host}: {error.reason}")
        [item] = order["orderItems"]
        if item["status"] not in (None, "transferring"):
            return order, item
        time.sleep(delay)
        delay = min(delay * 1.5, 60)


order, item = wait_for_delivery(1)
if item["status"] == "transferred":
    print(f"delivered by transaction {item['txId']}")
elif item["status"] == "failed":
    print(f"failed: {order['failReason']}")
else:
    print("the buyer has no wallet yet")
