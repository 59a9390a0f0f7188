import json
import os
import time
import urllib.error
import urllib.request
from http.client import HTTPException


def send(method, path):
    """Returns the order. Each call is safe to repeat, until there is an answer."""
    request = urllib.request.Request(
        f"http://localhost:8787/api/externalOrders/{path}",
        method=method,
        headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
    )
    while True:
        try:
            with urllib.request.urlopen(request) as response:
                [order] = json.load(response)["orders"]
            return order
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                raise
        except (OSError, HTTPException, ValueError):
            pass  # No answer, or not all of it.
        time.sleep(2)


def cancel(order_id):
    """Cancels an order, and returns what to do when that is final."""
    try:
        while send("POST", f"{order_id}/cancel")["reasonCode"] != "cancelled":
            time.sleep(2)
        return "refund"
    except urllib.error.HTTPError as error:
        if error.code != 409:
            raise
    # The NFT is delivered, or the operator has to find out.
    [item] = send("GET", order_id)["orderItems"]
    return "do not refund" if item["status"] == "transferred" else "ask the operator about"


order_id = os.environ["ORDER_ID"]
print(f"{cancel(order_id)} order {order_id}")
