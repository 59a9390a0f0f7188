import { describe, expect, it } from 'vitest'
import { randomHex, webhookSecret } from '../../src/events/secret.ts'

describe('a secret', () => {
  const settings = { DELIVERY_KEY_SECRET: '07'.repeat(32) }
  const secretId = '00112233445566778899aabbccddeeff'

  it('is 32 bytes that follow from its id and DELIVERY_KEY_SECRET', async () => {
    const secret = await webhookSecret(settings, secretId)
    expect(secret).toBe('whsec_dgRM/1GpBkAOt8/97TN+TTD+5cDKwk96mFG4MjX9TZY=')
    expect(secret).not.toBe(await webhookSecret({ DELIVERY_KEY_SECRET: '08'.repeat(32) }, secretId))
    expect(secret).not.toBe(await webhookSecret(settings, secretId.replace('f', 'e')))
  })

  it('has an id of 32 random digits', () => {
    expect(randomHex()).toMatch(/^[0-9a-f]{32}$/)
    expect(randomHex()).not.toBe(randomHex())
  })
})
