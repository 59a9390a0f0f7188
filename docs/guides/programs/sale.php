<?php
declare(strict_types=1);

final class ApiError extends Exception
{
    public function __construct(public readonly string $name, string $message)
    {
        parent::__construct($message);
    }
}

/** Returns the body of the answer, and its headers. Throws ApiError. */
function send(string $method, string $path, ?array $body = null, array $headers = []): array
{
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => [
            'Authorization: Bearer ' . getenv('TOKEN'),
            'Content-Type: application/json',
            ...$headers,
        ],
        'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
        'timeout' => 30,
        'ignore_errors' => true,
    ]]);
    $text = @file_get_contents("http://localhost:8787$path", false, $context);
    if ($text === false) {
        throw new RuntimeException('there is no answer');
    }
    $answer = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    $status = (int) explode(' ', $http_response_header[0])[1];
    if ($status >= 400) {
        throw new ApiError($answer['code'], $answer['error']);
    }
    return [$answer, $http_response_header];
}

function call(string $method, string $path, ?array $body = null, array $headers = []): array
{
    return send($method, $path, $body, $headers)[0];
}

/** Returns the shop that has placed an order. */
function sourceIn(array $headers): string
{
    [$line] = array_values(preg_grep('/^x-order-source:/i', $headers));
    return rawurldecode(trim(explode(':', $line, 2)[1]));
}

$goods = ['listing' => 'listing-2', 'nft' => 'nft-2', 'quantity' => 1];

$listing = call('GET', '/api/public/listings/externalId:listing-2')['listings'][0];
$state = $listing['sellable'] ? 'for sale' : 'not for sale';
echo "costs {$listing['priceCents']} {$listing['priceCurrency']}, $state\n";

// What the customer has seen in the cart, as your shop has stored it.
$seen = ['expectedPriceCents' => 1000, 'expectedCurrency' => 'EUR'];
$hold = ['listing' => 'listing-2', 'quantity' => 1, 'ttl' => 1800, ...$seen];
$answer = call('POST', '/api/reservations', [$hold], ['Idempotency-Key: cart-4711']);
$reservation = $answer['reservations'][0];
echo "reserved until {$reservation['expiresAt']}\n";

// The customer pays. With a voucher: the price of the listing stays the expected one.
$paid = [
    'grossCents' => 900,
    'taxCents' => 144,
    'discountCents' => 100,
    'currency' => 'EUR',
    'invoiceNumber' => '2026-0815',
];
$order = [...$goods, ...$seen, 'paid' => $paid, 'buyer' => ['userId' => 3]];
$path = '/api/externalOrders/by-number/4711';
try {
    [$answer, $headers] = send('PUT', $path, [...$order, 'reservationId' => $reservation['id']]);
} catch (ApiError $error) {
    if ($error->name !== 'reservation_not_found') {
        throw $error;
    }
    // The hold has ended, and the piece may still be there. Refund only if this is
    // refused, too.
    [$answer, $headers] = send('PUT', $path, $order);
}
$sold = $answer['orders'][0];
$source = sourceIn($headers);
echo "order {$sold['id']}: {$sold['status']}\n";

$address = ['street' => 'Road 1', 'postal' => '0150', 'city' => 'Oslo', 'country' => 'NO'];
$order = [...$goods, 'buyer' => ['email' => 'guest@example.com'], 'buyerBillingData' => $address];
$gift = call('PUT', '/api/externalOrders/by-number/4712', $order)['orders'][0];

// Another shop may have an order with this number.
foreach (call('GET', "/api/events?limit=100&since={$sold['createdAt']}")['events'] as $event) {
    ['type' => $type, 'data' => $data] = $event;
    if (($data['source'] ?? null) === $source && ($data['providerId'] ?? null) === '4711') {
        echo $type, ' ', json_encode($data), "\n";
    }
}

try {
    $cancelled = call('POST', "/api/externalOrders/{$gift['id']}/cancel")['orders'][0];
    echo "order {$gift['id']}: cancellation requested at {$cancelled['cancelRequestedAt']}\n";
} catch (ApiError $error) {
    if ($error->name !== 'conflict') {
        throw $error;
    }
    echo "order {$gift['id']} was delivered before\n";
}
