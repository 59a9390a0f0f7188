import base64
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

secret = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
# In your database, so that it outlives the program.
processed = set()


def is_authentic(headers, body):
    message_id, sent_at = headers["webhook-id"], headers["webhook-timestamp"] or ""
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        return False
    signed = f"{message_id}.{sent_at}.".encode() + body
    digest = hmac.digest(secret, signed, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    signatures = (headers["webhook-signature"] or "").encode().split(b" ")
    return any(hmac.compare_digest(expected, each) for each in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        message_id = self.headers["webhook-id"]
        if not is_authentic(self.headers, body):
            return self.answer(400)
        event = json.loads(body)
        if message_id not in processed:
            # It may be about an order of another shop: compare `source` and `providerId`.
            print(event["type"], json.dumps(event["data"]), flush=True)
            processed.add(message_id)
        self.answer(200, event["data"].get("challenge", ""))

    def answer(self, status, text=""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())


server = HTTPServer(("localhost", int(os.environ.get("PORT", 8000))), Receiver)
print("listening", flush=True)
server.serve_forever()
