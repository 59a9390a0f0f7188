/** Messages to receivers, signed with the package `standardwebhooks`. */
import { runInNewContext } from 'node:vm'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../../client/src/index.ts'

const secret = `whsec_${btoa('a secret of thirty-two bytes ...')}`
const otherSecret = `whsec_${btoa('another secret of thirty bytes')}`
const event = {
  type: 'webhook.test',
  timestamp: '2026-03-02T09:02:00.000Z',
  data: { message: 'Zażółć', challenge: 'c1' },
}
const body = JSON.stringify(event)
const id = 'evt_1772442120000000'

/** Returns the headers of a message that was signed so many seconds ago. */
function sign({ age = 0, text = body, key = secret } = {}) {
  const at = new Date(Date.now() - age * 1000)
  return {
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
    'webhook-signature': new Webhook(key).sign(id, at, text),
  }
}

describe('returns the event with its id', () => {
  const bytes = Uint8Array.from(new TextEncoder().encode(body))
  const inAnotherContext: Uint8Array = runInNewContext('new Uint8Array(bytes)', { bytes })

  it.each([
    ['text', body],
    ['bytes', bytes],
    ['an ArrayBuffer', bytes.buffer],
    ['a part of a buffer', Buffer.from(`xx${body}xx`).subarray(2, -2)],
    ['bytes of another context', inAnotherContext],
  ])('of a body that is %s', async (_, content) => {
    expect(await verifyWebhook(content, sign(), secret)).toEqual({ id, ...event })
  })

  it.each([
    ['Headers', new Headers(sign())],
    [
      'headers with capital letters',
      Object.fromEntries(
        Object.entries(sign()).map(([name, value]) => [name.toUpperCase(), value]),
      ),
    ],
    [
      'lists of values, as `headersDistinct` of Node',
      Object.fromEntries(Object.entries(sign()).map(([name, value]) => [name, [value]])),
    ],
  ])('from %s', async (_, headers) => {
    expect(await verifyWebhook(body, headers, secret)).toEqual({ id, ...event })
  })

  it('if one of several signatures is right', async () => {
    const signatures = [otherSecret, secret].map((key) => sign({ key })['webhook-signature'])
    const headers = { ...sign(), 'webhook-signature': `v1a,AAAA ${signatures.join(' ')}` }
    expect(await verifyWebhook(body, headers, secret)).toEqual({ id, ...event })
  })

  it.each([-295, 295])('if it was signed %i seconds ago', async (age) => {
    expect(await verifyWebhook(body, sign({ age }), secret)).toEqual({ id, ...event })
  })
})

describe('rejects', () => {
  const signature = sign()['webhook-signature']
  const reject = (code: string, call: Promise<unknown>) =>
    expect(call).rejects.toMatchObject({ name: 'WebhookVerificationError', code })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'a message without %s',
    (name) =>
      reject('invalid_headers', verifyWebhook(body, { ...sign(), [name]: undefined }, secret)),
  )

  it.each([
    ['of another secret', sign({ key: otherSecret })],
    ['of another body', sign({ text: '{}' })],
    ['of another message', { ...sign(), 'webhook-id': 'evt_2' }],
    ['of another time', { ...sign({ age: 60 }), 'webhook-signature': signature }],
    ['that is not base64', { ...sign(), 'webhook-signature': 'v1,ä' }],
  ])('a signature %s', (_, headers) =>
    reject('wrong_signature', verifyWebhook(body, headers, secret)),
  )

  it('an old message', () => reject('too_old', verifyWebhook(body, sign({ age: 305 }), secret)))

  it('a message from the future', () =>
    reject('too_new', verifyWebhook(body, sign({ age: -305 }), secret)))

  it.each(['', 'whsec_', 'whsec_ä', secret.slice(6)])('the secret "%s"', (wrong) =>
    reject('invalid_secret', verifyWebhook(body, sign(), wrong)),
  )

  it('a secret that is not set', () =>
    reject('invalid_secret', verifyWebhook(body, sign(), undefined as unknown as string)))

  it('a body that was parsed already', () =>
    reject('invalid_body', verifyWebhook(event as unknown as string, sign(), secret)))

  it.each(['', 'null', '[]', '{}', '{'])('a body that is no event: %s', (text) =>
    reject('invalid_body', verifyWebhook(text, sign({ text }), secret)),
  )
})
