curl http://localhost:8787/api/externalOrders \
  -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' \
  -d '[{ "nftId": 2, "listingId": 2, "quantity": 1, "buyerUserId": 3 }]'
