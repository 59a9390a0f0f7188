import type { Guard } from './guard.ts'

/** How people get into an account, and how a thief does not. */
export const signIn: Guard[] = [
  {
    name: 'a wallet must have signed the message',
    code: 'src/identity/wallet.ts: verifyWalletMessage',
    broken: { condition: 'isSignedBy', becomes: true },
    test: 'test/identity/contract-wallet.test.ts: accepts a signature that the contract accepts, and rejects another',
  },
  {
    name: 'a contract wallet must accept the signature',
    code: 'src/ethereum/wallet-signature.ts: contractSignature',
    broken: { condition: 'accepted', becomes: true },
    test: 'test/identity/contract-wallet.test.ts: accepts a signature that the contract accepts, and rejects another',
  },
  {
    name: 'a contract wallet is another account on another chain',
    code: 'src/identity/sign-in.ts: signIn',
    broken: { condition: 'users.walletChainId', becomes: true },
    test: 'test/identity/contract-wallet.test.ts: signs in although the account of its address on another chain is closed',
  },
  {
    name: 'a factory proves no wallet that is deployed',
    code: 'src/identity/wallet.ts: verifyWalletMessage',
    broken: { condition: 'isUndeployed', becomes: true },
    test: 'test/delivery/undeployed-wallets.test.ts: without code, if it had some when it signed',
  },
  {
    name: 'a signed message works once',
    code: 'src/identity/wallet.ts: verifyWalletMessage',
    broken: { condition: 'EXISTS', becomes: false },
    test: 'test/identity/wallet.test.ts: was used before',
  },
  {
    name: 'a signed message works only in the browser that requested it',
    code: 'src/identity/wallet.ts: verifyWalletMessage',
    broken: { condition: 'hashSecret', becomes: false },
    test: 'test/identity/wallet.test.ts: was requested by another browser',
  },
  {
    name: 'a signed message must be the one that the site wrote',
    code: 'src/identity/wallet.ts: verifyWalletMessage',
    broken: { condition: 'writeMessage', becomes: false },
    test: 'test/identity/wallet.test.ts: is for linking the wallet to an account',
  },
  {
    name: 'a mailed link works once',
    code: 'src/identity/email-link.ts: proveEmail',
    broken: { condition: 'notExists', becomes: false },
    test: 'test/identity/email-link.test.ts: accepts a link only once',
  },
  {
    name: 'a mailed link expires',
    code: 'src/identity/email-link.ts: isLive',
    broken: { condition: 'expiresAt', becomes: true },
    test: 'test/identity/email-link.test.ts: rejects a link after 15 minutes',
  },
  {
    name: 'the database has only the hash of a mailed secret',
    code: 'src/identity/sign-in.ts: hashSecret',
    broken: { call: 'sha256' },
    test: 'test/identity/email-link.test.ts: stores only the hash of the secret',
  },
  {
    name: 'a link adds an address only to the account that asked for it',
    code: 'src/identity/email-link.ts: isLive',
    broken: { condition: 'emailLinks.userId', becomes: true },
    test: 'test/identity/link.test.ts: links an address only in a session of the user who requested the link',
  },
  {
    name: 'a closed account stays closed',
    code: 'src/identity/sign-in.ts: signIn',
    broken: { condition: 'removedAt', becomes: false },
    test: 'test/identity/email-link.test.ts: rejects a closed account',
  },
  {
    name: 'a stolen session does not become access that stays',
    code: 'src/auth/session.ts: refuseOldSignIn',
    broken: { condition: 'notExists', becomes: false },
    test: 'test/identity/step-up.test.ts: requires a recent sign-in for asking for a link, and for opening it',
  },
  {
    name: 'scripts cannot read the session cookie',
    code: 'src/auth/session.ts: cookie',
    broken: { without: 'httpOnly' },
    test: 'test/identity/wallet.test.ts: sets the session cookie with HttpOnly',
  },
  {
    name: 'tokens are shown to their owner only',
    code: 'src/identity/api-tokens.ts: isOwnToken',
    broken: { condition: 'userId', becomes: true },
    test: 'test/identity/api-tokens.test.ts: shows and revokes a token only for its owner',
  },
  {
    name: 'only administrators generate master tokens',
    code: 'src/identity/api-tokens.ts: generateToken',
    broken: { condition: 'role master', becomes: false },
    test: 'test/identity/api-tokens.test.ts: generates master tokens only for administrators',
  },
  {
    name: 'a sign-in leads to allowed sites only',
    code: 'src/pages/sign-in/redirect.ts: allowedRedirect',
    broken: { condition: 'allowed', becomes: true },
    test: 'test/pages/sign-in.test.ts: redirects after sign-in only to allowed sites',
  },
  {
    name: 'an account that more than an order has used is not taken over',
    code: 'src/identity/guests.ts: selectGuests',
    broken: { condition: 'isGuestSql', becomes: true },
    test: 'test/identity/guest.test.ts: is not taken over by a user who adds its address if it',
  },
  {
    name: 'an operator corrects no address that somebody has proved',
    code: 'src/identity/correct-email.ts: correctEmail',
    broken: { condition: 'NOT EXISTS', becomes: false },
    test: 'test/admin/details.test.ts: changes nothing if the address or the guest is not as it was',
  },
  {
    name: 'an account that is more than a buyer is joined to no other',
    code: 'src/identity/join.ts: joinAccounts',
    broken: { condition: 'isMoreThanBuyerSql', becomes: false },
    test: 'test/pages/claim.test.ts: joins no accounts if',
  },
  {
    name: 'a code for a phone ends',
    code: 'src/identity/phone-link.ts: isLive',
    broken: { condition: 'expiresAt', becomes: true },
    test: 'test/pages/phone.test.ts: ends a code with the next one, after ten minutes',
  },
  {
    name: 'the link of an order tells nobody else about it',
    code: 'src/pages/claim/claim.ts: readClaim',
    broken: { condition: 'hasSecret account', becomes: true },
    test: 'test/pages/claim.test.ts: shows who has no secret the sign-in alone',
  },
  {
    name: 'a token of the API ends no mails, and the link in a mail is no token',
    code: 'src/auth/tokens.ts: verifyOptOut',
    broken: { without: 'audience' },
    test: 'test/order-mails/send.test.ts: is no token of the API, and a token of the API is no such link',
  },
]
