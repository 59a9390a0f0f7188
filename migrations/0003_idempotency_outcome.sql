DROP TABLE `idempotencyKeys`;
--> statement-breakpoint
CREATE TABLE `idempotencyKeys` (
	`userId` integer NOT NULL,
	`key` text NOT NULL,
	`requestHash` text NOT NULL,
	`answer` text NOT NULL,
	`outcome` text NOT NULL,
	`createdAt` text NOT NULL,
	PRIMARY KEY(`userId`, `key`),
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `idempotencyKeys_age` ON `idempotencyKeys` (`createdAt`);
