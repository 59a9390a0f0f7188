-- A batch stops itself by inserting a reason here. The insert raises the reason, and the
-- transaction is rolled back. Inserting NULL lets the batch pass and writes nothing.
CREATE VIEW guard AS SELECT NULL AS failure;
--> statement-breakpoint
CREATE TRIGGER guard_fails INSTEAD OF INSERT ON guard WHEN NEW.failure IS NOT NULL BEGIN SELECT RAISE(ABORT, NEW.failure); END;
--> statement-breakpoint
-- Numbers of NFTs that are released and not deleted, so that reading statistics and creators costs
-- the same for any size of the catalogue. D1 accepts one statement per trigger, so an update has
-- two triggers. One subtracts the old row, one adds the new row, in any order.
-- INSERT OR REPLACE does not run these triggers, so use an upsert.
CREATE TRIGGER nfts_counts_insert AFTER INSERT ON nfts WHEN NEW.status = 'released' AND NEW.deletedAt IS NULL BEGIN INSERT INTO nftCounts (amountType, nfts) VALUES (iif(NEW.amountType IN ('unique', 'limited', 'unlimited'), NEW.amountType, 'other'), 1) ON CONFLICT (amountType) DO UPDATE SET nfts = nfts + 1; END;
--> statement-breakpoint
CREATE TRIGGER nfts_counts_update_leave AFTER UPDATE OF payload, status, deletedAt ON nfts WHEN OLD.status = 'released' AND OLD.deletedAt IS NULL BEGIN UPDATE nftCounts SET nfts = nfts - 1 WHERE amountType = iif(OLD.amountType IN ('unique', 'limited', 'unlimited'), OLD.amountType, 'other'); END;
--> statement-breakpoint
CREATE TRIGGER nfts_counts_update_enter AFTER UPDATE OF payload, status, deletedAt ON nfts WHEN NEW.status = 'released' AND NEW.deletedAt IS NULL BEGIN INSERT INTO nftCounts (amountType, nfts) VALUES (iif(NEW.amountType IN ('unique', 'limited', 'unlimited'), NEW.amountType, 'other'), 1) ON CONFLICT (amountType) DO UPDATE SET nfts = nfts + 1; END;
--> statement-breakpoint
CREATE TRIGGER nfts_counts_delete AFTER DELETE ON nfts WHEN OLD.status = 'released' AND OLD.deletedAt IS NULL BEGIN UPDATE nftCounts SET nfts = nfts - 1 WHERE amountType = iif(OLD.amountType IN ('unique', 'limited', 'unlimited'), OLD.amountType, 'other'); END;
--> statement-breakpoint
-- The lists of changes tell when an NFT sells out or comes back, not of other sales: most sales write
-- no index.
CREATE TRIGGER nfts_sold_out AFTER UPDATE OF availableAmount ON nfts WHEN (OLD.availableAmount = 0) <> (NEW.availableAmount = 0) BEGIN UPDATE nfts SET changedAt = max(changedAt, NEW.updatedAt) WHERE id = NEW.id; END;
--> statement-breakpoint
CREATE TRIGGER nfts_creator_insert AFTER INSERT ON nfts WHEN NEW.status = 'released' AND NEW.deletedAt IS NULL BEGIN INSERT INTO creators (userId, nfts, latestReleaseAt) VALUES (NEW.creatorId, 1, NEW.releaseAt) ON CONFLICT (userId) DO UPDATE SET nfts = nfts + 1, latestReleaseAt = max(latestReleaseAt, excluded.latestReleaseAt); END;
--> statement-breakpoint
CREATE TRIGGER nfts_creator_update_leave AFTER UPDATE OF creatorId, releaseAt, status, deletedAt ON nfts WHEN OLD.status = 'released' AND OLD.deletedAt IS NULL BEGIN UPDATE creators SET nfts = nfts - 1, latestReleaseAt = coalesce((SELECT max(releaseAt) FROM nfts WHERE creatorId = OLD.creatorId AND status = 'released' AND deletedAt IS NULL), '') WHERE userId = OLD.creatorId; END;
--> statement-breakpoint
CREATE TRIGGER nfts_creator_update_enter AFTER UPDATE OF creatorId, releaseAt, status, deletedAt ON nfts WHEN NEW.status = 'released' AND NEW.deletedAt IS NULL BEGIN INSERT INTO creators (userId, nfts, latestReleaseAt) VALUES (NEW.creatorId, 1, NEW.releaseAt) ON CONFLICT (userId) DO UPDATE SET nfts = nfts + 1, latestReleaseAt = max(latestReleaseAt, excluded.latestReleaseAt); END;
--> statement-breakpoint
CREATE TRIGGER nfts_creator_delete AFTER DELETE ON nfts WHEN OLD.status = 'released' AND OLD.deletedAt IS NULL BEGIN UPDATE creators SET nfts = nfts - 1, latestReleaseAt = coalesce((SELECT max(releaseAt) FROM nfts WHERE creatorId = OLD.creatorId AND status = 'released' AND deletedAt IS NULL), '') WHERE userId = OLD.creatorId; END;
--> statement-breakpoint
-- A user who is made administrator again must not get old master tokens back.
CREATE TRIGGER users_demoted AFTER UPDATE OF roleId ON users WHEN OLD.roleId = 1 AND NEW.roleId IS NOT 1 BEGIN UPDATE tokens SET revokedAt = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE userId = NEW.id AND role = 'master' AND revokedAt IS NULL; END;
--> statement-breakpoint
-- Inserting here appends an event to the log: at is ISO 8601, data is JSON. The id is the time in
-- microseconds, or one more than the last id.
CREATE VIEW newEvents AS SELECT NULL AS type, NULL AS at, NULL AS orderId, NULL AS sellerId, NULL AS buyerId, NULL AS source, NULL AS endpointId, NULL AS data;
--> statement-breakpoint
CREATE TRIGGER newEvents_insert INSTEAD OF INSERT ON newEvents BEGIN INSERT INTO events (id, type, orderId, sellerId, buyerId, source, endpointId, body) VALUES (max(coalesce((SELECT max(id) FROM events), 0) + 1, unixepoch(NEW.at) * 1000000 + substr(NEW.at, 21, 3) * 1000), NEW.type, NEW.orderId, NEW.sellerId, NEW.buyerId, NEW.source, NEW.endpointId, json_object('type', NEW.type, 'timestamp', NEW.at, 'data', json(NEW.data))); END;
--> statement-breakpoint
-- Inserting the id of an order item here appends an event of its delivery to the log, unless type
-- is NULL.
CREATE VIEW deliveryEvents AS SELECT NULL AS itemId, NULL AS type, NULL AS sequence;
--> statement-breakpoint
CREATE TRIGGER deliveryEvents_insert INSTEAD OF INSERT ON deliveryEvents WHEN NEW.type IS NOT NULL BEGIN INSERT INTO newEvents (type, at, orderId, sellerId, buyerId, source, data) SELECT NEW.type, d.updatedAt, i.orderId, i.sellerId, o.buyerId, o.source, json_object('orderId', i.orderId, 'orderItemId', i.id, 'providerId', o.providerId, 'nftId', i.nftId, 'listingId', i.listingId, 'quantity', i.quantity, 'buyerId', o.buyerId, 'sellerId', i.sellerId, 'source', substr(o.source, instr(o.source, ':') + 1), 'custom', json(o.custom), 'claimUrl', iif(d.state = 'awaiting_wallet', (SELECT publicUrl || '/claim/' || i.orderId FROM instance), NULL), 'status', iif(d.state IN ('cancelled', 'written_off'), 'failed', iif(d.state NOT IN ('queued', 'in_flight'), d.state, iif(d.transactionId IS NOT NULL, 'transferring', NULL))), 'txId', (SELECT hash FROM transactions WHERE id = d.transactionId), 'failReason', iif(d.state IN ('failed', 'cancelled', 'written_off'), d.reason, NULL), 'reasonCode', iif(d.state IN ('failed', 'cancelled', 'written_off'), d.reasonCode, NULL), 'sequence', NEW.sequence) FROM deliveries d JOIN orderItems i ON i.id = d.id JOIN orders o ON o.id = i.orderId WHERE d.id = NEW.itemId; END;
--> statement-breakpoint
CREATE TRIGGER deliveries_created AFTER INSERT ON deliveries BEGIN INSERT INTO deliveryEvents (itemId, type, sequence) VALUES (NEW.id, 'order.created', 0), (NEW.id, iif(NEW.state = 'awaiting_wallet', 'order.awaiting_wallet', iif(NEW.state = 'failed', 'order.failed', NULL)), NEW.version + 1); END;
--> statement-breakpoint
CREATE TRIGGER deliveries_changed AFTER UPDATE OF state ON deliveries WHEN NEW.state <> OLD.state BEGIN INSERT INTO deliveryEvents (itemId, type, sequence) VALUES (NEW.id, CASE NEW.state WHEN 'awaiting_wallet' THEN 'order.awaiting_wallet' WHEN 'transferred' THEN 'order.delivered' WHEN 'failed' THEN 'order.failed' WHEN 'cancelled' THEN 'order.cancelled' WHEN 'queued' THEN iif(OLD.state = 'failed' AND NEW.requestedAction = 'deliver', 'order.retried', NULL) END, NEW.version + 1); END;
--> statement-breakpoint
-- The events of the log that each endpoint gets. Who asks for order.failed gets order.cancelled, too.
-- No user may imitate a source of all orders with a token of the same name.
CREATE VIEW endpointEvents AS SELECT e.id AS endpointId, v.id, v.type, v.body FROM webhookEndpoints e JOIN events v ON v.endpointId IS NULL AND (e.role = 'master' OR e.userId IN (v.buyerId, v.sellerId)) AND (e.sources IS NULL OR v.source IS NULL OR EXISTS (SELECT 1 FROM json_each(e.sources) WHERE v.source = 'master:' || value OR (e.role = 'user' AND v.source = 'user:' || value))) AND EXISTS (SELECT 1 FROM json_each(e.events) WHERE value = v.type OR (value = 'order.failed' AND v.type = 'order.cancelled'));
--> statement-breakpoint
-- An endpoint for which the log had nothing begins at the event. It is due if it may be sent to.
CREATE TRIGGER events_inserted AFTER INSERT ON events BEGIN UPDATE webhookEndpoints SET hasEvents = 1, position = NEW.id - 1, dueAt = iif(verifiedAt IS NULL OR disabledAt IS NOT NULL, dueAt, min(coalesce(dueAt, '9999'), max(NEW.body ->> 'timestamp', coalesce(pausedUntil, '')))) WHERE NOT hasEvents AND deletedAt IS NULL AND id IN (SELECT id FROM webhookEndpoints WHERE userId IN (NEW.buyerId, NEW.sellerId) AND role = 'user' UNION ALL SELECT id FROM webhookEndpoints WHERE role = 'master') AND EXISTS (SELECT 1 FROM endpointEvents m WHERE m.endpointId = webhookEndpoints.id AND m.id = NEW.id); END;
--> statement-breakpoint
CREATE TRIGGER events_deleted AFTER DELETE ON events BEGIN DELETE FROM webhookMessages WHERE eventId = OLD.id; END;
--> statement-breakpoint
-- A user who is made administrator again must enable endpoints of all orders again.
CREATE TRIGGER users_demoted_webhooks AFTER UPDATE OF roleId ON users WHEN OLD.roleId = 1 AND NEW.roleId IS NOT 1 BEGIN UPDATE webhookEndpoints SET disabledAt = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), disabledReason = 'demoted' WHERE userId = NEW.id AND role = 'master' AND disabledAt IS NULL; END;
--> statement-breakpoint
-- Inserting the id of an endpoint here sends it a test. Tests that wait for another attempt are given
-- up, so that a receiver gets no more than its owner asks for.
CREATE VIEW newTests AS SELECT NULL AS endpointId, NULL AS at;
--> statement-breakpoint
CREATE TRIGGER newTests_insert INSTEAD OF INSERT ON newTests BEGIN INSERT INTO newEvents (type, at, endpointId, data) VALUES ('webhook.test', NEW.at, NEW.endpointId, json_object('message', 'This is a test. Answer with the challenge as the body.', 'challenge', lower(hex(randomblob(16))))); END;
--> statement-breakpoint
CREATE TRIGGER events_test AFTER INSERT ON events WHEN NEW.type = 'webhook.test' BEGIN INSERT INTO webhookMessages (eventId, endpointId, state, tries, dueAt) VALUES (NEW.id, NEW.endpointId, 'pending', 0, NEW.body ->> 'timestamp'); END;
--> statement-breakpoint
CREATE TRIGGER events_test_due AFTER INSERT ON events WHEN NEW.type = 'webhook.test' BEGIN UPDATE webhookEndpoints SET dueAt = NEW.body ->> 'timestamp' WHERE id = NEW.endpointId; END;
--> statement-breakpoint
CREATE TRIGGER events_test_before AFTER INSERT ON events WHEN NEW.type = 'webhook.test' BEGIN UPDATE webhookMessages SET state = 'failed', dueAt = NULL WHERE endpointId = NEW.endpointId AND dueAt IS NOT NULL AND eventId < NEW.id AND (SELECT type FROM events WHERE id = eventId) = 'webhook.test'; END;
--> statement-breakpoint
CREATE TRIGGER webhookEndpoints_created AFTER INSERT ON webhookEndpoints WHEN NEW.verifiedAt IS NULL BEGIN INSERT INTO newTests (endpointId, at) VALUES (NEW.id, NEW.createdAt); END;
--> statement-breakpoint
-- Another URL has to be verified. Failures of another URL do not count, nor those from before an
-- endpoint was disabled.
CREATE TRIGGER webhookEndpoints_moved AFTER UPDATE OF url ON webhookEndpoints WHEN NEW.url <> OLD.url AND NEW.deletedAt IS NULL BEGIN UPDATE webhookEndpoints SET verifiedAt = NULL, failures = 0, pausedUntil = NULL, failingSince = NULL, warnedAt = NULL WHERE id = NEW.id; END;
--> statement-breakpoint
CREATE TRIGGER webhookEndpoints_moved_test AFTER UPDATE OF url ON webhookEndpoints WHEN NEW.url <> OLD.url AND NEW.deletedAt IS NULL BEGIN INSERT INTO newTests (endpointId, at) VALUES (NEW.id, NEW.updatedAt); END;
--> statement-breakpoint
-- An endpoint that is enabled goes on where it stopped.
CREATE TRIGGER webhookEndpoints_enabled AFTER UPDATE OF disabledAt ON webhookEndpoints WHEN NEW.disabledAt IS NULL AND OLD.disabledAt IS NOT NULL BEGIN UPDATE webhookEndpoints SET dueAt = NEW.updatedAt, failures = 0, pausedUntil = NULL, failingSince = NULL, warnedAt = NULL WHERE id = NEW.id; END;
--> statement-breakpoint
-- Nothing is sent to a deleted endpoint. The cron run removes it with its messages.
CREATE TRIGGER webhookEndpoints_deleted AFTER UPDATE OF deletedAt ON webhookEndpoints WHEN NEW.deletedAt IS NOT NULL BEGIN UPDATE webhookEndpoints SET url = '', dueAt = NULL, disabledAt = coalesce(disabledAt, NEW.deletedAt), disabledReason = coalesce(disabledReason, 'owner') WHERE id = NEW.id; END;

--> statement-breakpoint
-- A reservation is written once and deleted once. It is never changed.
CREATE TRIGGER reservations_created AFTER INSERT ON reservations BEGIN INSERT INTO heldPieces (nftId, expiresAt, quantity) VALUES (NEW.nftId, NEW.expiresAt, NEW.quantity) ON CONFLICT (nftId, expiresAt) DO UPDATE SET quantity = quantity + excluded.quantity; END;
--> statement-breakpoint
CREATE TRIGGER reservations_deleted AFTER DELETE ON reservations BEGIN UPDATE heldPieces SET quantity = quantity - OLD.quantity WHERE nftId = OLD.nftId AND expiresAt = OLD.expiresAt; END;
