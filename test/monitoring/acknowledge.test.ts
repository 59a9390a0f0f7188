/** `POST /api/admin/alarms/{key}/acknowledge`. The alarms themselves: test/monitoring/thefts.test.ts. */
import { beforeEach, expect, it } from 'vitest'
import { auditLog, findings } from '../../src/db/schema/operations.ts'
import { call } from '../support/api.ts'
import { aMasterToken, db } from '../support/makers.ts'

const KEY = 'contract_changed:31337'

beforeEach(async () => {
  for (const table of [findings, auditLog]) await db.delete(table)
})

async function aFinding(key = KEY): Promise<number> {
  const finding = { chainId: 31337, key, detail: 'It was changed.', nodes: [0], seenAt: '2026' }
  const [row] = await db.insert(findings).values(finding).returning()
  return row?.id ?? 0
}

const acknowledge = async (json: unknown, key = KEY) =>
  call('POST', `/api/admin/alarms/${key}/acknowledge`, { token: await aMasterToken(), json })

/** The ids of what is not acknowledged. */
const open = async () =>
  (await db.select().from(findings)).flatMap(({ id, acknowledgedAt }) => (acknowledgedAt ? [] : id))

it('acknowledges what was found up to the version, of this alarm', async () => {
  const [first, version] = [await aFinding(), await aFinding()]
  const others = [await aFinding('contract_changed:5'), await aFinding()]
  expect(first).toBeLessThan(version)
  const response = await acknowledge({ version })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ acknowledged: { key: KEY, version } })
  expect(await open()).toEqual(others)
})

it('changes and records nothing when it is repeated', async () => {
  const version = await aFinding()
  await acknowledge({ version })
  const [before] = await db.select().from(findings)
  expect((await acknowledge({ version })).status).toBe(200)
  expect(await db.select().from(findings)).toEqual([before])
  expect(await db.select().from(auditLog)).toMatchObject([
    { action: 'alarm.acknowledge', subject: KEY, details: { version } },
  ])
})

it.each<[string, (version: number) => number, string]>([
  ['a key that no alarm has', (version) => version, 'contract_changed:6'],
  ['an alarm that ends by itself', (version) => version, 'signer_low:31337:0x1'],
  ['a version that is not told yet', (version) => version + 1, KEY],
])('answers 404 for %s', async (_, claim, key) => {
  const version = await aFinding()
  const response = await acknowledge({ version: claim(version) }, key)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({
    code: 'not_found',
    error: 'there is no alarm with this key and version',
  })
  expect(await open()).toEqual([version])
})
