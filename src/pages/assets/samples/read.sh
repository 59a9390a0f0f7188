curl http://localhost:8787/api/externalOrders/1 \
  -H "Authorization: Bearer $TOKEN"
