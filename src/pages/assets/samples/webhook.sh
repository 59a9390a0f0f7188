curl -fsS -X POST http://localhost:8787/api/webhooks \
  -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' \
  -d '{ "url": "https://shop.example.com/webhooks",
        "events": ["order.delivered", "order.failed"] }'
