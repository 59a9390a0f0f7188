# Checks one request: its body is in the file body.json, its headers are in
# $WEBHOOK_ID, $WEBHOOK_TIMESTAMP and $WEBHOOK_SIGNATURE. Prints the body of the answer.
refuse() { echo 'not authentic: answer 400' >&2; exit 1; }
case $WEBHOOK_TIMESTAMP in '' | *[!0-9]*) refuse ;; esac
age=$(($(date +%s) - WEBHOOK_TIMESTAMP))
[ "${age#-}" -le 300 ] || refuse
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf %s "$WEBHOOK_ID.$WEBHOOK_TIMESTAMP."; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
case " $WEBHOOK_SIGNATURE " in
  *" v1,$expected "*) ;;
  *) refuse ;;
esac
sed -n 's/^{"type":"webhook.test",.*"challenge":"\([^"]*\)".*/\1/p' body.json
