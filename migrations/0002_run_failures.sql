ALTER TABLE `networks` ADD `failedSince` text;--> statement-breakpoint
ALTER TABLE `networks` ADD `failure` text;