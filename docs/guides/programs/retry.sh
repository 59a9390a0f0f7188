curl -sS http://localhost:8787/api/externalOrders \
  --retry 5 --retry-all-errors \
  -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: order-4713' \
  -d '[{
    "nftId": 2, "listingId": 2, "quantity": 1, "buyerUserId": 3,
    "providerId": "4713"
  }]'
