/** `npm run setup` against a stand-in of wrangler with an account of its own. */
import { readFile, stat } from 'node:fs/promises'

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Address } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { localAccount, privateKeyOf } from '../../scripts/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../scripts/chain/anvil.ts'
import { deployDelivery } from '../../scripts/chain/delivery.ts'
import { type AccountProject, anAccountProject } from '../support/wrangler/account.ts'

const relayer = localAccount(0)
const ALL = ['--domain', 'shop.example.org', '--email-from', 'shop@example.org']
const ADMINISTRATOR = ['--administrator', 'Ada@Example.org']

let anvil: Anvil
let project: AccountProject
let delivery: Address
/** As it is in the repository, with one network that has a contract. */
let toml: string

beforeAll(async () => {
  anvil = await startAnvil({ port: 0 })
  delivery = await deployDelivery(anvil.url, localAccount(6), { relayers: [relayer.address] })
  project = await anAccountProject()
  toml = (await readFile('wrangler.toml', 'utf8')).replace(
    /\[env\.staging\.vars\.NETWORKS\.sepolia\]\n([^\n]+\n)+/,
    `[env.staging.vars.NETWORKS.anvil]\nchainId = 31337\nrpcUrls = ["${anvil.url}"]\ndelivery = "${delivery}"\nfinality = 1\n`,
  )
})

afterAll(async () => {
  await anvil.stop()
  await project.remove()
})

const setup = (...args: string[]) =>
  project.run('setup', ['--env', 'staging', ...args], {
    TRANSFER_SIGNER_KEYS: privateKeyOf(relayer),
  })

beforeEach(() => project.reset(toml))

it('makes an empty account live', async () => {
  const r = await setup(...ALL, ...ADMINISTRATOR)
  console.log(r.out, r.errors, r.status)
  const account = await project.read()
  console.log(JSON.stringify(account.commands, null, 1))
})
