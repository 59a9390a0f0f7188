/** Hostile contracts, and what tests call of them. */
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAbi } from 'viem'
import { installPackages } from '../install.ts'
import { type Contracts, compileOnce } from './compiled.ts'

/** By number, as in `enum Answer` of the fixtures. */
export const ANSWERS = [
  'accepts',
  'refuses',
  'burns all gas',
  'reverts with 100 KB',
  'returns 100 KB',
  'burns gas unless the gas price is 0',
  'accepts after 1,500,000 gas',
] as const

export type Answer = (typeof ANSWERS)[number]

export const hookAbi = parseAbi([
  'function setAnswer(uint8 answer)',
  'function setLies(bool lies)',
  'function setStandard(bytes4 standard)',
  'function addCall(address target, bytes data)',
  'function run(address target, bytes data)',
  'function succeeded() view returns (uint256)',
])

/**
 * Compiles the contracts of a folder. `importer`: as that of `compile`. With the optimizer it takes three
 * times as long.
 */
function compileFolder(
  folder: string,
  isOptimized: boolean,
  importer?: string,
): Promise<Contracts> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol'))
  const sources = Object.fromEntries(
    names.map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]),
  )
  const optimizer = { enabled: isOptimized, runs: 200 }
  const settings = { evmVersion: 'paris', viaIR: false, optimizer }
  return compileOnce(sources, settings, importer)
}

let fixtures: Promise<Contracts> | undefined
/** Returns the compiled fixtures by name. */
export const compileFixtures = () => (fixtures ??= compileFolder('test/contracts/fixtures', false))

const PACKAGES = 'test/support/chain/packages'

let ofPackages: Promise<Contracts> | undefined
/** Returns tokens and wallets of packages by name. Installs the packages once in each process. */
export const compilePackages = () => (ofPackages ??= installAndCompile())

async function installAndCompile(): Promise<Contracts> {
  const installed = await installPackages(PACKAGES)
  try {
    return await compileFolder(PACKAGES, true, join(installed, 'package.json'))
  } finally {
    await rm(installed, { recursive: true })
  }
}
