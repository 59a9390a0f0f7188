/** Cloudflare Turnstile keeps programs from asking for mails, if the operator has set its keys. */
import type { Settings } from '../../env.ts'
import { tryLater } from '../../http/errors.ts'
import { log } from '../../log.ts'
import { SECOND } from '../../time.ts'

/** Shows the check in each element of the class `cf-turnstile`, and adds its answer to the form. */
export const TURNSTILE_SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js'
const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

const TIMEOUT = 5 * SECOND

/**
 * Returns whether the form was sent by a person. `response` is the field `cf-turnstile-response`.
 * Throws `try_later` if the service does not answer.
 */
export async function isHuman(
  { TURNSTILE_SECRET: secret }: Pick<Settings, 'TURNSTILE_SECRET'>,
  response: string,
): Promise<boolean> {
  if (!secret) return true
  if (!response) return false
  try {
    const answer = await fetch(VERIFY_URL, {
      method: 'POST',
      body: new URLSearchParams({ secret, response }),
      signal: AbortSignal.timeout(TIMEOUT),
    })
    const { success } = await answer.json<{ success?: unknown }>()
    return success === true
  } catch (error) {
    log.error('turnstile_unavailable', { error })
    throw tryLater('the check that you are a person does not answer')
  }
}
