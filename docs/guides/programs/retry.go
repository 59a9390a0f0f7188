package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

type Order struct {
	ID     int
	Status string
}

type Answer struct {
	Orders      []Order
	Code, Error string
}

var client = http.Client{Timeout: 30 * time.Second}

// placeOrders repeats a call without an answer, or not all of it: the order may have been placed.
func placeOrders(orders []any, idempotencyKey string, attempts int) ([]Order, error) {
	body, err := json.Marshal(orders)
	if err != nil {
		return nil, err
	}
	for attempt := 0; attempt < attempts; attempt++ {
		wait := 1 << attempt
		request, err := http.NewRequest(
			"POST", "http://localhost:8787/api/externalOrders", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", idempotencyKey)
		response, err := client.Do(request)
		if err == nil {
			answer := Answer{Error: response.Status + ", not from the API"}
			problem := json.NewDecoder(response.Body).Decode(&answer)
			response.Body.Close()
			status := response.StatusCode
			if status < 300 && problem == nil {
				return answer.Orders, nil
			}
			isRefused := status >= 400 && status < 500 && status != http.StatusTooManyRequests
			if isRefused && answer.Code != "request_in_progress" {
				return nil, errors.New(answer.Error)
			}
			if after, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
				wait = after
			}
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
	return nil, errors.New("no answer: try again later with the same key")
}

func main() {
	order := map[string]any{
		"nftId": 2, "listingId": 2, "quantity": 1, "buyerUserId": 3, "providerId": "4713",
	}
	orders, err := placeOrders([]any{order}, "order-4713", 5)
	if err != nil {
		log.Fatal(err)
	}
	for _, order := range orders {
		fmt.Printf("order %d: %s\n", order.ID, order.Status)
	}
}
