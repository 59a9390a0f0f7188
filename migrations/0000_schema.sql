CREATE TABLE `addresses` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
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
	CONSTRAINT "addresses_kind" CHECK("addresses"."kind" IN ('delivery', 'billing'))
);
--> statement-breakpoint
CREATE INDEX `addresses_live` ON `addresses` (`userId`,`kind`,`id`) WHERE "addresses"."deletedAt" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_default` ON `addresses` (`userId`,`kind`) WHERE "addresses"."isDefault" AND "addresses"."deletedAt" IS NULL;--> statement-breakpoint
CREATE TABLE `creators` (
	`userId` integer PRIMARY KEY NOT NULL,
	`nfts` integer NOT NULL,
	`latestReleaseAt` text NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `creators_latest` ON `creators` ("latestReleaseAt" DESC,`userId`) WHERE "creators"."nfts" > 0;--> statement-breakpoint
CREATE TABLE `emailLinks` (
	`secretHash` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`identityHash` text NOT NULL,
	`userId` integer,
	`redirect` text,
	`expiresAt` text NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `emailLinks_expiry` ON `emailLinks` (`expiresAt`);--> statement-breakpoint
CREATE TABLE `idempotencyKeys` (
	`namespace` text NOT NULL,
	`key` text NOT NULL,
	`requestHash` text NOT NULL,
	`plan` text NOT NULL,
	`result` text NOT NULL,
	`createdAt` text NOT NULL,
	PRIMARY KEY(`namespace`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotencyKeys_age` ON `idempotencyKeys` (`createdAt`);--> statement-breakpoint
