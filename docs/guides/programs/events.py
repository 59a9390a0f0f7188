import json
import os
import sys
import urllib.error
import urllib.request

position = ""
if os.path.exists("position"):
    with open("position") as file:
        position = file.read()
has_more = True
while has_more:
    request = urllib.request.Request(
        "http://localhost:8787/api/events" + (f"?after={position}" if position else ""),
        headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
    )
    try:
        with urllib.request.urlopen(request) as response:
            page = json.load(response)
    except urllib.error.HTTPError:
        raise
    except urllib.error.URLError as error:
        sys.exit(f"there is no answer from {request.host}: {error.reason}")
    for event in page["events"]:
        print(event["id"], event["type"], json.dumps(event["data"]))
    position = page["nextAfter"] or ""
    # A file that is replaced is never half written.
    with open("position.new", "w") as file:
        file.write(position)
    os.replace("position.new", "position")
    has_more = page["hasMore"]
