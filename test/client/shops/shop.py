"""The shop of shop.ts, in Python."""

import json
import os
import time
import urllib.error
import urllib.request

URL, TOKEN, FOLDER = os.environ["URL"], os.environ["TOKEN"], os.environ["FOLDER"]
BOOKS = os.path.join(FOLDER, "books.jsonl")
BILLING = {"street": "Road 1", "postal": "0150", "city": "Oslo", "country": "NO"}
OUTCOMES = {
    "order.awaiting_wallet": "awaiting_wallet",
    "order.delivered": "delivered",
    "order.failed": "failed",
    "order.cancelled": "cancelled",
}


class Refused(Exception):
    """The API has answered 4xx: the same call would fail again."""


def call(method, path, body=None, key=None):
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(8):
        request = urllib.request.Request(URL + path, data, headers, method=method)
        delay = 0.2 * 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            code = problem["code"]
            if error.code < 500 and error.code != 429 and code != "request_in_progress":
                raise Refused(code) from error
            delay = float(error.headers.get("Retry-After", delay))
        except OSError:
            pass  # No answer. Every call is safe to repeat.
        time.sleep(delay)
    raise TimeoutError(path)


books = []
if os.path.exists(BOOKS):
    with open(BOOKS) as file:
        for line in file:
            try:
                books.append(json.loads(line))
            except ValueError:
                pass  # A line that was cut by the end of the program, or an empty one.


def record(step, number=None, **values):
    entry = {"step": step, "number": number, **values}
    books.append(entry)
    with open(BOOKS, "a") as file:
        file.write("\n" + json.dumps(entry) + "\n")
    print(step, flush=True)


def step_of(number, step):
    for entry in reversed(books):
        if entry.get("number") == number and entry["step"] == step:
            return entry
    return None


def reserve(sale):
    line = {
        "listing": sale["listing"],
        "quantity": 1,
        "ttl": 600,
        "expectedPriceCents": sale["priceCents"],
        "expectedCurrency": sale["currency"],
    }
    try:
        key = f"reserve-{sale['number']}"
        [held] = call("POST", "/api/reservations", [line], key)["reservations"]
        record("reserved", sale["number"], reservationId=held["id"])
    except Refused as refused:
        record("refused", sale["number"], code=str(refused))


def put_order(sale, reservation_id):
    body = {
        "nft": sale["nft"],
        "listing": sale["listing"],
        "quantity": 1,
        "buyer": sale["buyer"],
        "buyerBillingData": BILLING,
        "expectedPriceCents": sale["priceCents"],
        "expectedCurrency": sale["currency"],
    }
    if reservation_id:
        body["reservationId"] = reservation_id
    path = f"/api/externalOrders/by-number/{sale['number']}"
    [order] = call("PUT", path, body)["orders"]
    record("ordered", sale["number"], orderId=order["id"])


def order(sale):
    try:
        try:
            put_order(sale, step_of(sale["number"], "reserved")["reservationId"])
        except Refused as refused:
            if str(refused) != "reservation_not_found":
                raise
            # The hold has ended since: the order asks for a piece that is still free.
            put_order(sale, None)
    except Refused as refused:
        record("refunded", sale["number"], code=str(refused))


def cancel(number):
    order_id = step_of(number, "ordered")["orderId"]
    try:
        call("POST", f"/api/externalOrders/{order_id}/cancel")
        record("cancelled", number)
    except Refused as refused:
        record("cancelled", number, code=str(refused))  # It was delivered before.


def sell(sale):
    number = sale["number"]
    if not step_of(number, "reserved") and not step_of(number, "refused"):
        reserve(sale)
    if step_of(number, "refused"):
        return
    if not step_of(number, "paid"):
        record("paid", number)
    if not step_of(number, "ordered") and not step_of(number, "refunded"):
        order(sale)
    if not step_of(number, "ordered"):
        return
    if sale["isCancelled"] and not step_of(number, "cancelled"):
        cancel(number)


def has_ended(sale):
    if not step_of(sale["number"], "ordered"):
        return True
    status = (step_of(sale["number"], "ended") or {}).get("status", "open")
    return status != "open" and (status != "awaiting_wallet" or not sale["isCancelled"])


def read_events():
    reads = [entry["position"] for entry in books if entry["step"] == "read"]
    after = reads[-1] if reads else None
    page = call("GET", "/api/events" + (f"?after={after}" if after else ""))
    numbers = {e["orderId"]: e["number"] for e in books if e["step"] == "ordered"}
    for event in page["events"]:
        number = numbers.get(event["data"].get("orderId"))
        if number and event["type"] in OUTCOMES:
            record("ended", number, status=OUTCOMES[event["type"]])
    if page["nextAfter"] and page["nextAfter"] != after:
        record("read", position=page["nextAfter"])
    if not page["hasMore"]:
        time.sleep(0.2)


with open(os.path.join(FOLDER, "sales.json")) as file:
    sales = json.load(file)
for sale in sales:
    sell(sale)
while not all(has_ended(sale) for sale in sales):
    read_events()
print("done", flush=True)
