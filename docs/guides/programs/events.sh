position=$(cat position 2>/dev/null)
while :; do
  page=$(curl -fsS "http://localhost:8787/api/events?limit=100${position:+&after=$position}" \
    -H "Authorization: Bearer $TOKEN") || exit
  printf '%s\n' "$page"
  position=$(printf %s "$page" | sed -n 's/.*"nextAfter":"\([^"]*\)".*/\1/p')
  [ -n "$position" ] || exit 1 # It is no page of the log.
  # A file that is replaced is never half written.
  printf %s "$position" > position.new
  mv position.new position
  case $page in *'"hasMore":true'*) ;; *) break ;; esac
done
