import json
import os
import sys
import time
import urllib.error
import urllib.request
from http.client import HTTPException


def problem_in(error):
    """Returns the body of an error, which is no JSON if a proxy has answered."""
    try:
        return json.load(error)
    except ValueError:
        return {"code": None, "error": f"HTTP {error.code}, not from the API"}


def place_orders(orders, idempotency_key, attempts=5):
    request = urllib.request.Request(
        "http://localhost:8787/api/externalOrders",
        data=json.dumps(orders).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key,
        },
    )
    for attempt in range(attempts):
        wait = 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)["orders"]
        except urllib.error.HTTPError as error:
            if error.code != 429 and error.code < 500:
                problem = problem_in(error)
                if problem["code"] != "request_in_progress":
                    raise ValueError(problem["error"]) from error
            after = error.headers.get("Retry-After", "")
            wait = int(after) if after.isdecimal() else wait
        except (OSError, HTTPException, ValueError):
            pass  # No answer, or not all of it: the order may have been placed.
        time.sleep(wait)
    sys.exit(f"no answer from {request.host}: try again later with the same key")


[order] = place_orders(
    [
        {
            "nftId": 2,
            "listingId": 2,
            "quantity": 1,
            "buyerUserId": 3,
            "providerId": "4713",
        }
    ],
    idempotency_key="order-4713",
)
print(f"order {order['id']}: {order['status']}")
