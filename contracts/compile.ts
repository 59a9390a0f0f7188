/**
 * `npm run contract:compile`: compiles the contracts of this folder and writes what is made from them.
 * `--check` only compares, `--standard-json` prints the input that explorers verify a source with.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Abi } from 'viem'
import { CommandError, defineCommand, start } from '../scripts/shell/command.ts'
import { type Compilation, compile, compilerVersion, standardInput } from './solidity.ts'

const SOURCE = 'contracts/Delivery.sol'
/** For local chains only. */
const OUTCOMES = 'contracts/OutcomeToken.sol'
/** For `eth_call` only. */
const TRIAL = 'contracts/Trial.sol'

/**
 * `paris` also runs on chains without PUSH0 and costs 22 gas an item more than `shanghai`. `viaIR`
 * saves 600 gas an item. `runs` saves another 480, for 440,000 more at deployment, against 200.
 */
const settings = {
  evmVersion: 'paris',
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
}

/** Small, because each call of a node carries it. */
const trialSettings = { ...settings, optimizer: { enabled: true, runs: 1 } }

export const command = defineCommand(
  {
    name: 'npm run contract:compile',
    purpose: 'Compiles the contracts, and writes their artifacts and the ABIs for viem.',
    options: {
      check: { help: 'Only fail if a file is out of date.' },
      'standard-json': { help: `Only print the input with which explorers verify ${SOURCE}.` },
    },
    example: 'npm run contract:compile',
  },
  async ({ check, 'standard-json': standardJson }) => {
    const compilation = compile({ [SOURCE]: await readFile(SOURCE, 'utf8') }, settings)
    if (standardJson) {
      console.log(JSON.stringify(standardInput(compilation.sources, settings, [SOURCE]), null, 2))
      return
    }
    const outcomes = compile({ [OUTCOMES]: await readFile(OUTCOMES, 'utf8') }, settings)
    const trial = compile({ [TRIAL]: await readFile(TRIAL, 'utf8') }, trialSettings)
    const files = { ...filesFrom(compilation), ...tokenFile(outcomes), ...trialFile(trial) }
    if (check) return checkUpToDate(files)
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
  },
)

/** The content of every generated file, by path. */
function filesFrom({ contracts, sources }: Compilation): Record<string, string> {
  const { Delivery } = contracts
  if (!Delivery) throw new CommandError(`${SOURCE} has no contract Delivery.`)
  const { abi, bytecode, deployedBytecode, immutableRanges } = Delivery
  return {
    'contracts/Delivery.json': artifactText('Delivery', SOURCE, sources, {
      abi,
      bytecode,
      deployedBytecode,
      immutableRanges,
    }),
    'contracts/relayer-abi.ts': abiModule('What the Worker uses of the Delivery contract.', [
      'export const relayerAbi = [',
      ...abi.filter(isForRelayer).map(itemLine),
    ]),
    'contracts/delivery-abi.ts': abiModule('The ABI of the Delivery contract, for viem.', [
      "import { relayerAbi } from './relayer-abi.ts'\n",
      'export const deliveryAbi = [\n  ...relayerAbi,',
      ...abi.filter((item) => !isForRelayer(item)).map(itemLine),
    ]),
  }
}

function tokenFile({ contracts: { OutcomeToken }, sources }: Compilation) {
  if (!OutcomeToken) throw new CommandError(`${OUTCOMES} has no contract OutcomeToken.`)
  const { bytecode } = OutcomeToken
  return {
    'contracts/OutcomeToken.json': artifactText('OutcomeToken', OUTCOMES, sources, { bytecode }),
  }
}

function trialFile({ contracts: { Trial } }: Compilation) {
  if (!Trial) throw new CommandError(`${TRIAL} has no contract Trial.`)
  const isRun = (item: Abi[number]) => 'name' in item && item.name === 'run'
  return {
    'contracts/trial.ts': [
      `// biome-ignore-all format: written by contracts/compile.ts from ${TRIAL}`,
      '/** Tries deliveries in a node. */',
      `export const trialCode = '${Trial.deployedBytecode}'\n`,
      'export const trialAbi = [',
      ...Trial.abi.filter(isRun).map(itemLine),
      '] as const',
      '',
    ].join('\n'),
  }
}

function artifactText(
  contractName: string,
  sourceName: string,
  sources: Compilation['sources'],
  contract: Partial<Compilation['contracts'][string]>,
): string {
  const artifact = {
    contractName,
    sourceName,
    compiler: { version: compilerVersion, settings },
    sourcesSha256: Object.fromEntries(
      Object.entries(sources).map(([name, text]) => [name, sha256(text)]),
    ),
    ...contract,
  }
  return `${JSON.stringify(artifact, null, 2)}\n`
}

/** What the Worker calls and reads. Scripts of the owner use the rest. */
const relayerNames = [
  ...['deliver', 'records', 'paused', 'retired', 'predecessor', 'owner', 'pendingOwner'],
  ...['relayerList', 'relayerLimit', 'tokenLimit', 'handOvers'],
  ...['Delivered', 'Cancelled', 'DeliveryFailed'],
  ...['RelayerSet', 'TokenLimitSet', 'HandOverAnnounced'],
]
const isForRelayer = (item: Abi[number]) =>
  item.type === 'error' || ('name' in item && relayerNames.includes(item.name))

const itemLine = (item: Abi[number]): string => {
  const withoutSolidityTypes = (key: string, value: unknown) =>
    key === 'internalType' ? undefined : value
  return `  ${JSON.stringify(item, withoutSolidityTypes)},`
}

/** A module with items of the ABI as a constant, an item a line. */
const abiModule = (description: string, lines: readonly string[]): string =>
  [
    `// biome-ignore-all format: written by contracts/compile.ts from ${SOURCE}`,
    `/** ${description} */`,
    ...lines,
    '] as const',
    '',
  ].join('\n')

async function checkUpToDate(files: Record<string, string>): Promise<void> {
  const found = await Promise.all(
    Object.keys(files).map((path) => readFile(path, 'utf8').catch(() => undefined)),
  )
  const stale = Object.keys(files).filter((path, i) => found[i] !== files[path])
  if (stale.length > 0)
    throw new CommandError(
      `Not what the contracts compile to: ${stale.join(', ')}. Run \`npm run contract:compile\`.`,
    )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

if (import.meta.main) await start(command)
