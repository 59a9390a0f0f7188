CREATE TABLE `catalogueImports` (
	`id` text PRIMARY KEY NOT NULL,
	`lines` integer NOT NULL,
	`result` text,
	`callHash` text,
	`createdAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `catalogueImports_age` ON `catalogueImports` (`createdAt`);--> statement-breakpoint
CREATE TABLE `catalogueLines` (
	`importId` text NOT NULL,
	`line` integer NOT NULL,
	`type` text,
	`externalId` text,
	`record` text,
	`derived` text,
	`words` text,
	`shown` text,
	PRIMARY KEY(`importId`, `line`)
);
--> statement-breakpoint
CREATE INDEX `catalogueLines_record` ON `catalogueLines` (`importId`,`type`,`externalId`);--> statement-breakpoint
CREATE TABLE `creators` (
	`userId` integer PRIMARY KEY NOT NULL,
	`nfts` integer NOT NULL,
	`latestReleaseAt` text NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `creators_latest` ON `creators` ("latestReleaseAt" DESC,`userId`) WHERE "creators"."nfts" > 0;--> statement-breakpoint
CREATE TABLE `listings` (
	`id` integer PRIMARY KEY NOT NULL,
	`externalId` text NOT NULL,
	`priceCents` integer NOT NULL,
	`amount` integer,
	`priceEths` text NOT NULL,
	`priceWei` text NOT NULL,
	`activeTill` text,
	`active` integer NOT NULL,
	`type` text NOT NULL,
	`priceCurrency` text NOT NULL,
	`sellerId` integer NOT NULL,
	`nftId` integer NOT NULL,
	`shopUrl` text,
	`obstacle` text,
	`obstacleSince` text,
	`foundBy` text,
	`isShared` integer DEFAULT false NOT NULL,
	`disputedSince` text,
	`untriedUntil` text,
	`checkAt` text DEFAULT '' NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	FOREIGN KEY (`sellerId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`nftId`) REFERENCES `nfts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "listings_price" CHECK("listings"."priceCents" >= 0),
	CONSTRAINT "listings_type" CHECK("listings"."type" IN ('auction', 'regular'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `listings_external` ON `listings` (`externalId`);--> statement-breakpoint
CREATE INDEX `listings_seller` ON `listings` (`sellerId`);--> statement-breakpoint
CREATE INDEX `listings_nft` ON `listings` (`nftId`);--> statement-breakpoint
CREATE INDEX `listings_updated` ON `listings` (`updatedAt`);--> statement-breakpoint
CREATE INDEX `listings_ends` ON `listings` (`activeTill`) WHERE "listings"."updatedAt" < "listings"."activeTill";--> statement-breakpoint
CREATE INDEX `listings_due` ON `listings` ("untriedUntil" IS NULL,`checkAt`) WHERE "listings"."active";--> statement-breakpoint
CREATE INDEX `listings_obstacles` ON `listings` (`sellerId`,`isShared`) WHERE "listings"."obstacle" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `listings_stopped` ON `listings` (`obstacleSince`) WHERE "listings"."obstacle" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `listings_held` ON `listings` (`untriedUntil`) WHERE "listings"."updatedAt" < "listings"."untriedUntil";--> statement-breakpoint
CREATE TABLE `nftCounts` (
	`amountType` text PRIMARY KEY NOT NULL,
	`nfts` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `nfts` (
	`id` integer PRIMARY KEY NOT NULL,
	`externalId` text NOT NULL,
	`amount` integer NOT NULL,
	`availableAmount` integer NOT NULL,
	`approved` integer DEFAULT true NOT NULL,
	`creatorPublicAddr` text NOT NULL,
	`contractAddr` text NOT NULL,
	`contractName` text NOT NULL,
	`contractNetwork` text NOT NULL,
	`coverKey` text,
	`category` text,
	`contentRelease` text,
	`secretPhrase` text,
	`hasCodes` integer DEFAULT false NOT NULL,
	`missingFiles` integer DEFAULT 0 NOT NULL,
	`fee` text,
	`feeRecipient` text,
	`payload` text NOT NULL,
	`price` integer NOT NULL,
	`priceEths` text NOT NULL,
	`priceCurrency` text NOT NULL,
	`downloadable` integer DEFAULT false NOT NULL,
	`title` text NOT NULL,
	`creatorId` integer NOT NULL,
	`upgradeable` integer DEFAULT false NOT NULL,
	`tokenId` text,
	`fulfilment` text DEFAULT 'transfer' NOT NULL,
	`recipients` text DEFAULT 'anybody' NOT NULL,
	`heldBySeller` integer DEFAULT false NOT NULL,
	`status` text NOT NULL,
	`releaseAt` text NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`changedAt` text NOT NULL,
	`wasReleased` integer DEFAULT false NOT NULL,
	`deletedAt` text,
	`fractionalized` integer DEFAULT false NOT NULL,
	`redeemable` integer DEFAULT false NOT NULL,
	`salesContractUrl` text,
	`amountType` text GENERATED ALWAYS AS (json_extract(payload, '$.amountType')) VIRTUAL,
	FOREIGN KEY (`creatorId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "nfts_stock" CHECK("nfts"."availableAmount" >= 0),
	CONSTRAINT "nfts_payload" CHECK(json_valid("nfts"."payload")),
	CONSTRAINT "nfts_fulfilment" CHECK("nfts"."fulfilment" IN ('transfer', 'mint')),
	CONSTRAINT "nfts_recipients" CHECK("nfts"."recipients" IN ('anybody', 'verified')),
	CONSTRAINT "nfts_content" CHECK("nfts"."contentRelease" IN ('delivered', 'holder'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `nfts_external` ON `nfts` (`externalId`);--> statement-breakpoint
CREATE INDEX `nfts_token` ON `nfts` (`contractNetwork`,`contractAddr`,`tokenId`);--> statement-breakpoint
CREATE INDEX `nfts_released` ON `nfts` (`releaseAt`) WHERE "nfts"."status" = 'released' AND "nfts"."deletedAt" IS NULL;--> statement-breakpoint
CREATE INDEX `nfts_creator` ON `nfts` (`creatorId`,`releaseAt`) WHERE "nfts"."status" = 'released' AND "nfts"."deletedAt" IS NULL;--> statement-breakpoint
CREATE INDEX `nfts_own` ON `nfts` (`creatorId`,`id`);--> statement-breakpoint
CREATE INDEX `nfts_changed` ON `nfts` (`changedAt`);--> statement-breakpoint
CREATE INDEX `nfts_postponed` ON `nfts` (`releaseAt`) WHERE "nfts"."changedAt" < "nfts"."releaseAt";--> statement-breakpoint
CREATE INDEX `nfts_title` ON `nfts` ("title" COLLATE NOCASE);--> statement-breakpoint
CREATE INDEX `nfts_price` ON `nfts` ("priceCurrency" || printf('%016d', "price")) WHERE "nfts"."status" = 'released' AND "nfts"."deletedAt" IS NULL;--> statement-breakpoint
CREATE TABLE `words` (
	`kind` text NOT NULL,
	`word` text NOT NULL,
	`subjectId` integer NOT NULL,
	PRIMARY KEY(`kind`, `word`, `subjectId`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `words_subject` ON `words` (`kind`,`subjectId`,`word`);--> statement-breakpoint
CREATE TABLE `codes` (
	`id` integer PRIMARY KEY NOT NULL,
	`nftId` integer NOT NULL,
	`hash` text NOT NULL,
	`sealed` text NOT NULL,
	`orderItemId` integer,
	FOREIGN KEY (`nftId`) REFERENCES `nfts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`orderItemId`) REFERENCES `orderItems`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `codes_hash` ON `codes` (`nftId`,`hash`);--> statement-breakpoint
CREATE INDEX `codes_pool` ON `codes` (`nftId`) WHERE "codes"."orderItemId" IS NULL;--> statement-breakpoint
CREATE INDEX `codes_orderItem` ON `codes` (`orderItemId`) WHERE "codes"."orderItemId" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `contentFiles` (
	`key` text PRIMARY KEY NOT NULL,
	`nftId` integer NOT NULL,
	`name` text NOT NULL,
	`place` integer NOT NULL,
	`type` text NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`state` text NOT NULL,
	`changedAt` text NOT NULL,
	FOREIGN KEY (`nftId`) REFERENCES `nfts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "contentFiles_state" CHECK("contentFiles"."state" IN ('missing', 'stored', 'removed'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contentFiles_name` ON `contentFiles` (`nftId`,`state`,`name`) WHERE "contentFiles"."state" <> 'removed';--> statement-breakpoint
CREATE INDEX `contentFiles_nft` ON `contentFiles` (`nftId`,`state`,`place`);--> statement-breakpoint
CREATE INDEX `contentFiles_removed` ON `contentFiles` (`changedAt`) WHERE "contentFiles"."state" = 'removed';--> statement-breakpoint
CREATE TABLE `contentStorage` (
	`id` integer PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `downloads` (
	`day` text NOT NULL,
	`nftId` integer NOT NULL,
	`name` text NOT NULL,
	`userId` integer NOT NULL,
	`orderItemId` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`nftId`, `day`, `name`, `userId`, `orderItemId`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `downloads_user` ON `downloads` (`userId`);--> statement-breakpoint
CREATE INDEX `downloads_day` ON `downloads` (`day`);--> statement-breakpoint
CREATE TABLE `owedCodes` (
	`nftId` integer NOT NULL,
	`orderItemId` integer NOT NULL,
	`since` text NOT NULL,
	PRIMARY KEY(`nftId`, `orderItemId`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `mintPermissions` (
	`userId` integer NOT NULL,
	`network` text NOT NULL,
	`contract` text NOT NULL,
	`createdAt` text NOT NULL,
	PRIMARY KEY(`userId`, `network`, `contract`),
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `proposals` (
	`kind` text NOT NULL,
	`subjectId` integer NOT NULL,
	`userId` integer NOT NULL,
	`state` text NOT NULL,
	`fields` text NOT NULL,
	`version` text NOT NULL,
	`reason` text,
	`submittedAt` text NOT NULL,
	PRIMARY KEY(`kind`, `subjectId`),
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "proposals_kind" CHECK("proposals"."kind" IN ('nft', 'listing')),
	CONSTRAINT "proposals_state" CHECK("proposals"."state" IN ('draft', 'in_review', 'rejected'))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `proposals_waiting` ON `proposals` (`submittedAt`) WHERE "proposals"."state" = 'in_review';--> statement-breakpoint
CREATE INDEX `proposals_user` ON `proposals` (`userId`);--> statement-breakpoint
CREATE TABLE `reports` (
	`nftId` integer NOT NULL,
	`userId` integer NOT NULL,
	`text` text NOT NULL,
	`createdAt` text NOT NULL,
	PRIMARY KEY(`nftId`, `userId`),
	FOREIGN KEY (`nftId`) REFERENCES `nfts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `reports_user` ON `reports` (`userId`);--> statement-breakpoint
CREATE INDEX `reports_newest` ON `reports` (`createdAt`);--> statement-breakpoint
CREATE TABLE `burns` (
	`chainId` integer NOT NULL,
	`token` text NOT NULL,
	`recipient` text NOT NULL,
	`times` integer NOT NULL,
	`updatedAt` text NOT NULL,
	PRIMARY KEY(`chainId`, `token`, `recipient`)
);
--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`chainId` integer,
	`contract` text,
	`state` text NOT NULL,
	`requestedAction` text DEFAULT 'deliver' NOT NULL,
	`cancelRequestedAt` text,
	`version` integer DEFAULT 0 NOT NULL,
	`transactionId` integer,
	`deliveredAmount` integer,
	`queuedAt` text,
	`retriedAt` text,
	`waitingSince` text,
	`tries` integer DEFAULT 0 NOT NULL,
	`withoutEffect` integer DEFAULT 0 NOT NULL,
	`isUnconfirmed` integer DEFAULT false NOT NULL,
	`reasonCode` text,
	`reasonDetail` text,
	`dueAt` text,
	`awaits` integer,
	`awaitsSince` text,
	`reminders` integer DEFAULT 0 NOT NULL,
	`placedBy` integer,
	`placer` text NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `orderItems`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`awaits`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`placedBy`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "deliveries_state" CHECK("deliveries"."state" IN ('awaiting_wallet', 'queued', 'in_flight', 'transferred', 'failed', 'cancelled', 'written_off')),
	CONSTRAINT "deliveries_requestedAction" CHECK("deliveries"."requestedAction" IN ('deliver', 'cancel')),
	CONSTRAINT "deliveries_reasonCode" CHECK("deliveries"."reasonCode" IS NULL OR "deliveries"."reasonCode" IN ('cancelled', 'contract_paused', 'contract_unavailable', 'gas_burned', 'gas_limit_exceeded', 'holder_has_no_token', 'holder_not_approved', 'invalid_quantity', 'invalid_recipient', 'invalid_token_address', 'invalid_token_id', 'key_used_for_other_delivery', 'mint_not_exact', 'mint_refused', 'minter_role_missing', 'network_not_configured', 'no_relayer', 'node_unavailable', 'quantity_above_limit', 'recipient_not_deployed', 'recipient_on_other_chain', 'recipient_rejects', 'relayer_limit_reached', 'seller_has_no_wallet', 'seller_on_other_chain', 'simulation_failed', 'single_piece_token', 'token_limit_missing', 'token_limit_reached', 'token_moved_nothing', 'token_not_deployed', 'token_not_supported', 'token_not_transferable', 'transaction_not_found', 'transfer_failed', 'transfer_without_effect')),
	CONSTRAINT "deliveries_reason" CHECK("deliveries"."reasonCode" IS NOT NULL OR "deliveries"."reasonDetail" IS NULL),
	CONSTRAINT "deliveries_awaits" CHECK(("deliveries"."state" = 'awaiting_wallet') = ("deliveries"."awaits" IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`chainId`,`placer`,`dueAt`) WHERE "deliveries"."dueAt" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_delayed` ON `deliveries` (`chainId`,`reasonCode`,`queuedAt`) WHERE "deliveries"."waitingSince" IS NOT NULL AND "deliveries"."dueAt" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_waiting` ON `deliveries` (`state`,`id`) WHERE "deliveries"."state" IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off');--> statement-breakpoint
CREATE INDEX `deliveries_compared` ON `deliveries` (`chainId`,`id`) WHERE "deliveries"."state" IN ('awaiting_wallet', 'failed');--> statement-breakpoint
CREATE INDEX `deliveries_unconfirmed` ON `deliveries` (`chainId`,`id`) WHERE "deliveries"."isUnconfirmed";--> statement-breakpoint
CREATE INDEX `deliveries_open` ON `deliveries` (`placedBy`) WHERE "deliveries"."placedBy" IS NOT NULL AND "deliveries"."state" IN ('awaiting_wallet', 'queued', 'in_flight');--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`reasonCode`,`state`) WHERE "deliveries"."state" = 'failed';--> statement-breakpoint
CREATE INDEX `deliveries_failedAt` ON `deliveries` (`updatedAt`) WHERE "deliveries"."state" = 'failed';--> statement-breakpoint
CREATE INDEX `deliveries_retried` ON `deliveries` (`state`) WHERE "deliveries"."retriedAt" IS NOT NULL AND "deliveries"."state" IN ('queued', 'in_flight');--> statement-breakpoint
CREATE INDEX `deliveries_changed` ON `deliveries` (`updatedAt`) WHERE "deliveries"."state" NOT IN ('queued', 'in_flight');--> statement-breakpoint
CREATE INDEX `deliveries_reminders` ON `deliveries` (`reminders`,`awaitsSince`) WHERE "deliveries"."state" = 'awaiting_wallet';--> statement-breakpoint
CREATE INDEX `deliveries_awaits` ON `deliveries` (`awaits`) WHERE "deliveries"."awaits" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `instance` (
	`id` integer PRIMARY KEY NOT NULL,
	`deliverySecretHash` text NOT NULL,
	`publicUrl` text NOT NULL,
	`mailPosition` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `networks` (
	`chainId` integer PRIMARY KEY NOT NULL,
	`lease` text,
	`leaseUntil` text NOT NULL,
	`wakeAt` text,
	`settledBlock` integer,
	`settledHash` text,
	`comparedId` integer DEFAULT 0 NOT NULL,
	`comparedAt` text,
	`contracts` text DEFAULT '[]' NOT NULL,
	`maxPieces` integer,
	`unconfirmedSince` text,
	`minedByOne` integer DEFAULT 0 NOT NULL,
	`contradictedSince` text,
	`problem` text,
	`failedSince` text
);
--> statement-breakpoint
CREATE TABLE `signers` (
	`chainId` integer NOT NULL,
	`address` text NOT NULL,
	`reverts` integer DEFAULT 0 NOT NULL,
	`pausedUntil` text,
	PRIMARY KEY(`chainId`, `address`)
);
--> statement-breakpoint
CREATE TABLE `transactions` (
	`id` integer PRIMARY KEY NOT NULL,
	`chainId` integer NOT NULL,
	`contract` text NOT NULL,
	`signer` text NOT NULL,
	`nonce` integer NOT NULL,
	`items` text NOT NULL,
	`hash` text NOT NULL,
	`replaced` text NOT NULL,
	`raw` text,
	`gas` text NOT NULL,
	`maxFeePerGas` text NOT NULL,
	`maxPriorityFeePerGas` text NOT NULL,
	`deadline` integer NOT NULL,
	`signedAtBlock` integer NOT NULL,
	`signedAt` text NOT NULL,
	`block` integer,
	`blockHash` text,
	`nonceUsedAt` integer,
	`gasUsed` integer,
	`fee` text,
	`isOpen` integer NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_open` ON `transactions` (`chainId`,`signer`,`nonce`) WHERE "transactions"."isOpen";--> statement-breakpoint
CREATE INDEX `transactions_block` ON `transactions` (`chainId`,`block`) WHERE "transactions"."block" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `transactions_hash` ON `transactions` (`hash`);--> statement-breakpoint
CREATE INDEX `transactions_signed` ON `transactions` (`chainId`,`signer`,`nonce`) WHERE "transactions"."deadline" > 0;--> statement-breakpoint
CREATE TABLE `acknowledgements` (
	`key` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `alarms` (
	`key` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`detail` text NOT NULL,
	`version` integer,
	`raisedAt` text NOT NULL,
	`notifiedAt` text NOT NULL,
	`mailedAt` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `auditLog` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` text NOT NULL,
	`userId` integer NOT NULL,
	`tokenName` text,
	`action` text NOT NULL,
	`subject` text,
	`details` text,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `auditLog_subject` ON `auditLog` (`subject`);--> statement-breakpoint
CREATE INDEX `auditLog_user` ON `auditLog` (`userId`);--> statement-breakpoint
CREATE TABLE `backups` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` text NOT NULL,
	`previousAt` text
);
--> statement-breakpoint
CREATE TABLE `cronRuns` (
	`id` integer PRIMARY KEY NOT NULL,
	`startedAt` text NOT NULL,
	`finishedAt` text,
	`failedJobs` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `disagreements` (
	`chainId` integer NOT NULL,
	`about` text NOT NULL,
	`answers` text NOT NULL,
	`since` text NOT NULL,
	`seenAt` text NOT NULL,
	PRIMARY KEY(`chainId`, `about`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `failures` (
	`kind` text PRIMARY KEY NOT NULL,
	`total` integer NOT NULL,
	`recent` integer NOT NULL,
	`since` text NOT NULL,
	`lastAt` text NOT NULL
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
CREATE TABLE `heldMails` (
	`itemId` integer PRIMARY KEY NOT NULL,
	`userId` integer NOT NULL,
	`createdAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `heldMails_user` ON `heldMails` (`userId`,`createdAt`);--> statement-breakpoint
CREATE INDEX `heldMails_age` ON `heldMails` (`createdAt`);--> statement-breakpoint
CREATE TABLE `hourlyOrders` (
	`hour` text NOT NULL,
	`firstId` integer NOT NULL,
	`lastId` integer NOT NULL,
	`transferred` integer NOT NULL,
	`failed` integer NOT NULL,
	`awaitingWallet` integer NOT NULL,
	`underWay` integer NOT NULL,
	`p50` integer,
	`p95` integer,
	`updatedAt` text NOT NULL,
	PRIMARY KEY(`hour`, `firstId`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `hourlyOrders_underWay` ON `hourlyOrders` (`updatedAt`) WHERE "hourlyOrders"."underWay" > 0;--> statement-breakpoint
CREATE INDEX `hourlyOrders_waiting` ON `hourlyOrders` (`updatedAt`) WHERE "hourlyOrders"."underWay" = 0 AND "hourlyOrders"."failed" + "hourlyOrders"."awaitingWallet" > 0;--> statement-breakpoint
CREATE TABLE `mailOptOuts` (
	`addressHash` text PRIMARY KEY NOT NULL,
	`createdAt` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `networkChecks` (
	`chainId` integer PRIMARY KEY NOT NULL,
	`checkedAt` text NOT NULL,
	`problem` text,
	`headNumber` integer,
	`headAt` text,
	`gasPrice` text,
	`isPaused` integer,
	`isRetired` integer,
	`signers` text,
	`tokensTo` text,
	`nodes` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `quotas` (
	`name` text NOT NULL,
	`period` text NOT NULL,
	`used` integer NOT NULL,
	PRIMARY KEY(`period`, `name`)
);
--> statement-breakpoint
CREATE TABLE `sentMails` (
	`subject` text PRIMARY KEY NOT NULL,
	`createdAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sentMails_age` ON `sentMails` (`createdAt`);--> statement-breakpoint
CREATE TABLE `signedItems` (
	`chainId` integer NOT NULL,
	`signer` text NOT NULL,
	`day` text NOT NULL,
	`items` integer NOT NULL,
	`lastId` integer NOT NULL,
	PRIMARY KEY(`chainId`, `signer`, `day`)
);
--> statement-breakpoint
CREATE TABLE `heldPieces` (
	`nftId` integer NOT NULL,
	`expiresAt` text NOT NULL,
	`quantity` integer NOT NULL,
	PRIMARY KEY(`nftId`, `expiresAt`),
	CONSTRAINT "heldPieces_quantity" CHECK("heldPieces"."quantity" >= 0)
);
--> statement-breakpoint
CREATE INDEX `heldPieces_expiry` ON `heldPieces` (`expiresAt`);--> statement-breakpoint
CREATE TABLE `idempotencyKeys` (
	`day` text NOT NULL,
	`namespace` text NOT NULL,
	`key` text NOT NULL,
	`requestHash` text NOT NULL,
	`result` text NOT NULL,
	`createdAt` text NOT NULL,
	PRIMARY KEY(`day`, `namespace`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `orderItems` (
	`id` integer PRIMARY KEY NOT NULL,
	`orderId` integer NOT NULL,
	`nftId` integer NOT NULL,
	`listingId` integer NOT NULL,
	`sellerId` integer NOT NULL,
	`quantity` integer NOT NULL,
	`priceCents` integer NOT NULL,
	`priceEths` text NOT NULL,
	`ethRecipient` text,
	`recipientChainId` integer DEFAULT 0 NOT NULL,
	`priceCurrency` text NOT NULL,
	FOREIGN KEY (`orderId`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`nftId`) REFERENCES `nfts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listingId`) REFERENCES `listings`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sellerId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "orderItems_quantity" CHECK("orderItems"."quantity" > 0)
);
--> statement-breakpoint
CREATE INDEX `orderItems_order` ON `orderItems` (`orderId`);--> statement-breakpoint
CREATE INDEX `orderItems_seller` ON `orderItems` (`sellerId`,`orderId`);--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY NOT NULL,
	`buyerId` integer NOT NULL,
	`billingAddressId` integer NOT NULL,
	`providerId` text,
	`payprovWebhookToken` text NOT NULL,
	`claimSecret` text NOT NULL,
	`claimPath` text GENERATED ALWAYS AS ('/claim/' || id || '?secret=' || claimSecret) VIRTUAL,
	`totalPriceCents` integer NOT NULL,
	`totalPriceCurrency` text NOT NULL,
	`totalPriceEth` text NOT NULL,
	`createdAt` text NOT NULL,
	`namespace` text NOT NULL,
	`source` text GENERATED ALWAYS AS (iif(namespace GLOB 'master:*', namespace, 'user:' || substr(namespace, 6 + instr(substr(namespace, 6), ':')))) VIRTUAL,
	`custom` text,
	`paid` text,
	FOREIGN KEY (`buyerId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_provider_id` ON `orders` (`providerId`,`namespace`) WHERE "orders"."providerId" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `orders_buyer` ON `orders` (`buyerId`);--> statement-breakpoint
CREATE INDEX `orders_source` ON `orders` (`source`);--> statement-breakpoint
CREATE INDEX `orders_created` ON `orders` (`createdAt`);--> statement-breakpoint
CREATE TABLE `reservations` (
	`id` text PRIMARY KEY NOT NULL,
	`namespace` text NOT NULL,
	`placedBy` integer,
	`nftId` integer NOT NULL,
	`listingId` integer NOT NULL,
	`quantity` integer NOT NULL,
	`priceCents` integer NOT NULL,
	`priceEths` text NOT NULL,
	`priceWei` text NOT NULL,
	`priceCurrency` text NOT NULL,
	`expiresAt` text NOT NULL,
	`createdAt` text NOT NULL,
	FOREIGN KEY (`placedBy`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reservations_quantity" CHECK("reservations"."quantity" > 0)
);
--> statement-breakpoint
CREATE INDEX `reservations_expiry` ON `reservations` (`expiresAt`);--> statement-breakpoint
CREATE INDEX `reservations_user` ON `reservations` (`placedBy`,`expiresAt`) WHERE "reservations"."placedBy" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `shops` (
	`namespace` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`url` text,
	`updatedAt` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `addresses` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`origin` text DEFAULT 'request' NOT NULL,
	`placementKey` text,
	`userId` integer NOT NULL,
	`name` text,
	`street` text,
	`postal` text,
	`city` text,
	`country` text,
	`companyName` text,
	`taxId` text,
	`email` text,
	`mobilePhone` text,
	`isDefault` integer DEFAULT false NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`deletedAt` text,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "addresses_kind" CHECK("addresses"."kind" IN ('delivery', 'billing')),
	CONSTRAINT "addresses_origin" CHECK("addresses"."origin" IN ('request', 'order', 'seller_order'))
);
--> statement-breakpoint
CREATE INDEX `addresses_live` ON `addresses` (`userId`,`kind`,`id`) WHERE "addresses"."deletedAt" IS NULL AND "addresses"."origin" <> 'seller_order';--> statement-breakpoint
CREATE INDEX `addresses_counted` ON `addresses` (`userId`,`kind`) WHERE "addresses"."deletedAt" IS NULL AND "addresses"."origin" = 'request';--> statement-breakpoint
CREATE INDEX `addresses_hidden` ON `addresses` (`userId`) WHERE "addresses"."deletedAt" IS NOT NULL OR "addresses"."origin" = 'seller_order';--> statement-breakpoint
CREATE INDEX `addresses_deleted` ON `addresses` (`deletedAt`) WHERE "addresses"."deletedAt" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_default` ON `addresses` (`userId`,`kind`) WHERE "addresses"."isDefault" AND "addresses"."deletedAt" IS NULL;--> statement-breakpoint
CREATE TABLE `emailLinks` (
	`secretHash` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`mailbox` text NOT NULL,
	`client` text NOT NULL,
	`identityHash` text NOT NULL,
	`userId` integer,
	`redirect` text,
	`createdAt` text NOT NULL,
	`expiresAt` text NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `emailLinks_age` ON `emailLinks` (`createdAt`);--> statement-breakpoint
CREATE INDEX `emailLinks_mailbox` ON `emailLinks` (`mailbox`,`createdAt`);--> statement-breakpoint
CREATE INDEX `emailLinks_user` ON `emailLinks` (`userId`,`createdAt`) WHERE "emailLinks"."userId" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `phoneLinks` (
	`userId` integer PRIMARY KEY NOT NULL,
	`secretHash` text NOT NULL,
	`wallet` text,
	`walletChainId` integer DEFAULT 0 NOT NULL,
	`walletProvedByFactory` integer DEFAULT false NOT NULL,
	`expiresAt` text NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `phoneLinks_secret` ON `phoneLinks` (`secretHash`);--> statement-breakpoint
CREATE INDEX `phoneLinks_expiry` ON `phoneLinks` (`expiresAt`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` integer NOT NULL,
	`kind` text NOT NULL,
	`role` text NOT NULL,
	`scope` text DEFAULT 'write' NOT NULL,
	`name` text NOT NULL,
	`namespace` text NOT NULL,
	`keyId` text NOT NULL,
	`createdAt` text NOT NULL,
	`expiresAt` text NOT NULL,
	`lastUsedAt` text,
	`revokedAt` text,
	`rolledAt` text,
	`warnedBefore` integer,
	`browser` text,
	`country` text,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tokens_kind" CHECK("tokens"."kind" IN ('api', 'session')),
	CONSTRAINT "tokens_role" CHECK("tokens"."role" IN ('user', 'master')),
	CONSTRAINT "tokens_scope" CHECK("tokens"."scope" IN ('read', 'write', 'metrics', 'orders'))
);
--> statement-breakpoint
CREATE INDEX `tokens_user` ON `tokens` (`userId`);--> statement-breakpoint
CREATE INDEX `tokens_ended` ON `tokens` (CASE WHEN "revokedAt" IS NULL THEN "expiresAt" ELSE "revokedAt" END);--> statement-breakpoint
CREATE INDEX `tokens_rolled` ON `tokens` (`rolledAt`) WHERE "tokens"."rolledAt" IS NOT NULL AND "tokens"."revokedAt" IS NULL;--> statement-breakpoint
CREATE INDEX `tokens_live` ON `tokens` (`createdAt`,`id`) WHERE "tokens"."revokedAt" IS NULL;--> statement-breakpoint
CREATE INDEX `tokens_namespace` ON `tokens` (`namespace`) WHERE "tokens"."kind" = 'api' AND "tokens"."revokedAt" IS NULL AND "tokens"."rolledAt" IS NULL;--> statement-breakpoint
CREATE INDEX `tokens_ends` ON `tokens` (`role`,`expiresAt`) WHERE "tokens"."kind" = 'api' AND "tokens"."revokedAt" IS NULL AND "tokens"."rolledAt" IS NULL;--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY NOT NULL,
	`externalId` text,
	`approved` integer DEFAULT false NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`ethereumPublicAddr` text DEFAULT '' NOT NULL,
	`walletChainId` integer DEFAULT 0 NOT NULL,
	`walletProvedByFactory` integer DEFAULT false NOT NULL,
	`hadWallet` integer DEFAULT false NOT NULL,
	`identityHash` text NOT NULL,
	`name` text,
	`provider` text NOT NULL,
	`roleId` integer,
	`username` text,
	`shopUrl` text,
	`locale` text DEFAULT 'en' NOT NULL,
	`language` text,
	`approvedAt` text,
	`lastAccessAt` text,
	`removedAt` text,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`ipAddress` text DEFAULT '' NOT NULL,
	`avatarKey` text,
	CONSTRAINT "users_wallet_owned" CHECK("users"."ethereumPublicAddr" NOT GLOB '0x000000000000000000000000000000000000????'),
	CONSTRAINT "users_wallet_factory" CHECK(NOT "users"."walletProvedByFactory" OR "users"."walletChainId" <> 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_external` ON `users` (`externalId`) WHERE "users"."externalId" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `users_identity` ON `users` (`identityHash`);--> statement-breakpoint
CREATE INDEX `users_role` ON `users` (`roleId`) WHERE "users"."roleId" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`) WHERE "users"."email" <> '';--> statement-breakpoint
CREATE UNIQUE INDEX `users_username` ON `users` (lower("username")) WHERE "users"."username" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `users_wallet` ON `users` (`ethereumPublicAddr`,`walletChainId`) WHERE "users"."ethereumPublicAddr" <> '';--> statement-breakpoint
CREATE TABLE `walletNonces` (
	`nonce` text PRIMARY KEY NOT NULL,
	`expiresAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `walletNonces_expiry` ON `walletNonces` (`expiresAt`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`at` text NOT NULL,
	`itemId` integer,
	`orderId` integer,
	`sellerId` integer,
	`buyerId` integer,
	`source` text,
	`endpointId` text,
	`sequence` integer,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `webhookEndpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` integer NOT NULL,
	`role` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`sources` text,
	`namespace` text,
	`secretId` text NOT NULL,
	`previousSecretId` text,
	`previousSecretUntil` text,
	`verifiedAt` text,
	`position` integer NOT NULL,
	`logFrom` integer NOT NULL,
	`dueAt` text,
	`wakeAt` text,
	`leaseUntil` text,
	`penalty` integer DEFAULT 0 NOT NULL,
	`pausedUntil` text,
	`failingSince` text,
	`warnedAt` text,
	`disabledAt` text,
	`disabledReason` text,
	`deletedAt` text,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhookEndpoints_role" CHECK("webhookEndpoints"."role" IN ('user', 'master')),
	CONSTRAINT "webhookEndpoints_disabled" CHECK(("webhookEndpoints"."disabledAt" IS NULL) = ("webhookEndpoints"."disabledReason" IS NULL))
);
--> statement-breakpoint
CREATE INDEX `webhookEndpoints_user` ON `webhookEndpoints` (`userId`);--> statement-breakpoint
CREATE INDEX `webhookEndpoints_disabled` ON `webhookEndpoints` (`disabledReason`) WHERE "webhookEndpoints"."disabledAt" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhookEndpoints_master` ON `webhookEndpoints` (`id`) WHERE "webhookEndpoints"."role" = 'master';--> statement-breakpoint
CREATE INDEX `webhookEndpoints_due` ON `webhookEndpoints` (`dueAt`) WHERE "webhookEndpoints"."dueAt" IS NOT NULL AND "webhookEndpoints"."disabledAt" IS NULL;--> statement-breakpoint
CREATE INDEX `webhookEndpoints_failing` ON `webhookEndpoints` (`failingSince`) WHERE "webhookEndpoints"."failingSince" IS NOT NULL AND "webhookEndpoints"."disabledAt" IS NULL;--> statement-breakpoint
CREATE INDEX `webhookEndpoints_deleted` ON `webhookEndpoints` (`deletedAt`) WHERE "webhookEndpoints"."deletedAt" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `webhookMessages` (
	`eventId` integer NOT NULL,
	`endpointId` text NOT NULL,
	`state` text NOT NULL,
	`tries` integer NOT NULL,
	`attempts` text DEFAULT '[]' NOT NULL,
	`dueAt` text,
	PRIMARY KEY(`eventId`, `endpointId`),
	CONSTRAINT "webhookMessages_state" CHECK("webhookMessages"."state" IN ('pending', 'delivered', 'failed')),
	CONSTRAINT "webhookMessages_due" CHECK(("webhookMessages"."state" = 'pending') = ("webhookMessages"."dueAt" IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX `webhookMessages_due` ON `webhookMessages` (`endpointId`,`dueAt`) WHERE "webhookMessages"."dueAt" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhookMessages_state` ON `webhookMessages` (`endpointId`,`state`,`eventId`);