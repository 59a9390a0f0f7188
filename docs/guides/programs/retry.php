<?php
declare(strict_types=1);

/** Returns the status, the body and the seconds to wait; null if there is no answer. */
function post(string $path, array $body, string $idempotencyKey): ?array
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'Authorization: Bearer ' . getenv('TOKEN'),
            'Content-Type: application/json',
            "Idempotency-Key: $idempotencyKey",
        ],
        'content' => json_encode($body, JSON_THROW_ON_ERROR),
        'timeout' => 30,
        'ignore_errors' => true,
    ]]);
    $text = @file_get_contents("http://localhost:8787$path", false, $context);
    if ($text === false) {
        return null;
    }
    $after = array_values(preg_grep('/^retry-after: \d+$/i', $http_response_header));
    return [
        (int) explode(' ', $http_response_header[0])[1],
        // Null if it is cut off, or a proxy has answered.
        json_decode($text, true),
        $after ? (int) explode(' ', $after[0])[1] : null,
    ];
}

function placeOrders(array $orders, string $idempotencyKey, int $attempts = 5): array
{
    for ($attempt = 0; $attempt < $attempts; $attempt++) {
        // Without an answer, or all of it, the order may have been placed.
        $result = post('/api/externalOrders', $orders, $idempotencyKey);
        [$status, $answer, $after] = $result ?? [0, null, null];
        if ($status >= 200 && $status < 300 && isset($answer['orders'])) {
            return $answer['orders'];
        }
        $isInProgress = ($answer['code'] ?? null) === 'request_in_progress';
        if ($status >= 400 && $status < 500 && $status !== 429 && !$isInProgress) {
            throw new RuntimeException($answer['error'] ?? "HTTP $status, not from the API");
        }
        sleep($after ?? 2 ** $attempt);
    }
    throw new RuntimeException('no answer: try again later with the same key');
}

$order = [
    'nftId' => 2,
    'listingId' => 2,
    'quantity' => 1,
    'buyerUserId' => 3,
    'providerId' => '4713',
];
foreach (placeOrders([$order], 'order-4713') as ['id' => $id, 'status' => $status]) {
    echo "order $id: $status\n";
}
