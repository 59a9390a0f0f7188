<?php
// Run it with `php -S localhost:8000 receive.php`, or behind your web server.
declare(strict_types=1);

function isAuthentic(string $id, string $sentAt, string $signatures, string $body): bool
{
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) > 300) {
        return false;
    }
    $secret = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
    $digest = hash_hmac('sha256', "$id.$sentAt.$body", $secret, true);
    $expected = 'v1,' . base64_encode($digest);
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$sentAt = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$signatures = $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '';
$body = file_get_contents('php://input');
if (!isAuthentic($id, $sentAt, $signatures, $body)) {
    http_response_code(400);
    return;
}
['type' => $type, 'data' => $data] = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
// In your database, with a unique index, so that an event is processed once.
$processed = sys_get_temp_dir() . '/webhook-' . hash('sha256', $id);
if (!file_exists($processed)) {
    // It may be about an order of another shop: compare `source` and `providerId`.
    file_put_contents('php://stdout', "$type " . json_encode($data) . "\n");
    touch($processed);
}
echo $data['challenge'] ?? '';
