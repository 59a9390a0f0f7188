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
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def was_restored():
    """Whether the log has lost the event up to which it was read."""
    query = {"after": books["after"]} if books["after"] else {"since": text(began)}
    has_more = True
    while has_more:
        try:
            page, _ = call("GET", f"/api/events?{urlencode(query)}")
        except urllib.error.HTTPError as error:
            if error.code != 410:
                raise
            return True
        books["after"], has_more = page["nextAfter"], page["hasMore"]
        query = {"after": books["after"]}
    return False


def update(sale, sequence, status):
    """Stores how an order stands, unless that is known, or something newer."""
    if sequence <= sale.get("sequence", -1):
        return
    if status != sale.get("status"):
        print(f"sale {sale['number']}: {status}")
    sale.update(sequence=sequence, status=status)


def place(sale):
    """Finds the order of a sale, or places it."""
    path = f"/api/externalOrders/by-number/{quote(sale['number'], safe='')}"
    try:
        body, headers = call("PUT", path, sale["order"])
    except urllib.error.HTTPError as error:
        if error.code >= 500 or error.code == 429:
            raise  # Run it again later.
        code = json.load(error)["code"]
        if code == "reservation_not_found" and sale["order"].pop("reservationId", None):
            return place(sale)
        print(f"sale {sale['number']}: {code}, for a person")
        return
    [order] = body["orders"]
    if order["id"] != sale.get("orderId"):
        print(f"sale {sale['number']}: order {order['id']}")
    sale.update(orderId=order["id"], source=unquote(headers["x-order-source"]))
    update(sale, int(headers["x-order-sequence"]), order["orderItems"][0]["status"])


if was_restored():
    print("the database was restored")
    for sale in books["sales"]:
        sale.update(orderId=None, sequence=-1)
    books.update(after=None, since=None)
    was_restored()
# The first run, and the one after a restore, ask for all of them.
for sale in books["sales"]:
    if not sale.get("orderId") or not books["since"]:
        place(sale)

sales = {sale.get("orderId"): sale for sale in books["sales"]}
query = books["since"] and {
    "updatedFrom": books["since"],
    "fields": "summary",
    "limit": 100,
}
while query:
    page, _ = call("GET", f"/api/externalOrders?{urlencode(query)}")
    for order in page["orders"]:
        sale = sales.get(order["id"])
        whose = order["providerId"], order["source"]
        if sale and (sale["number"], sale["source"]) == whose:
            update(sale, order["sequence"], order["status"])
    cursor = page["nextCursor"]
    query = cursor and {**query, "cursor": cursor}

books["since"] = text(began - 300)
with open("books.new", "w") as file:
    json.dump(books, file, indent=2)
os.replace("books.new", "books.json")
