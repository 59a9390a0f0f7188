-- compatible: it was never deployed
DROP TABLE `burns`;--> statement-breakpoint
CREATE TABLE `burns` (
	`chainId` integer NOT NULL,
	`token` text NOT NULL,
	`recipient` text NOT NULL,
	`times` integer NOT NULL,
	`updatedAt` text NOT NULL,
	PRIMARY KEY(`chainId`, `token`, `recipient`)
);
--> statement-breakpoint
CREATE TABLE `findings` (
	`id` integer PRIMARY KEY NOT NULL,
	`chainId` integer NOT NULL,
	`key` text NOT NULL,
	`detail` text NOT NULL,
	`nodes` text NOT NULL,
	`seenAt` text NOT NULL,
	`acknowledgedAt` text
);
--> statement-breakpoint
CREATE INDEX `findings_key` ON `findings` (`key`);--> statement-breakpoint
CREATE INDEX `findings_open` ON `findings` (`id`) WHERE "findings"."acknowledgedAt" IS NULL;--> statement-breakpoint
-- compatible: it was never deployed
DROP INDEX `transactions_foreign`;--> statement-breakpoint
CREATE INDEX `transactions_signed` ON `transactions` (`chainId`,`signer`,`nonce`) WHERE "transactions"."deadline" > 0;--> statement-breakpoint
ALTER TABLE `alarms` ADD `version` integer;--> statement-breakpoint
ALTER TABLE `networkChecks` ADD `nodes` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `networks` ADD `contradictedSince` text;--> statement-breakpoint
ALTER TABLE `networks` ADD `failedSince` text;--> statement-breakpoint
-- compatible: it was never deployed
ALTER TABLE `signers` DROP COLUMN `usedPieces`;--> statement-breakpoint
-- compatible: it was never deployed
ALTER TABLE `signers` DROP COLUMN `usedAt`;
