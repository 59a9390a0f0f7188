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
-- Inserting the id of an order item here writes a message for each endpoint that subscribes to its
-- event, those of the buyer and the seller, and those of administrators. The event is
-- order.created for the sequence 0, else that of the state of the item. Endpoints that ask for
-- order.failed get order.cancelled, too.
CREATE VIEW orderEvents AS SELECT NULL AS itemId, NULL AS sequence;
--> statement-breakpoint
CREATE TRIGGER orderEvents_insert INSTEAD OF INSERT ON orderEvents BEGIN INSERT INTO webhookMessages (id, endpointId, type, orderId, payload, state, dueAt, createdAt, updatedAt) SELECT 'msg_' || lower(hex(randomblob(16))), e.id, event.type, event.orderId, json_object('type', event.type, 'timestamp', event.at, 'data', json_object( 'orderId', event.orderId, 'orderItemId', NEW.itemId, 'providerId', event.providerId, 'nftId', event.nftId, 'listingId', event.listingId, 'quantity', event.quantity, 'buyerId', event.buyerId, 'sellerId', event.sellerId, 'status', event.status, 'txId', (SELECT hash FROM transactions WHERE id = event.transactionId), 'failReason', event.failReason, 'reasonCode', event.reasonCode, 'sequence', NEW.sequence)), iif(e.disabledAt IS NULL, 'pending', 'failed'), iif(e.disabledAt IS NULL, event.at, NULL), event.at, event.at FROM ( SELECT i.orderId, i.nftId, i.listingId, i.quantity, i.sellerId, o.buyerId, o.providerId, d.transactionId, d.updatedAt AS at, iif(NEW.sequence = 0, 'order.created', iif(d.state = 'awaiting_wallet', 'order.awaiting_wallet', iif(d.state = 'transferred', 'order.delivered', iif(d.state = 'failed', 'order.failed', iif(d.state = 'cancelled', 'order.cancelled', NULL))))) AS type, iif(d.state IN ('cancelled', 'written_off'), 'failed', iif(d.state NOT IN ('queued', 'in_flight'), d.state, iif(d.transactionId IS NOT NULL, 'transferring', NULL))) AS status, iif(d.state IN ('failed', 'cancelled', 'written_off'), d.reason, NULL) AS failReason, iif(d.state IN ('failed', 'cancelled', 'written_off'), d.reasonCode, NULL) AS reasonCode FROM deliveries d JOIN orderItems i ON i.id = d.id JOIN orders o ON o.id = i.orderId WHERE d.id = NEW.itemId ) AS event JOIN webhookEndpoints e ON e.id IN ( SELECT id FROM webhookEndpoints WHERE userId IN (event.buyerId, event.sellerId) AND role = 'user' UNION ALL SELECT id FROM webhookEndpoints WHERE role = 'master') JOIN users u ON u.id = e.userId WHERE u.removedAt IS NULL AND (e.role = 'user' OR u.roleId = 1) AND EXISTS (SELECT 1 FROM json_each(e.events) WHERE value = event.type OR (event.type = 'order.cancelled' AND value = 'order.failed')); END;
--> statement-breakpoint
CREATE TRIGGER deliveries_created AFTER INSERT ON deliveries WHEN EXISTS (SELECT 1 FROM webhookEndpoints) BEGIN INSERT INTO orderEvents (itemId, sequence) VALUES (NEW.id, 0), (NEW.id, NEW.version + 1); END;
--> statement-breakpoint
CREATE TRIGGER deliveries_changed AFTER UPDATE OF state ON deliveries WHEN NEW.state <> OLD.state AND NEW.state IN ('awaiting_wallet', 'transferred', 'failed', 'cancelled') AND EXISTS (SELECT 1 FROM webhookEndpoints) BEGIN INSERT INTO orderEvents (itemId, sequence) VALUES (NEW.id, NEW.version + 1); END;
--> statement-breakpoint
CREATE TRIGGER webhookEndpoints_disabled AFTER UPDATE OF disabledAt ON webhookEndpoints WHEN NEW.disabledAt IS NOT NULL AND OLD.disabledAt IS NULL BEGIN UPDATE webhookMessages SET state = 'failed', dueAt = NULL, updatedAt = NEW.disabledAt WHERE endpointId = NEW.id AND dueAt IS NOT NULL; END;
--> statement-breakpoint
CREATE TRIGGER webhookEndpoints_deleted AFTER DELETE ON webhookEndpoints BEGIN DELETE FROM webhookMessages WHERE endpointId = OLD.id; END;
--> statement-breakpoint
CREATE TRIGGER webhookMessages_deleted AFTER DELETE ON webhookMessages BEGIN DELETE FROM webhookAttempts WHERE messageId = OLD.id; END;
