import base64
import hmac
import json
import os
import sqlite3
import threading
import time
import traceback
import urllib.error
import urllib.request
from urllib.parse import quote, unquote, urlencode
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

URL, TOKEN = os.environ["MARKETPLACE_URL"], os.environ["MARKETPLACE_TOKEN"]
SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

file = os.path.join(os.environ.get("DATA_DIR", "."), "shop.db")
db = sqlite3.connect(file, check_same_thread=False)
db.row_factory = sqlite3.Row
# One thread at a time. `with lock, db:` is a transaction.
lock = threading.RLock()
db.executescript("""
    CREATE TABLE IF NOT EXISTS sales (
        number TEXT PRIMARY KEY, body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'open',
        wantsRefund INTEGER NOT NULL DEFAULT 0, orderId INTEGER, source TEXT, txId TEXT,
        sequence INTEGER NOT NULL DEFAULT -1, paidCents INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS refunds (number TEXT PRIMARY KEY, cents INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS messages (
        id TEXT PRIMARY KEY, number TEXT, data TEXT NOT NULL);
""")


class Refused(Exception):
    """The marketplace has answered 4xx: the same call would fail again."""

    def __init__(self, status, code):
        super().__init__(f"{status} {code}")
        self.status, self.code = status, code


# What the last answer has seen. With it, the next read sees no less.
bookmark = {}


def call(method, path, body=None):
    """Sends a call until there is an answer, and returns its body and its headers.

    Each call is safe to repeat.
    """
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    for attempt in range(8):
        all_headers = headers | bookmark
        request = urllib.request.Request(URL + path, data, all_headers, method=method)
        delay = 0.5 * 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                if seen := response.headers["x-d1-bookmark"]:
                    bookmark["x-d1-bookmark"] = seen
                return json.load(response), response.headers
        except urllib.error.HTTPError as error:
            status, code = error.code, code_of(error)
            repeatable = None, "request_in_progress"
            if status < 500 and status != 429 and code not in repeatable:
                raise Refused(status, code) from error
            delay = float(error.headers.get("Retry-After", delay))
        except (OSError, HTTPException, ValueError):
            pass  # No answer, or a part of one.
        time.sleep(delay)
    raise TimeoutError(URL + path)


def code_of(error):
    try:
        return json.load(error)["code"]
    except (OSError, HTTPException, ValueError, TypeError, KeyError):
        return None  # Something in between has answered: the call may have been done.


def rows(sql, *values):
    with lock:
        return [dict(row) for row in db.execute(sql, values)]


def change(sql, *values):
    with lock, db:
        return db.execute(sql, values).rowcount


def sale_of(number):
    [sale] = rows("SELECT * FROM sales WHERE number = ?", number)
    return sale


def refund(number):
    """A real shop calls its payment provider, under a number that is accepted once."""
    sql = "INSERT OR IGNORE INTO refunds SELECT number, paidCents FROM sales WHERE number = ?"
    db.execute(sql, (number,))
    db.execute("UPDATE sales SET state = 'refunded' WHERE number = ?", (number,))


def books():
    """The sales, each with the cents of its refunds."""
    refunds = rows("SELECT * FROM refunds")
    return [
        sale
        | {"refunds": [each["cents"] for each in refunds if each["number"] == sale["number"]]}
        for sale in rows("SELECT * FROM sales")
    ]


def update(order_id, order):
    """Takes over how an order stands, from a message or a read.

    Ignores orders of other shops, which may have the same number, and what is older
    than the books.
    """
    state = "delivered" if order["status"] == "transferred" else "open"
    number, source = order["providerId"], order["source"]
    changed = db.execute(
        """UPDATE sales SET sequence = ?1, txId = ?2, state = ?3
           WHERE number = ?4 AND source = ?5 AND orderId = ?6 AND sequence < ?1
             AND state <> 'refunded'""",
        (order["sequence"], order["txId"], state, number, source, order_id),
    ).rowcount
    if changed and order["reasonCode"] == "cancelled":
        refund(number)


def set_order(number, order_id, source):
    """Stores which order is that of a sale. Only the answer to our own call says so.

    A message or a list may be about an order of another shop with the same number.
    """
    known = sale_of(number)["orderId"]
    if known == order_id:
        return
    # Another id than before: the marketplace has lost the first order and was told again.
    db.execute(
        """UPDATE sales SET orderId = ?, source = ?, sequence = -1, state = 'open'
           WHERE number = ?""",
        (order_id, source, number),
    )
    # Messages that came before the answer.
    if known is None:
        for message in rows("SELECT data FROM messages WHERE number = ?", number):
            data = json.loads(message["data"])
            update(data["orderId"], data)


def place(sale):
    """Places the order of a sale, or finds the one that was placed before. Returns its id."""
    try:
        body, headers = put(sale["number"], json.loads(sale["body"]))
    except Refused as refused:
        if refused.status not in (400, 409) or refused.code == "order_differs":
            raise
        if sale_of(sale["number"])["orderId"] is not None:
            return place_again(sale, refused)
        # Nothing will be delivered, and there is nothing to cancel.
        with lock, db:
            if sale_of(sale["number"])["state"] == "open":
                refund(sale["number"])
        return None
    [order] = body["orders"]
    with lock, db:
        set_order(sale["number"], order["id"], unquote(headers["x-order-source"]))
    return order["id"]


