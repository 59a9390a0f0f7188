/** Runs scenarios, and prints a line for each. */
import { Finding } from './finding.ts'
import type { Run } from './run.ts'
import { type Scenario, Skipped } from './scenario.ts'
import { plain } from './scenarios/calls.ts'

export type Options = {
  /** The instance. */
  url: string
  /** The file with what the shop prints. */
  log: string
}

/** Returns the number of findings. */
export async function report(
  run: Run,
  scenarios: readonly Scenario[],
  { url, log }: Options,
): Promise<number> {
  const start = Date.now()
  const results = { pass: 0, finding: 0, skipped: 0 }
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  const isDev = await run.open()
  const play = async (scenario: Scenario) => {
    const outcome = await playOne(run, scenario, isDev)
    const result = outcome instanceof Finding ? 'finding' : outcome ? 'skipped' : 'pass'
    results[result]++
    console.log(`${result.padEnd(7)}  ${scenario.name.padEnd(width)}  ${scenario.says}`)
    const indent = ' '.repeat(9)
    if (outcome instanceof Finding) {
      for (const line of outcome.lines) console.log(`${indent}${line}`)
      console.log(`${indent}→ ${outcome.change}\n${indent}  ${url}${outcome.guide}`)
    } else if (outcome) console.log(`${indent}${outcome.message}`)
    return result
  }
  const isFirst = (scenario: Scenario) => scenario === plain
  const rest = scenarios.filter((scenario) => !isFirst(scenario))
  const isUsable = !scenarios.some(isFirst) || (await play(plain)) !== 'finding'
  if (isUsable) {
    await Promise.all(rest.filter(({ isAlone }) => !isAlone).map(play))
    for (const scenario of rest.filter(({ isAlone }) => isAlone)) await play(scenario)
  } else console.log('The other scenarios need a shop that passes this one.')
  if (run.marketplace.isNodeMissing) {
    results.skipped++
    const says = `no node at ${run.marketplace.rpcUrl}: give --rpc`
    console.log(`skipped  ${'wallets'.padEnd(width)}  ${says}`)
  }
  await run.close()
  const counts = `${results.pass} passed, ${results.finding} findings, ${results.skipped} skipped`
  console.log(`${counts} in ${Math.round((Date.now() - start) / 1000)} s`)
  if (results.finding > 0) console.log(`What your shop has printed: ${log}`)
  return results.finding
}

/** Returns why a scenario did not pass. Throws what is no finding, such as that the instance is gone. */
async function playOne(run: Run, scenario: Scenario, isDev: boolean) {
  const { needs } = scenario
  if (needs === 'dev' && !isDev) return new Skipped('The instance is not `npm run dev`.')
  if (needs === 'kill' && !run.shop.isOurs) return new Skipped('The tool did not start the shop.')
  try {
    await scenario.run(run)
    return undefined
  } catch (error) {
    await run.shop.requireAlive()
    if (error instanceof Finding || error instanceof Skipped) return error
    throw error
  }
}
