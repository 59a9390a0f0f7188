import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { localAccount, privateKeyOf } from '../../scripts/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../scripts/chain/anvil.ts'
import { deployDelivery } from '../../scripts/chain/delivery.ts'
import { aProject, type Project } from '../support/project.ts'

const relayer = localAccount(0)
const stranger = localAccount(1)

let anvil: Anvil
let project: Project
let delivery: Address

beforeAll(async () => {
  anvil = await startAnvil({ port: 0 })
  project = await aProject()
  // Of another account than that of local development, because its chain has the same id.
  delivery = await deployDelivery(anvil.url, localAccount(6), { relayers: [relayer.address] })
})

afterAll(async () => {
  await anvil.stop()
  await project.remove()
})

type Settings = { chainId?: number; rpcUrl?: string; delivery?: string }

function networkToml(environment: string, name: string, changes: Settings = {}): string {
  const settings = { chainId: 31337, rpcUrl: anvil.url, delivery, ...changes }
  return `[env.${environment}.vars.NETWORKS.${name}]
chainId = ${settings.chainId}
rpcUrls = ["${settings.rpcUrl}"]
delivery = "${settings.delivery}"
finality = 1
`
}

/** Removes the placeholders, and configures these networks instead of those of both environments. */
async function configure(...networks: string[]) {
  const toml = (await readFile('wrangler.toml', 'utf8'))
    .replaceAll(/\[env\.\w+\.vars\.NETWORKS\.\w+\]\n([^\n]+\n)+/g, '')
    .replaceAll('example.com', 'example.org')
    .replaceAll(/"<from[^"]*"/g, '"00000000-0000-0000-0000-000000000000"')
  await writeFile(join(project.folder, 'wrangler.toml'), [toml, ...networks].join('\n'))
}

/** Deploys staging. Without an account, wrangler ends at the migrations. */
const deploy = (...signers: (typeof relayer)[]) =>
  project.run('deploy', ['--env', 'staging'], {
    TRANSFER_SIGNER_KEYS: signers.map(privateKeyOf).join(', '),
    CLOUDFLARE_API_TOKEN: '',
    HOME: project.folder,
  })

it.each(['staging', 'production'])('has a complete configuration for %s', async (environment) => {
  const { out, status } = await project.run('deploy', ['--env', environment, '--dry-run'])
  expect(status).toBe(0)
  const bindings = [
    'DB',
    'AVATARS',
    'DELIVERIES',
    'IMAGES',
    'EMAIL',
    'RATE_LIMIT',
    'AVATAR_LIMIT',
    'NETWORKS',
  ]
  for (const binding of bindings) expect(out).toMatch(new RegExp(`env\\.${binding}\\b`))
})

it.each(['staging', 'production'])(
  'serves %s at the host of PUBLIC_URL only, and keeps query strings out of the log',
  (env) => {
    const { routes, workers_dev, preview_urls, observability, vars } = unstable_readConfig({ env })
    const { host } = new URL(`${vars.PUBLIC_URL}`)
    expect(routes).toEqual([{ pattern: host, custom_domain: true }])
    expect({ workers_dev, preview_urls }).toEqual({ workers_dev: false, preview_urls: false })
    expect(observability).toEqual({ enabled: true, redact_query_string: true })
  },
)

it('does not deploy while the configuration has placeholders, and prints their lines', async () => {
  const { out, errors, status } = await deploy()
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(errors).toMatch(
    /^Replace the placeholders in these lines of wrangler\.toml first:\n {2}\d+: routes/,
  )
  expect(errors).toMatch(/^ {2}\d+: PUBLIC_URL/m)
  expect(errors).toContain('wrangler d1 create marketplace-staging')
  expect(errors).toContain('address of the Delivery contract')
  expect(errors).toContain('The network sepolia was not checked')
  expect(errors).toContain('Set the environment variable TRANSFER_SIGNER_KEYS')
})

it('does not deploy while networks have problems, and prints all of them', async () => {
  const { address } = stranger
  await configure(
    networkToml('staging', 'shared'),
    networkToml('production', 'any', { delivery: delivery.toLowerCase() }),
    networkToml('staging', 'other', { chainId: 1 }),
    networkToml('staging', 'gone', { chainId: 2, rpcUrl: 'http://127.0.0.1:1/secret' }),
    networkToml('staging', 'empty', { delivery: address }),
  )
  const { out, errors, status } = await deploy(relayer, stranger)
  expect({ out, status }).toEqual({ out: '', status: 1 })
  const { host } = new URL(anvil.url)
  expect(errors.trim().split('\n')).toEqual([
    `The contract ${delivery} of shared is also used by production. Deploy one for each environment: the relayers of one could transfer the NFTs of the other.`,
    `The signer ${address} is not a relayer of ${delivery} on shared. Add it: npm run contract -- add-relayer --network shared --env staging --relayer ${address}`,
    `The node of other (${host}) has chain id 31337. Configured is 1.`,
    expect.stringMatching(/^Reading the chain id of gone from 127\.0\.0\.1:1 failed: HTTP/),
    `There is no contract at ${address} on empty.`,
  ])
})

it('goes on to the migrations if there is no problem', async () => {
  await configure(networkToml('staging', 'anvil'))
  const { errors } = await deploy(relayer)
  expect(errors).toMatch(
    /^wrangler d1 migrations apply DB --remote --env staging exited with 1\.$/m,
  )
})
