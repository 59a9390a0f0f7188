import * as z from 'zod'
import { count, id, text } from '../../http/fields.ts'
import type { EndpointInfos } from '../../http/openapi.ts'
import { MESSAGE_LIFETIME } from '../../identity/wallet.ts'

const tag = 'Identity'

export const walletEndpoints = {
  'POST /sign-in/wallet/message': {
    tag,
    operationId: 'requestWalletMessage',
    summary: 'Request a message for a wallet to sign (EIP-4361)',
    description: `It works for ${MESSAGE_LIFETIME / 60_000} minutes, in the same browser: the response sets the cookie \`wallet\`, which the next call must send.`,
    answer: z
      .object({ message: text('The message to sign.') })
      .meta({ id: 'WalletMessage', description: 'The message for the wallet.' }),
  },
  'POST /sign-in/wallet': {
    tag,
    operationId: 'signInWithWallet',
    summary: 'Sign in with a wallet',
    description: 'A new wallet creates a user. The session is the cookie `token`.',
    answer: z
      .object({ userId: id('The id of the signed-in user.') })
      .meta({ id: 'SignedIn', description: 'The user who signed in.' }),
    errors: ['unauthenticated', 'forbidden', 'chain_unavailable'],
  },
  'POST /settings/account/wallet': {
    tag,
    operationId: 'linkWallet',
    summary: 'Link a wallet to the account',
    description:
      'Starts the transfers that waited for a wallet. The sign-in must not be older than 10 minutes.',
    answer: z
      .object({
        userId: id('The id of the signed-in user.'),
        transfers: count('How many order items waited for the wallet and are transferred now.'),
      })
      .meta({ id: 'LinkedWallet', description: 'The wallet is linked.' }),
    errors: ['forbidden', 'reauthentication_required', 'conflict', 'chain_unavailable'],
  },
} satisfies EndpointInfos
