import json
import os
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import quote, unquote, urlencode

began = time.time()
with open("books.json") as file:
    books = json.load(file)


def call(method, path, body=None):
    request = urllib.request.Request(
        f"http://localhost:8787{path}",
        None if body is None else json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "Content-Type": "application/json",
        },
        method=method,
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response), response.headers
    except urllib.error.HTTPError:
        raise
    except urllib.error.URLError as error:
        sys.exit(f"there is no answer from {request.host}: {error.reason}")


def text(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


def store():
    # A file that is replaced is never half written.
    with open("books.new", "w") as file:
        json.dump(books, file, indent=2)
    os.replace("books.new", "books.json")


def read_log():
    """Reads the log to its end. Returns whether it has lost the event that was read last."""
    is_lost, has_more = False, True
    while has_more:
        after = books["after"]
        query = {"after": after} if after else {"since": text(began)}
        try:
            page, _ = call("GET", f"/api/events?{urlencode(query)}")
        except urllib.error.HTTPError as error:
            if error.code != 410:
                raise
            is_lost, books["after"] = True, None
            continue
        books["after"], has_more = page["nextAfter"], page["hasMore"]
    return is_lost


def read_changes():
    """Returns the orders that have changed since the last run."""
    changed = {}
    query = {"updatedFrom": books["since"], "fields": "summary", "limit": 100}
    while query:
        page, _ = call("GET", f"/api/externalOrders?{urlencode(query)}")
        for order in page["orders"]:
            changed[order["id"], order["providerId"], order["source"]] = order
        cursor = page["nextCursor"]
        query = cursor and {**query, "cursor": cursor}
    return changed


def update(sale, sequence, status, updated_at):
    """Stores how an order stands, unless that is known, or something newer."""
    if sequence <= sale.get("sequence", -1):
        return
    if status != sale.get("status"):
        print(f"sale {sale['number']}: {status}")
    sale.update(sequence=sequence, status=status, updatedAt=updated_at)


def place(sale):
    """Finds the order of a sale, or places it. Returns the code of a refusal."""
    path = f"/api/externalOrders/by-number/{quote(sale['number'], safe='')}"
    wanted = sale["order"]
    try:
        body, headers = call("PUT", path, wanted)
    except urllib.error.HTTPError as error:
        if error.code >= 500 or error.code == 429:
            raise  # Run it again later.
        code = json.load(error)["code"]
        if code == "reservation_not_found" and wanted.pop("reservationId", None):
            return place(sale)
        # It had an order, which was lost: it was sold at the price of that time.
        had_order = sale.get("source") is not None
        if code == "price_changed" and had_order and "expectedPriceCents" in wanted:
            del wanted["expectedPriceCents"], wanted["expectedCurrency"]
            return place(sale)
        return code
    [order] = body["orders"]
    if order["id"] != sale.get("orderId"):
        print(f"sale {sale['number']}: order {order['id']}")
    sale.update(orderId=order["id"], source=unquote(headers["x-order-source"]))
    sequence, [item] = int(headers["x-order-sequence"]), order["orderItems"]
    update(sale, sequence, item["status"], order["updatedAt"])


def is_lost(sale):
    """Sends a sale again, and returns whether the marketplace had lost what was known."""
    order_id, sequence = sale["orderId"], sale.pop("sequence")
    place(sale)
    return sale["orderId"] != order_id or sale.get("sequence", -1) < sequence


def compare():
    """Takes over what has changed. Returns whether the marketplace has lost something."""
    changed = read_changes()
    for sale in books["sales"]:
        if "sequence" not in sale:
            continue
        order = changed.get((sale["orderId"], sale["number"], sale["source"]))
        if order:
            update(sale, order["sequence"], order["status"], order["updatedAt"])
            is_there = order["sequence"] == sale["sequence"]
        else:
            is_there = sale["updatedAt"] < books["since"]
        if not is_there and is_lost(sale):
            return True
    return False


is_restored = read_log() or (books["since"] is not None and compare())
if is_restored:
    print("the database was restored")
# The first run, and the one after a restore, send all sales. One that is killed goes on.
if is_restored or books["since"] is None:
    for sale in books["sales"]:
        sale.pop("sequence", None)
    books["since"] = text(began - 300)
    store()

unknown = [sale for sale in books["sales"] if "sequence" not in sale]
for count, sale in enumerate(unknown, 1):
    refusal = place(sale)
    if refusal:
        print(f"sale {sale['number']}: {refusal}, for a person")
    if count % 100 == 0:
        store()
books["since"] = text(began - 300)
store()
