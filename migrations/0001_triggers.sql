-- A batch stops itself by inserting a reason here: the insert raises the reason, and the
-- transaction is rolled back. Inserting NULL lets the batch pass and writes nothing.
CREATE VIEW guard AS SELECT NULL AS failure;
--> statement-breakpoint
CREATE TRIGGER guard_fails INSTEAD OF INSERT ON guard
WHEN NEW.failure IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, NEW.failure);
END;
--> statement-breakpoint
-- Numbers of NFTs that are released and not deleted, so that reading statistics and creators costs
-- the same for any size of the catalogue. D1 accepts one statement per trigger, so an update has
-- two triggers: one subtracts the old row, one adds the new row, in any order.
-- `INSERT OR REPLACE` does not run these triggers: use an upsert.
CREATE TRIGGER nfts_counts_insert AFTER INSERT ON nfts
WHEN NEW.status = 'released' AND NEW.deletedAt IS NULL
BEGIN
  INSERT INTO nftCounts (amountType, nfts) VALUES (iif(NEW.amountType IN ('unique', 'limited', 'unlimited'), NEW.amountType, 'other'), 1) ON CONFLICT (amountType) DO UPDATE SET nfts = nfts + 1;
END;
--> statement-breakpoint
CREATE TRIGGER nfts_counts_update_leave AFTER UPDATE OF payload, status, deletedAt ON nfts
WHEN OLD.status = 'released' AND OLD.deletedAt IS NULL
BEGIN
  UPDATE nftCounts SET nfts = nfts - 1 WHERE amountType = iif(OLD.amountType IN ('unique', 'limited', 'unlimited'), OLD.amountType, 'other');
END;
--> statement-breakpoint
CREATE TRIGGER nfts_counts_update_enter AFTER UPDATE OF payload, status, deletedAt ON nfts
WHEN NEW.status = 'released' AND NEW.deletedAt IS NULL
BEGIN
  INSERT INTO nftCounts (amountType, nfts) VALUES (iif(NEW.amountType IN ('unique', 'limited', 'unlimited'), NEW.amountType, 'other'), 1) ON CONFLICT (amountType) DO UPDATE SET nfts = nfts + 1;
END;
--> statement-breakpoint
CREATE TRIGGER nfts_counts_delete AFTER DELETE ON nfts
WHEN OLD.status = 'released' AND OLD.deletedAt IS NULL
BEGIN
  UPDATE nftCounts SET nfts = nfts - 1 WHERE amountType = iif(OLD.amountType IN ('unique', 'limited', 'unlimited'), OLD.amountType, 'other');
END;
--> statement-breakpoint
CREATE TRIGGER nfts_creator_insert AFTER INSERT ON nfts
WHEN NEW.status = 'released' AND NEW.deletedAt IS NULL
BEGIN
  INSERT INTO creators (userId, nfts, latestReleaseAt) VALUES (NEW.creatorId, 1, NEW.releaseAt) ON CONFLICT (userId) DO UPDATE SET nfts = nfts + 1, latestReleaseAt = max(latestReleaseAt, excluded.latestReleaseAt);
END;
--> statement-breakpoint
CREATE TRIGGER nfts_creator_update_leave AFTER UPDATE OF creatorId, releaseAt, status, deletedAt ON nfts
WHEN OLD.status = 'released' AND OLD.deletedAt IS NULL
BEGIN
  UPDATE creators SET nfts = nfts - 1, latestReleaseAt = coalesce((SELECT max(releaseAt) FROM nfts WHERE creatorId = OLD.creatorId AND status = 'released' AND deletedAt IS NULL), '') WHERE userId = OLD.creatorId;
END;
--> statement-breakpoint
CREATE TRIGGER nfts_creator_update_enter AFTER UPDATE OF creatorId, releaseAt, status, deletedAt ON nfts
WHEN NEW.status = 'released' AND NEW.deletedAt IS NULL
BEGIN
  INSERT INTO creators (userId, nfts, latestReleaseAt) VALUES (NEW.creatorId, 1, NEW.releaseAt) ON CONFLICT (userId) DO UPDATE SET nfts = nfts + 1, latestReleaseAt = max(latestReleaseAt, excluded.latestReleaseAt);
END;
--> statement-breakpoint
CREATE TRIGGER nfts_creator_delete AFTER DELETE ON nfts
WHEN OLD.status = 'released' AND OLD.deletedAt IS NULL
BEGIN
  UPDATE creators SET nfts = nfts - 1, latestReleaseAt = coalesce((SELECT max(releaseAt) FROM nfts WHERE creatorId = OLD.creatorId AND status = 'released' AND deletedAt IS NULL), '') WHERE userId = OLD.creatorId;
END;
--> statement-breakpoint
-- A user who is made administrator again must not get old master tokens back.
CREATE TRIGGER users_demoted AFTER UPDATE OF roleId ON users
WHEN OLD.roleId = 1 AND NEW.roleId IS NOT 1
BEGIN
  UPDATE tokens SET revokedAt = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE userId = NEW.id AND role = 'master' AND revokedAt IS NULL;
END;
