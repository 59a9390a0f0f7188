while order=$(curl -fsS http://localhost:8787/api/externalOrders/1 \
  -H "Authorization: Bearer $TOKEN") || exit
do
  echo "$order" | grep -oE '"status":"(transferred|failed|awaiting_wallet)"' && break
  sleep 2
done
