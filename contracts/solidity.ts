/** The Solidity compiler, run in this process. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import solc from 'solc'
import type { Abi, Hex } from 'viem'
import * as z from 'zod'
import { CommandError } from '../scripts/shell/command.ts'

/** Source text by the name under which it is compiled, such as `contracts/Delivery.sol`. */
export type Sources = Record<string, string>

/** What `settings` of the compiler's standard JSON input may say, but for `outputSelection`. */
export type Settings = {
  evmVersion: string
  viaIR: boolean
  optimizer: { enabled: boolean; runs: number }
}

type ByteRange = { start: number; length: number }

export type CompiledContract = {
  abi: Abi
  /** Creation code. Constructor arguments are appended to it. */
  bytecode: Hex
  /** Runtime code, with zeros where immutable values go. */
  deployedBytecode: Hex
  /** Where immutable values go in the runtime code. */
  immutableRanges: ByteRange[]
}

export type Compilation = {
  /** By contract name. */
  contracts: Record<string, CompiledContract>
  /** The given sources and everything that they import. */
  sources: Sources
}

const code = z.object({ object: z.string().transform((hex): Hex => `0x${hex}`) })
const byteRange = z.object({ start: z.number(), length: z.number() })

const outputSchema = z.object({
  errors: z
    .array(
      z.object({
        severity: z.string(),
        formattedMessage: z.string(),
        sourceLocation: z.object({ file: z.string() }).optional(),
      }),
    )
    .default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.custom<Abi>(Array.isArray),
          evm: z.object({
            bytecode: code,
            deployedBytecode: code.extend({
              immutableReferences: z.record(z.string(), z.array(byteRange)).default({}),
            }),
          }),
        }),
      ),
    )
    .default({}),
})

const OUTPUT = [
  'abi',
  'evm.bytecode.object',
  'evm.deployedBytecode.object',
  'evm.deployedBytecode.immutableReferences',
]

/** The version of the compiler, with its commit. */
export const compilerVersion: string = solc.version()

/**
 * Compiles the contracts of the given sources. Throws a `CommandError` with the compiler's messages if
 * there are any, warnings about the given sources included. Warnings about imports are ignored.
 * `importer`: the file or URL whose node_modules the imports come from.
 */
export function compile(
  sources: Sources,
  settings: Settings,
  importer: string = import.meta.url,
): Compilation {
  const all = { ...sources }
  const { resolve } = createRequire(importer)
  const input = standardInput(sources, settings, Object.keys(sources))
  const readImport = (name: string) => {
    try {
      all[name] = readFileSync(resolve(name), 'utf8')
      return { contents: all[name] }
    } catch {
      return { error: `${name} is not in node_modules` }
    }
  }
  const answer: string = solc.compile(JSON.stringify(input), { import: readImport })
  const { errors, contracts } = outputSchema.parse(JSON.parse(answer))
  const problems = errors.filter(
    ({ severity, sourceLocation: { file } = { file: '' } }) =>
      severity === 'error' || !(file in all) || file in sources,
  )
  if (problems.length > 0)
    throw new CommandError(problems.map((problem) => problem.formattedMessage).join('\n'))
  return {
    contracts: Object.fromEntries(
      Object.values(contracts).flatMap((ofOneSource) =>
        Object.entries(ofOneSource).map(([name, { abi, evm }]) => [
          name,
          {
            abi,
            bytecode: evm.bytecode.object,
            deployedBytecode: evm.deployedBytecode.object,
            immutableRanges: Object.values(evm.deployedBytecode.immutableReferences).flat(),
          },
        ]),
      ),
    ),
    sources: all,
  }
}

/**
 * The compiler's standard JSON input, as explorers take it to verify a contract's source.
 * `wanted` names the sources whose contracts are compiled; the others are only there for import.
 */
export function standardInput(sources: Sources, settings: Settings, wanted: readonly string[]) {
  return {
    language: 'Solidity',
    sources: Object.fromEntries(
      Object.entries(sources).map(([name, content]) => [name, { content }]),
    ),
    settings: {
      ...settings,
      outputSelection: Object.fromEntries(wanted.map((name) => [name, { '*': OUTPUT }])),
    },
  }
}
