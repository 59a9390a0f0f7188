package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"
)

type object = map[string]any

// A Problem is the body of an error.
type Problem struct {
	Code    string
	Message string `json:"error"`
}

func (problem Problem) Error() string { return problem.Code + ": " + problem.Message }

// An Answer has what this program uses of each answer.
type Answer struct {
	Listings []struct {
		Sellable      bool
		PriceCents    int
		PriceCurrency string
	}
	Reservations []struct{ ID, ExpiresAt string }
	Orders       []struct {
		ID                int
		Status, CreatedAt string
		CancelRequestedAt string
	}
	Events []struct {
		Type string
		Data object
	}
}

var client = http.Client{Timeout: 30 * time.Second}

// send returns a Problem for a call that is refused.
func send(method, path string, body any, key string) (answer Answer, header http.Header, err error) {
	var content bytes.Buffer
	if body != nil {
		if err = json.NewEncoder(&content).Encode(body); err != nil {
			return
		}
	}
	request, err := http.NewRequest(method, "http://localhost:8787"+path, &content)
	if err != nil {
		return
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	if response.StatusCode >= 400 {
		problem := Problem{Code: response.Status}
		_ = decoder.Decode(&problem)
		return answer, nil, problem
	}
	return answer, response.Header, decoder.Decode(&answer)
}

func call(method, path string, body any) Answer {
	answer, _, err := send(method, path, body, "")
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

func hasCode(err error, code string) bool {
	var problem Problem
	return errors.As(err, &problem) && problem.Code == code
}

func main() {
	listing := call("GET", "/api/public/listings/externalId:listing-2", nil).Listings[0]
	fmt.Println("costs", listing.PriceCents, listing.PriceCurrency, "for sale:", listing.Sellable)

	hold := object{
		"listing": "listing-2", "quantity": 1, "ttl": 1800,
		// What the customer has seen in the cart, as your shop has stored it.
		"expectedPriceCents": 1000, "expectedCurrency": "EUR",
	}
	held, _, err := send("POST", "/api/reservations", []object{hold}, "cart-4711")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("reserved until", held.Reservations[0].ExpiresAt)

	// The customer pays.
	order := object{
		"listing": "listing-2", "nft": "nft-2", "quantity": 1,
		"expectedPriceCents": 1000, "expectedCurrency": "EUR",
		"buyer":         object{"userId": 3},
		"reservationId": held.Reservations[0].ID,
		// With a voucher: the price of the listing stays the expected one.
		"paid": object{
			"grossCents": 900, "taxCents": 144, "discountCents": 100,
			"currency": "EUR", "invoiceNumber": "2026-0815",
		},
	}
	path := "/api/externalOrders/by-number/4711"
	placed, header, err := send("PUT", path, order, "")
	if hasCode(err, "reservation_not_found") {
		// The hold has ended, and the piece may still be there. Refund only if this is
		// refused, too.
		delete(order, "reservationId")
		placed, header, err = send("PUT", path, order, "")
	}
	if err != nil {
		log.Fatal(err)
	}
	sold := placed.Orders[0]
	source, _ := url.PathUnescape(header.Get("x-order-source"))
	fmt.Printf("order %d: %s\n", sold.ID, sold.Status)

	gift := call("PUT", "/api/externalOrders/by-number/4712", object{
		"listing": "listing-2", "nft": "nft-2", "quantity": 1,
		"buyer": object{"email": "guest@example.com"},
		"buyerBillingData": object{
			"street": "Road 1", "postal": "0150", "city": "Oslo", "country": "NO",
		},
	}).Orders[0]

	// Another shop may have an order with this number.
	for _, event := range call("GET", "/api/events?limit=100&since="+sold.CreatedAt, nil).Events {
		if event.Data["source"] == source && event.Data["providerId"] == "4711" {
			data, _ := json.Marshal(event.Data)
			fmt.Println(event.Type, string(data))
		}
	}

	path = fmt.Sprintf("/api/externalOrders/%d/cancel", gift.ID)
	cancelled, _, err := send("POST", path, nil, "")
	switch {
	case hasCode(err, "conflict"):
		fmt.Printf("order %d was delivered before\n", gift.ID)
	case err != nil:
		log.Fatal(err)
	default:
		at := cancelled.Orders[0].CancelRequestedAt
		fmt.Printf("order %d: cancellation requested at %s\n", gift.ID, at)
	}
}
