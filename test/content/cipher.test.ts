import { expect, it } from 'vitest'
import { generators } from '../../scripts/operate/keys/generate.ts'
import { hashCodes, openCodes, sealCodes } from '../../src/content/cipher.ts'

const newKey = async () => JSON.parse(await generators.CODE_KEYS()).keys[0]
const withKeys = (...keys: object[]) => ({ CODE_KEYS: { keys: keys as never } })

it('opens what it has sealed, also after a new key was put in front', async () => {
  const [old, young] = [await newKey(), await newKey()]
  const texts = ['A-1', 'Reihe 4, Platz 11 „Ü“', 'x'.repeat(200)]
  const sealed = await sealCodes(withKeys(old), 7, texts)
  expect(await openCodes(withKeys(young, old), 7, sealed)).toEqual(texts)
  const [newest = ''] = await sealCodes(withKeys(young, old), 7, ['A-1'])
  expect(newest.startsWith(`${young.kid}.`)).toBe(true)
  await expect(openCodes(withKeys(old), 7, [newest])).rejects.toThrow(
    `CODE_KEYS has no key ${young.kid}`,
  )
})

it('opens no text that was changed, or moved to another NFT, and seals none twice alike', async () => {
  const keys = withKeys(await newKey())
  const [first = '', second] = await sealCodes(keys, 7, ['A-1', 'A-1'])
  expect(first).not.toBe(second)
  await expect(openCodes(keys, 8, [first])).rejects.toThrow()
  const changed = first.slice(0, -2) + (first.at(-2) === 'A' ? 'B' : 'A') + first.at(-1)
  await expect(openCodes(keys, 7, [changed])).rejects.toThrow()
})

it('finds the same code by its hash, which is another one with another secret', async () => {
  const secret = (byte: string) => ({ DELIVERY_KEY_SECRET: byte.repeat(32) })
  const [first, second] = await hashCodes(secret('07'), ['A-1', 'A-2'])
  expect(await hashCodes(secret('07'), ['A-2', 'A-1'])).toEqual([second, first])
  expect(await hashCodes(secret('08'), ['A-1'])).not.toEqual([first])
})
