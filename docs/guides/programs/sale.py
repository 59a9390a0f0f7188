import json
import os
import sys
import urllib.error
import urllib.request
from urllib.parse import unquote


def send(method, path, body=None, **headers):
    request = urllib.request.Request(
        f"http://localhost:8787{path}",
        None if body is None else json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {os.environ['TOKEN']}",
            "Content-Type": "application/json",
            **headers,
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


def call(*request, **headers):
    return send(*request, **headers)[0]


goods = {"listing": "listing-2", "nft": "nft-2", "quantity": 1}

path = "/api/public/listings/externalId:listing-2"
[listing] = call("GET", path)["listings"]
state = "for sale" if listing["sellable"] else "not for sale"
print(f"costs {listing['priceCents']} {listing['priceCurrency']}, {state}")

hold = {
    "listing": "listing-2",
    "quantity": 1,
    "ttl": 1800,
    # What the customer has seen in the cart, as your shop has stored it.
    "expectedPriceCents": 1000,
    "expectedCurrency": "EUR",
}
answer = call("POST", "/api/reservations", [hold], **{"Idempotency-Key": "cart-4711"})
[reservation] = answer["reservations"]
print(f"reserved until {reservation['expiresAt']}")

# The customer pays.

# With a voucher: the price of the listing stays the expected one.
paid = {
    "grossCents": 900,
    "taxCents": 144,
    "discountCents": 100,
    "currency": "EUR",
    "invoiceNumber": "2026-0815",
}
seen = {"expectedPriceCents": 1000, "expectedCurrency": "EUR"}
order = {**goods, **seen, "paid": paid, "buyer": {"userId": 3}}
path = "/api/externalOrders/by-number/4711"
try:
    answer, headers = send("PUT", path, {**order, "reservationId": reservation["id"]})
except urllib.error.HTTPError as error:
    if json.load(error)["code"] != "reservation_not_found":
        raise
    # The hold has ended, and the piece may still be there. Refund only if this is
    # refused, too.
    answer, headers = send("PUT", path, order)
[sold], source = answer["orders"], unquote(headers["x-order-source"])
print(f"order {sold['id']}: {sold['status']}")

address = {"street": "Road 1", "postal": "0150", "city": "Oslo", "country": "NO"}
order = {
    **goods,
    "buyer": {"email": "guest@example.com"},
    "buyerBillingData": address,
}
[gift] = call("PUT", "/api/externalOrders/by-number/4712", order)["orders"]

# Another shop may have an order with this number.
path = f"/api/events?limit=100&since={sold['createdAt']}"
for event in call("GET", path)["events"]:
    data = event["data"]
    if data.get("source") == source and data.get("providerId") == "4711":
        print(event["type"], json.dumps(data))

try:
    [cancelled] = call("POST", f"/api/externalOrders/{gift['id']}/cancel")["orders"]
    requested = cancelled["cancelRequestedAt"]
    print(f"order {gift['id']}: cancellation requested at {requested}")
except urllib.error.HTTPError as error:
    if json.load(error)["code"] != "conflict":
        raise
    print(f"order {gift['id']} was delivered before")
