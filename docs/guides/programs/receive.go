package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// In your database, so that it outlives the program.
var processed sync.Map

func isAuthentic(header http.Header, body, secret []byte) bool {
	sentAt := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	digest := hmac.New(sha256.New, secret)
	fmt.Fprintf(digest, "%s.%s.%s", header.Get("webhook-id"), sentAt, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(digest.Sum(nil))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(expected), []byte(signature)) {
			return true
		}
	}
	return false
}

func main() {
	text := strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_")
	secret, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var event struct {
			Type string
			Data json.RawMessage
		}
		if err != nil || !isAuthentic(request.Header, body, secret) ||
			json.Unmarshal(body, &event) != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		if _, isKnown := processed.LoadOrStore(request.Header.Get("webhook-id"), true); !isKnown {
			// It may be about an order of another shop: compare `source` and `providerId`.
			fmt.Println(event.Type, string(event.Data))
		}
		var test struct{ Challenge string }
		_ = json.Unmarshal(event.Data, &test)
		fmt.Fprint(response, test.Challenge)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8000"
	}
	listener, err := net.Listen("tcp", "localhost:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening")
	log.Fatal(http.Serve(listener, nil))
}
