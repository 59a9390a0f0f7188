import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { readConfig } from '../../scripts/operate/cloudflare/environment.ts'
import { LEASE } from '../../src/delivery/store/lease.ts'
import { type Limit, requestLimits } from '../../src/limits.ts'

const RateLimit = z.object({
  name: z.string(),
  simple: z.object({ limit: z.number(), period: z.literal(60) }),
})

/** What is of one environment only. */
const OWN = /^(name|main|compatibility_\w+|upload_\w+|keep_vars|routes|workers_dev|preview_urls)$/
const NAMES = /^(database_name|database_id|bucket_name|queue|namespace_id|max_batch_timeout)$/

/** The settings of an environment, or of local development, as lines without names of resources. */
function settingsOf(environment: string): string[] {
  let section = ''
  return readFileSync('wrangler.toml', 'utf8')
    .split('\n')
    .flatMap((line) => {
      section = /^\[+([^\]]+)\]/.exec(line)?.[1] ?? section
      const [, key = '', value] = /^(\w+) = (.*)$/.exec(line) ?? []
      const prefix = environment ? `env.${environment}` : ''
      const isHere = prefix ? `${section}.`.startsWith(`${prefix}.`) : !section.startsWith('env.')
      const place = prefix ? section.slice(prefix.length + 1) : section
      if (!isHere || !value || place.startsWith('vars') || (!place && OWN.test(key))) return []
      return [`${place} ${key} = ${NAMES.test(key) ? 'its own' : value}`]
    })
    .sort()
}

it.each(['staging', 'production'])('%s has every setting of local development', (environment) => {
  expect(settingsOf(environment)).toEqual(settingsOf(''))
})

it.each(['staging', 'production'])('%s sends nothing to its own machine', (environment) => {
  const { vars, main } = readConfig(environment)
  expect(vars).not.toHaveProperty('LOOPBACK_HOSTS')
  expect(main).toMatch(/\/src\/worker\.ts$/)
})

it.each(['staging', 'production'])(
  '%s has a cache only in front of what everybody may read',
  (environment) => {
    const { cache, exports } = readConfig(environment)
    expect({ cache, exports }).toEqual({
      cache: undefined,
      exports: { CachedReads: { type: 'worker', cache: { enabled: true } } },
    })
    expect(readFileSync('src/worker.ts', 'utf8')).toContain('export class CachedReads extends')
  },
)

it('lets a delivery run and its last step use all of their time', () => {
  const [, duration = ''] =
    /MAX_DURATION = (\S+)/.exec(readFileSync('src/delivery/run.ts', 'utf8')) ?? []
  const { limits } = readConfig('production')
  expect(limits).toEqual({ cpu_ms: Number(duration.replace('_', '')) + LEASE })
})

it.each(['staging', 'production'])(
  '%s has the rate limits of the table of limits',
  (environment) => {
    const limits: Limit[] = Object.values(requestLimits)
    const expected = limits.flatMap(({ binding, max }) => (binding ? { binding, limit: max } : []))
    const { ratelimits } = z
      .object({ ratelimits: z.array(RateLimit) })
      .parse(readConfig(environment))
    const bound = ratelimits.map(({ name, simple }) => ({ binding: name, limit: simple.limit }))
    expect(bound).toEqual(expected)
  },
)
