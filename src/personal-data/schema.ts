/** The data of a person, as responses show it. These schemas are allow-lists. */
import * as z from 'zod'
import { addressTexts, addressTimes } from '../addresses/schema.ts'
import { proposalKinds, proposalStates } from '../db/schema/creators.ts'
import { addresses, tokenRoles, tokenScopes, tokens } from '../db/schema/users.ts'
import { webhookFields } from '../events/schema.ts'
import { bool, count, id, model, orNull, text, time } from '../http/fields.ts'
import { Order, OrderSummary } from '../orders/reading/schema.ts'
import { PersonFields } from '../orders/reading/viewer.ts'

const timeOrNull = (description: string) => orNull(time(description))

export const PersonRecord = PersonFields.extend({
  externalId: orNull(text('Id in the catalogue.')),
  language: orNull(text('The language that the person has chosen, ISO 639-1.')),
  shopUrl: orNull(text('Where their listings are bought, in the catalogue.')),
  walletChainId: count('Chain of a wallet that is a contract; 0 for a wallet with a key.'),
  walletProvedByFactory: bool('Whether the contract was not deployed when it signed last.'),
  hadWallet: bool('Whether a wallet was unlinked from the account.'),
  identityHash: text(
    'Hash of the first wallet or e-mail address that the user proved. Namespaces of tokens have it.',
  ),
  avatarUrl: z.url().describe('URL of the avatar, or of the default picture.'),
  wantsNoMails: bool('Whether no mails about orders are sent to the e-mail address.'),
}).meta({ id: 'Person', description: 'The account of a person.' })

export const BookEntry = model('BookEntry', 'An address of a person.', () => ({
  id: id('Id of the address.'),
  kind: z.enum(addresses.kind.enumValues).describe('Kind of address.'),
  origin: z
    .enum(addresses.origin.enumValues)
    .describe('Where it is from: a request, an order of a shop, or an order of a seller.'),
  ...addressTexts,
  isDefault: bool('Whether it is the default of its kind.'),
  ...addressTimes,
}))

export const ExportedToken = model(
  'TokenRecord',
  'What is stored of a token. The token itself is not.',
  () => ({
    id: text('Id of the token, its claim `jti`.'),
    kind: z.enum(tokens.kind.enumValues).describe('API token, or session of a browser.'),
    role: z.enum(tokenRoles).describe('Whether it acts for its user, or for all.'),
    scope: z.enum(tokenScopes).describe('What it may do.'),
    name: text('Name of the token.'),
    namespace: text('Order numbers are unique within it.'),
    createdAt: text('Time of creation, to the second.'),
    expiresAt: text('Time when it expires, to the second.'),
    lastUsedAt: timeOrNull('Time of the last use.'),
    revokedAt: timeOrNull('Time of revocation; null if it was not revoked.'),
    rolledAt: timeOrNull('Time when a successor was made.'),
    browser: orNull(text('Browser of the session.')),
    country: orNull(text('Country of the session, ISO 3166-1 alpha-2.')),
  }),
)

export const MailLink = model(
  'MailLink',
  'A mailed link of the last 15 minutes, without its secret.',
  () => ({
    email: text('Address to which the link was sent.'),
    client: text('Who asked for it, as rate limits count clients: an IP address or network.'),
    createdAt: time('Time of creation.'),
    expiresAt: time('Time when it expires.'),
  }),
)

export const PhoneLink = model(
  'PhoneLink',
  'A code by which a phone has proved a wallet, without its secret.',
  () => ({
    wallet: orNull(text('The wallet that was proved; null before.')),
    expiresAt: time('Time when it expires.'),
  }),
)

const WebhookRecord = model('WebhookRecord', 'A webhook endpoint, without its secret.', () => {
  const { userId, enabled, disabledReason, previousSecretUntil, ...fields } = webhookFields
  return fields
})

export const DownloadRecord = model(
  'DownloadRecord',
  'How often the person has loaded a file of an NFT in a day.',
  () => ({
    day: text('The day, of UTC.'),
    nftId: id('Id of the NFT.'),
    name: text('Name of the file.'),
    count: count('Number of downloads.'),
  }),
)

export const ProposalRecord = model(
  'ProposalRecord',
  'What the person wants to list, or to change of it, until it is approved.',
  () => ({
    kind: z.enum(proposalKinds).describe('What it is.'),
    subjectId: id('Id of the NFT or the listing.'),
    state: z.enum(proposalStates).describe('`draft` until it is published.'),
    fields: z
      .record(z.string(), z.unknown())
      .describe('What would change of what is on sale. Empty for what is new.'),
    reason: orNull(text('Why it was rejected.')),
    submittedAt: time('When it was sent.'),
  }),
)

export const MintPermissionRecord = model(
  'MintPermissionRecord',
  'A contract of which the person may list what is minted.',
  () => ({
    network: text('The network.'),
    contract: text('The address of the contract.'),
    createdAt: time('When an administrator has permitted it.'),
  }),
)

export const ReportRecord = model(
  'ReportRecord',
  'What the person said of an NFT that is not its creator’s.',
  () => ({
    nftId: id('Id of the NFT.'),
    text: text('What the person said.'),
    createdAt: time('When the person said it.'),
  }),
)

export const AdministratorAction = model(
  'AdministratorAction',
  'What the person did as an administrator.',
  () => ({
    at: time('Time of the action.'),
    tokenName: orNull(text('Name of the API token; null for a session.')),
    action: text('What was done, such as `transfer.retry`.'),
    subject: orNull(text('Id of what it was done to.')),
    details: z.record(z.string(), z.unknown()).nullable().describe('More about it.'),
  }),
)

export const PersonalData = model('PersonalData', 'What the instance stores of a person.', () => ({
  user: PersonRecord,
  addresses: z.array(BookEntry).describe('All addresses, deleted ones too.'),
  tokens: z.array(ExportedToken).describe('API tokens and sessions.'),
  mailLinks: z.array(MailLink).describe('Mailed links.'),
  phoneLinks: z.array(PhoneLink).describe('Codes for a phone.'),
  webhooks: z.array(WebhookRecord).describe('Webhook endpoints.'),
  downloads: z.array(DownloadRecord).describe('Downloads of the last 90 days.'),
  proposals: z
    .array(ProposalRecord)
    .describe('What waits to be approved, drafts and what was rejected.'),
  mintPermissions: z.array(MintPermissionRecord).describe('Contracts that mint for the person.'),
  reports: z.array(ReportRecord).describe('Reports about NFTs.'),
  actions: z.array(AdministratorAction).describe('Entries of the audit log.'),
  orders: z
    .array(Order)
    .describe(
      'Orders that the person bought or sold, newest first, as a token of the person reads them.',
    ),
  summaries: z
    .array(OrderSummary)
    .describe(
      'Summaries of these orders, with what the shops have told besides: `custom`, `paid`.',
    ),
  nextCursor: orNull(text('The next `cursor`; null on the last page.')),
}))

export const ForgottenUser = model('ForgottenUser', 'An account without personal data.', () => ({
  id: id('Id of the user.'),
  removedAt: time('Time when the account was closed.'),
}))