def place_again(sale, refused):
    """Places an order that a restore has lost, and that may have been delivered.

    No refusal refunds it: a person asks the operator.
    """
    order = json.loads(sale["body"])
    if refused.code != "price_changed" or "expectedPriceCents" not in order:
        raise refused
    # It was sold at the price of that time.
    del order["expectedPriceCents"], order["expectedCurrency"]
    change("UPDATE sales SET body = ? WHERE number = ?", json.dumps(order), sale["number"])
    return place(sale_of(sale["number"]))


def put(number, order):
    path = f"/api/externalOrders/by-number/{quote(number, safe='')}"
    try:
        return call("PUT", path, order)
    except Refused as refused:
        if refused.code != "reservation_not_found":
            raise
        # The reservation has ended, or the marketplace has lost it.
        del order["reservationId"]
        return call("PUT", path, order)


busy = set()


def work(number):
    """Does what is to be done for a sale, in a thread of its own."""
    with lock:
        if number in busy:
            return
        busy.add(number)
    threading.Thread(target=work_until_answered, args=(number,), daemon=True).start()


def work_until_answered(number):
    while True:
        try:
            sale = sale_of(number)
            if sale["state"] == "open" and sale["orderId"] is None:
                place(sale)
                continue
            if sale["state"] == "open" and sale["wantsRefund"] == 1:
                cancel(sale)
            with lock:
                # Nobody has asked for a refund in the meantime.
                if sale_of(number)["wantsRefund"] != 1 or sale["wantsRefund"] == 1:
                    busy.discard(number)
                    return
        except Refused:
            # The token is refused, the number has another order, or nothing can be
            # cancelled. The sale stays open, and a person has to see it.
            traceback.print_exc()
            with lock:
                busy.discard(number)
            return
        except Exception:
            traceback.print_exc()
            time.sleep(1)


def cancel(sale):
    """The refund follows when a message says that the order is cancelled."""
    # After a restore the id in the books may be of another order.
    order_id = place(sale)
    if order_id is None:
        return
    call("POST", f"/api/externalOrders/{order_id}/cancel")


def reconcile():
    """Compares the books with the marketplace. A shop does so each night, and after a restore."""
    for sale in rows("SELECT * FROM sales WHERE state <> 'refunded'"):
        try:
            compare(sale)
        except Refused:
            # A person has to see it. The others are compared.
            traceback.print_exc()


def compare(sale):
    # After a restore it may be lower.
    change("UPDATE sales SET sequence = -1 WHERE number = ?", sale["number"])
    place(sale)
    for order in summaries(sale["number"]):
        with lock, db:
            update(order["id"], order)
    if sale["wantsRefund"] == 1:
        work(sale["number"])


def summaries(number):
    """Reads how the order of a sale stands, if it was placed."""
    source = sale_of(number)["source"]
    query = {"fields": "summary", "providerId": number, "source": source}
    while source and query:
        page, _ = call("GET", f"/api/externalOrders?{urlencode(query)}")
        yield from page["orders"]
        cursor = page["nextCursor"]
        query = cursor and {**query, "cursor": cursor}


def is_authentic(headers, body):
    message_id, sent_at = headers["webhook-id"], headers["webhook-timestamp"] or ""
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        return False
    signed = f"{message_id}.{sent_at}.".encode() + body
    digest = hmac.digest(SECRET, signed, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    signatures = (headers["webhook-signature"] or "").encode().split(b" ")
    return any(hmac.compare_digest(expected, each) for each in signatures)


def receive(headers, body):
    event = json.loads(body)
    data = event["data"]
    # One transaction: a message is remembered if its effect is, and not otherwise.
    with lock, db:
        sql = "INSERT OR IGNORE INTO messages VALUES (?, ?, ?)"
        values = headers["webhook-id"], data.get("providerId"), json.dumps(data)
        is_new = db.execute(sql, values).rowcount == 1
        if is_new and "orderId" in data:
            update(data["orderId"], data)
    return data.get("challenge", "")


def sell(sale):
    number = sale.pop("number")
    paid = sale["expectedPriceCents"] * sale["quantity"]
    sql = "INSERT OR IGNORE INTO sales (number, body, paidCents) VALUES (?, ?, ?)"
    change(sql, number, json.dumps(sale), paid)
    work(number)


def want_refund(number):
    change("UPDATE sales SET wantsRefund = 1 WHERE number = ?", number)
    work(number)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/sales":
            return self.answer(404)
        self.answer(200, json.dumps(books()))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        parts = self.path.split("/")
        if self.path == "/webhooks":
            if not is_authentic(self.headers, body):
                return self.answer(400)
            return self.answer(200, receive(self.headers, body))
        if self.path == "/sales":
            sell(json.loads(body))
        elif self.path == "/reconcile":
            reconcile()
        elif len(parts) == 4 and parts[1] == "sales" and parts[3] == "cancel":
            number = unquote(parts[2])
            if not rows("SELECT 1 FROM sales WHERE number = ?", number):
                return self.answer(404)
            want_refund(number)
        else:
            return self.answer(404)
        self.answer(204)

    def answer(self, status, text=""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


for sale in rows("SELECT number FROM sales WHERE state = 'open'"):
    work(sale["number"])
ThreadingHTTPServer(("localhost", int(os.environ["PORT"])), Handler).serve_forever()