CREATE TABLE `listings` (
	`id` integer PRIMARY KEY NOT NULL,
	`priceCents` integer NOT NULL,
	`amount` integer,
	`priceEths` text NOT NULL,
	`priceWei` text NOT NULL,
	`activeTill` text,
	`active` integer NOT NULL,
	`type` text NOT NULL,
	`txHash` text,
	`priceCurrency` text NOT NULL,
	`sellerId` integer NOT NULL,
	`nftId` integer NOT NULL,
	`captureCronId` text,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	FOREIGN KEY (`sellerId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`nftId`) REFERENCES `nfts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "listings_price" CHECK("listings"."priceCents" >= 0),
	CONSTRAINT "listings_type" CHECK("listings"."type" IN ('auction', 'regular'))
);
--> statement-breakpoint
CREATE TABLE `nftCounts` (
	`amountType` text PRIMARY KEY NOT NULL,
	`nfts` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `nfts` (
	`id` integer PRIMARY KEY NOT NULL,
	`amount` integer NOT NULL,
	`availableAmount` integer NOT NULL,
	`approved` integer DEFAULT true NOT NULL,
	`storageNetworkTx` text,
	`chainTx` text,
	`creatorPublicAddr` text NOT NULL,
	`contractAddr` text NOT NULL,
	`contractName` text NOT NULL,
	`contractNetwork` text NOT NULL,
	`coverKey` text,
	`category` text,
	`secretPhrase` text,
	`fee` text,
	`feeRecipient` text,
	`payload` text NOT NULL,
	`price` integer NOT NULL,
	`priceEths` text NOT NULL,
	`priceCurrency` text NOT NULL,
	`priceType` text DEFAULT 'FIXED' NOT NULL,
	`downloadable` integer DEFAULT false NOT NULL,
	`title` text NOT NULL,
	`creatorId` integer NOT NULL,
	`useCaseId` integer DEFAULT 1 NOT NULL,
	`upgradeable` integer DEFAULT false NOT NULL,
	`tokenId` text,
	`newTokenId` text,
	`oldTokenId` text,
	`status` text NOT NULL,
	`releaseAt` text NOT NULL,
	`biddingEnabled` integer DEFAULT false NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`deletedAt` text,
	`fractionalized` integer DEFAULT false NOT NULL,
	`redeemable` integer DEFAULT false NOT NULL,
	`qrcodePrintfileId` text,
	`salesContractUrl` text,
	`amountType` text GENERATED ALWAYS AS (json_extract(payload, '$.amountType')) VIRTUAL,
	FOREIGN KEY (`creatorId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "nfts_stock" CHECK("nfts"."availableAmount" >= 0),
	CONSTRAINT "nfts_payload" CHECK(json_valid("nfts"."payload"))
);
--> statement-breakpoint
CREATE INDEX `nfts_creator` ON `nfts` (`creatorId`,`releaseAt`) WHERE "nfts"."status" = 'released' AND "nfts"."deletedAt" IS NULL;--> statement-breakpoint
CREATE TABLE `orderItems` (
	`id` integer PRIMARY KEY NOT NULL,
	`orderId` integer NOT NULL,
	`nftId` integer NOT NULL,
	`listingId` integer NOT NULL,
	`quantity` integer NOT NULL,
	`priceCents` integer NOT NULL,
	`priceEths` text NOT NULL,
	`ethRecipient` text,
	`priceCurrency` text NOT NULL,
	`paymentProvider` text,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`ProductType` text NOT NULL,
	FOREIGN KEY (`orderId`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`nftId`) REFERENCES `nfts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listingId`) REFERENCES `listings`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "orderItems_quantity" CHECK("orderItems"."quantity" > 0)
);
--> statement-breakpoint
CREATE INDEX `orderItems_order` ON `orderItems` (`orderId`);--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY NOT NULL,
	`buyerId` integer NOT NULL,
	`billingAddressId` integer NOT NULL,
	`paymentMethod` text NOT NULL,
	`provider` text NOT NULL,
	`providerId` text,
	`payprovStxTransactionId` text,
	`payprovPciTransactionId` text,
	`payprovWebhookToken` text NOT NULL,
	`totalPriceCents` integer NOT NULL,
	`totalPriceCurrency` text NOT NULL,
	`totalPriceEth` text NOT NULL,
	`status` text,
	`feesCollectedAt` text,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`ProductType` text NOT NULL,
	`namespace` text NOT NULL,
	FOREIGN KEY (`buyerId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`billingAddressId`) REFERENCES `addresses`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_provider_id` ON `orders` (`namespace`,`providerId`) WHERE "orders"."providerId" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` integer NOT NULL,
	`kind` text NOT NULL,
	`role` text NOT NULL,
	`name` text NOT NULL,
	`namespace` text NOT NULL,
	`keyId` text NOT NULL,
	`createdAt` text NOT NULL,
	`expiresAt` text NOT NULL,
	`lastUsedAt` text,
	`revokedAt` text,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tokens_kind" CHECK("tokens"."kind" IN ('api', 'session')),
	CONSTRAINT "tokens_role" CHECK("tokens"."role" IN ('user', 'master'))
);
--> statement-breakpoint
CREATE INDEX `tokens_user` ON `tokens` (`userId`);--> statement-breakpoint
CREATE INDEX `tokens_live` ON `tokens` (`createdAt`,`id`) WHERE "tokens"."revokedAt" IS NULL;--> statement-breakpoint
CREATE INDEX `tokens_namespace` ON `tokens` (`namespace`) WHERE "tokens"."kind" = 'api' AND "tokens"."revokedAt" IS NULL;--> statement-breakpoint
CREATE TABLE `transactions` (
	`chainId` integer NOT NULL,
	`signer` text NOT NULL,
	`nonce` integer NOT NULL,
	`attempt` integer NOT NULL,
	`hash` text NOT NULL,
	`transferId` integer NOT NULL,
	`generation` integer NOT NULL,
	`kind` text NOT NULL,
	`raw` text NOT NULL,
	`gas` text NOT NULL,
	`maxFeePerGas` text NOT NULL,
	`maxPriorityFeePerGas` text NOT NULL,
	`createdAt` text NOT NULL,
	PRIMARY KEY(`chainId`, `signer`, `nonce`, `attempt`),
	FOREIGN KEY (`transferId`) REFERENCES `transfers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transactions_kind" CHECK("transactions"."kind" IN ('transfer', 'cancel'))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_generation` ON `transactions` (`transferId`,`generation`,`attempt`);--> statement-breakpoint
CREATE TABLE `transfers` (
	`id` integer PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`generation` integer DEFAULT 1 NOT NULL,
	`reason` text,
	`dueAt` text,
	`txId` text,
	`version` integer DEFAULT 0 NOT NULL,
	`awaits` integer,
	`cancelRequestedAt` text,
	`deadLetteredAt` text,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `orderItems`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`awaits`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfers_status" CHECK("transfers"."status" IN ('awaiting_wallet', 'queued', 'signed', 'sent', 'mined', 'transferred', 'failed', 'review')),
	CONSTRAINT "transfers_awaits" CHECK(("transfers"."status" = 'awaiting_wallet') = ("transfers"."awaits" IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX `transfers_due` ON `transfers` (`dueAt`) WHERE "transfers"."dueAt" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `transfers_attention` ON `transfers` (`status`,`id`) WHERE "transfers"."status" IN ('awaiting_wallet', 'failed', 'review');--> statement-breakpoint
CREATE INDEX `transfers_awaits` ON `transfers` (`awaits`) WHERE "transfers"."awaits" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `transfers_dead` ON `transfers` (`id`) WHERE "transfers"."deadLetteredAt" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY NOT NULL,
	`approved` integer DEFAULT true NOT NULL,
	`companyUser` integer DEFAULT false NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`ethereumPublicAddr` text DEFAULT '' NOT NULL,
	`identityHash` text NOT NULL,
	`name` text,
	`provider` text NOT NULL,
	`chatServiceId` text,
	`roleId` integer,
	`username` text,
	`viewMode` text DEFAULT 'default' NOT NULL,
	`paymentConnectId` text,
	`payprovExternalId` text,
	`onrampId` text,
	`newsletterAgreement` integer DEFAULT false NOT NULL,
	`locale` text DEFAULT 'en' NOT NULL,
	`approvedAt` text,
	`lastAccessAt` text,
	`onboardedAt` text,
	`removedAt` text,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`ipAddress` text DEFAULT '' NOT NULL,
	`avatarKey` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_identity` ON `users` (`identityHash`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`) WHERE "users"."email" <> '';--> statement-breakpoint
CREATE UNIQUE INDEX `users_wallet` ON `users` (`ethereumPublicAddr`) WHERE "users"."ethereumPublicAddr" <> '';--> statement-breakpoint
CREATE TABLE `walletNonces` (
	`nonce` text PRIMARY KEY NOT NULL,
	`expiresAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `walletNonces_expiry` ON `walletNonces` (`expiresAt`);