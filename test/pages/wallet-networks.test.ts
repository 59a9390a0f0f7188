import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { readSettings } from '../../src/env.ts'
import { ageSession, anEmail, aVisitor, signInByEmail } from '../support/visitor.ts'

const polygon = {
  chainId: 137,
  rpcUrls: ['https://nodes.example/polygon/SECRET-KEY'],
  delivery: '0x0116686E2291dbd5e317F47faDBFb43B599786Ef',
  finality: 'finalized',
  maxFeePerGasGwei: 500,
  maxPriorityFeePerGasGwei: 50,
}
const addable = {
  ...polygon,
  explorerUrl: 'https://polygonscan.example',
  name: 'Polygon',
  walletRpcUrl: 'https://polygon-rpc.example/',
  nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
}

const withNetworks = (NETWORKS: Record<string, unknown>) =>
  ({ NETWORKS: JSON.stringify(NETWORKS) }) as unknown as Partial<Env>

const networksOn = (page: string): unknown =>
  JSON.parse((/data-networks="([^"]*)"/.exec(page)?.[1] ?? 'null').replaceAll('&quot;', '"'))

it('gives wallets what they need to add a chain', async () => {
  const env = withNetworks({ polygon: addable, amoy: { ...polygon, chainId: 80002 } })
  const page = await (await aVisitor().get('/sign-in', { env })).text()
  expect(networksOn(page)).toEqual([
    {
      chainId: 137,
      name: 'Polygon',
      addition: {
        chainId: '0x89',
        chainName: 'Polygon',
        rpcUrls: ['https://polygon-rpc.example/'],
        nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
        blockExplorerUrls: ['https://polygonscan.example'],
      },
    },
    { chainId: 80002, name: 'amoy', addition: null },
  ])
})

it('shows the URLs of the nodes on no page, because they may hold keys', async () => {
  const env = withNetworks({ polygon: addable })
  const visitor = aVisitor()
  await signInByEmail(visitor, anEmail())
  const read = async (who: typeof visitor, path: string) => (await who.get(path, { env })).text()
  const pages = [
    await read(aVisitor(), '/sign-in'),
    await read(visitor, '/settings/account'),
    await read(visitor, '/nowhere'),
  ]
  await ageSession(visitor, 11)
  pages.push(await read(visitor, '/settings/account'), await read(visitor, '/sign-in/again'))
  for (const page of pages) {
    expect(page).toContain('<!doctype html>')
    expect(page).not.toContain('SECRET-KEY')
    expect(page).not.toContain('nodes.example')
  }
})

it('names the setting that is missing to add a chain', () => {
  const { walletRpcUrl: _, ...incomplete } = addable
  expect(() => readSettings({ ...env, ...withNetworks({ polygon: incomplete }) })).toThrow(
    'NETWORKS.polygon.walletRpcUrl: set all of name, walletRpcUrl, nativeCurrency, or none',
  )
})
