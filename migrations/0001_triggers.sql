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
CREATE TRIGGER events_deleted AFTER DELETE ON events BEGIN DELETE FROM webhookMessages WHERE eventId = OLD.id; END;
--> statement-breakpoint
-- A user who is made administrator again must enable endpoints of all orders again.
CREATE TRIGGER users_demoted_webhooks AFTER UPDATE OF roleId ON users WHEN OLD.roleId = 1 AND NEW.roleId IS NOT 1 BEGIN UPDATE webhookEndpoints SET disabledAt = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), disabledReason = 'demoted' WHERE userId = NEW.id AND role = 'master' AND disabledAt IS NULL; END;
--> statement-breakpoint
-- A reservation is written once and deleted once. It is never changed.
CREATE TRIGGER reservations_created AFTER INSERT ON reservations BEGIN INSERT INTO heldPieces (nftId, expiresAt, quantity) VALUES (NEW.nftId, NEW.expiresAt, NEW.quantity) ON CONFLICT (nftId, expiresAt) DO UPDATE SET quantity = quantity + excluded.quantity; END;
--> statement-breakpoint
CREATE TRIGGER reservations_deleted AFTER DELETE ON reservations BEGIN UPDATE heldPieces SET quantity = quantity - OLD.quantity WHERE nftId = OLD.nftId AND expiresAt = OLD.expiresAt; END;
--> statement-breakpoint
-- Until transitions append these events.
CREATE VIEW deliveryEvents AS SELECT NULL AS itemId, NULL AS type, NULL AS sequence;
--> statement-breakpoint
-- Until transitions append these events.
CREATE TRIGGER deliveryEvents_insert INSTEAD OF INSERT ON deliveryEvents WHEN NEW.type IS NOT NULL BEGIN INSERT INTO events (id, type, at, itemId, orderId, sellerId, buyerId, source, sequence, data) SELECT max((SELECT coalesce(max(id), 0) + 1 FROM events), unixepoch(d.updatedAt) * 1000000 + substr(d.updatedAt, 21, 3) * 1000), NEW.type, d.updatedAt, i.id, i.orderId, i.sellerId, o.buyerId, o.source, NEW.sequence, json_object('buyerId', o.buyerId, 'claimUrl', iif(d.state = 'awaiting_wallet', (SELECT publicUrl || '/claim/' || i.orderId FROM instance), NULL), 'status', iif(d.state IN ('cancelled', 'written_off'), 'failed', iif(d.state NOT IN ('queued', 'in_flight'), d.state, iif(d.transactionId IS NOT NULL, 'transferring', NULL))), 'txId', (SELECT hash FROM transactions WHERE id = d.transactionId), 'failReason', iif(d.state IN ('failed', 'cancelled', 'written_off'), d.reason, NULL), 'reasonCode', iif(d.state IN ('failed', 'cancelled', 'written_off'), d.reasonCode, NULL)) FROM deliveries d JOIN orderItems i ON i.id = d.id JOIN orders o ON o.id = i.orderId WHERE d.id = NEW.itemId; END;
--> statement-breakpoint
-- Until transitions append these events.
CREATE TRIGGER deliveries_created AFTER INSERT ON deliveries BEGIN INSERT INTO deliveryEvents (itemId, type, sequence) VALUES (NEW.id, 'order.created', 0), (NEW.id, iif(NEW.state = 'awaiting_wallet', 'order.awaiting_wallet', iif(NEW.state = 'failed', 'order.failed', NULL)), NEW.version + 1); END;
--> statement-breakpoint
-- Until transitions append these events.
CREATE TRIGGER deliveries_changed AFTER UPDATE OF state ON deliveries WHEN NEW.state <> OLD.state BEGIN INSERT INTO deliveryEvents (itemId, type, sequence) VALUES (NEW.id, CASE NEW.state WHEN 'awaiting_wallet' THEN 'order.awaiting_wallet' WHEN 'transferred' THEN 'order.delivered' WHEN 'failed' THEN 'order.failed' WHEN 'cancelled' THEN 'order.cancelled' WHEN 'queued' THEN iif(OLD.state = 'failed' AND NEW.requestedAction = 'deliver', 'order.retried', NULL) END, NEW.version + 1); END;
--> statement-breakpoint
-- Until transitions append these events.
CREATE TRIGGER events_appended AFTER INSERT ON events WHEN NEW.itemId IS NOT NULL BEGIN UPDATE webhookEndpoints SET position = iif(dueAt IS NULL, max(position, NEW.id - 1), position), dueAt = max(NEW.at, coalesce(pausedUntil, '')) WHERE coalesce(dueAt, '9999') > max(NEW.at, coalesce(pausedUntil, '')) AND verifiedAt IS NOT NULL AND disabledAt IS NULL AND deletedAt IS NULL AND id IN (SELECT id FROM webhookEndpoints WHERE userId IN (NEW.buyerId, NEW.sellerId) AND role = 'user' UNION ALL SELECT id FROM webhookEndpoints WHERE role = 'master'); END;
