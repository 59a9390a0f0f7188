DROP INDEX `transactions_transfer`;--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_generation` ON `transactions` (`transferId`,`generation`,`attempt`);--> statement-breakpoint
CREATE INDEX `transfers_dead` ON `transfers` (`id`) WHERE "transfers"."deadLetteredAt" IS NOT NULL;