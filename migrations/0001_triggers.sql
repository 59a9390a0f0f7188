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
-- The bytes of all files, and the files of an NFT whose bytes are missing.
CREATE TRIGGER contentFiles_inserted AFTER INSERT ON contentFiles BEGIN INSERT INTO contentStorage (id, bytes) VALUES (1, NEW.bytes) ON CONFLICT (id) DO UPDATE SET bytes = bytes + excluded.bytes; UPDATE nfts SET missingFiles = missingFiles + (NEW.state = 'missing') WHERE id = NEW.nftId; END;
--> statement-breakpoint
CREATE TRIGGER contentFiles_moved AFTER UPDATE OF state ON contentFiles WHEN (OLD.state = 'missing') <> (NEW.state = 'missing') BEGIN UPDATE nfts SET missingFiles = missingFiles + (NEW.state = 'missing') - (OLD.state = 'missing') WHERE id = NEW.nftId; END;
--> statement-breakpoint
CREATE TRIGGER contentFiles_deleted AFTER DELETE ON contentFiles BEGIN UPDATE contentStorage SET bytes = bytes - OLD.bytes; END;
