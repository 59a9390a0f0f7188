while :; do
  status=$(curl -s -X POST "http://localhost:8787/api/externalOrders/$ORDER_ID/cancel" \
    -H "Authorization: Bearer $TOKEN" -o answer.json -w '%{http_code}')
  case $status in
    200) if grep -q '"reasonCode":"cancelled"' answer.json; then
        echo "refund order $ORDER_ID"
        break
      fi ;;
    000 | 429 | 5*) ;;
    409) status=$(curl -s "http://localhost:8787/api/externalOrders/$ORDER_ID" \
        -H "Authorization: Bearer $TOKEN" -o answer.json -w '%{http_code}')
      if [ "$status" = 200 ]; then
        if grep -q '"status":"transferred"' answer.json; then
          echo "do not refund order $ORDER_ID"
        else
          echo "ask the operator about order $ORDER_ID"
        fi
        break
      fi ;;
    *) cat answer.json >&2; exit 1 ;;
  esac
  sleep 2
done
