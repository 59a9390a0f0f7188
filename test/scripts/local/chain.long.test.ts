import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Anvil, startAnvil } from '../../../scripts/local/chain/anvil.ts'
import { checkNode } from '../../../scripts/local/chain.ts'
import { CommandError } from '../../../scripts/shell/command.ts'
import { aFreePort } from '../../support/project.ts'

let anvil: Anvil

beforeAll(async () => {
  anvil = await startAnvil({ port: 0 })
})

afterAll(() => anvil.stop())

it('accepts a node of a local chain only', async () => {
  await checkNode(anvil.url)
  const port = await aFreePort()
  await expect(checkNode(`http://127.0.0.1:${port}`)).rejects.toEqual(
    new CommandError(`No EVM node responds at RPC_URL (http://127.0.0.1:${port}).`),
  )
  const mainnet = await startAnvil({ port: 0, args: ['--chain-id', '1'] })
  await expect(checkNode(mainnet.url)).rejects.toEqual(
    new CommandError(
      'The node at RPC_URL has chain id 1. The demo needs a local chain with 31337.',
    ),
  )
  await mainnet.stop()
})
