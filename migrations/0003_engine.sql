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
ALTER TABLE `networks` ADD `failedSince` text;
