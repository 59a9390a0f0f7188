import { describe, expect, it } from 'vitest'
import { webhookSecret, webhookSignature } from '../../src/events/secret.ts'

describe('a secret', () => {
  const settings = { DELIVERY_KEY_SECRET: '07'.repeat(32) }
  const secretId = '00112233445566778899aabbccddeeff'

  it('is 32 bytes that follow from its id and DELIVERY_KEY_SECRET', async () => {
    const secret = await webhookSecret(settings, secretId)
    expect(secret).toBe('whsec_dgRM/1GpBkAOt8/97TN+TTD+5cDKwk96mFG4MjX9TZY=')
    expect(secret).not.toBe(await webhookSecret({ DELIVERY_KEY_SECRET: '08'.repeat(32) }, secretId))
    expect(secret).not.toBe(await webhookSecret(settings, secretId.replace('f', 'e')))
  })

  it('signs as the example of Standard Webhooks', async () => {
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: '1614265330',
      body: '{"test": 2432232314}',
    }
    expect(await webhookSignature('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })
})
