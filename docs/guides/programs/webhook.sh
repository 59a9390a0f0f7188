url='https://shop.example.com/webhooks'
webhooks=$(curl -fsS 'http://localhost:8787/api/webhooks?limit=100' \
  -H "Authorization: Bearer $TOKEN") || exit
case $webhooks in
  *"\"url\":\"$url\""*) echo "there is a webhook with this URL: $webhooks" ;;
  *) curl -fsS http://localhost:8787/api/webhooks \
    -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' \
    -d '{ "url": "'"$url"'", "events": ["order.delivered", "order.failed"] }' ;;
esac
