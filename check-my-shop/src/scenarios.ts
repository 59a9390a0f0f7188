/** All scenarios, in the order in which they run. */
import { UsageError } from '../../client/src/cli/command.ts'
import type { Scenario } from './scenario.ts'
import { again } from './scenarios/again.ts'
import { calls, plain } from './scenarios/calls.ts'
import { denials } from './scenarios/denied.ts'
import { foreign } from './scenarios/foreign.ts'
import { instance } from './scenarios/instance.ts'
import { kills } from './scenarios/kills.ts'
import { messages } from './scenarios/messages.ts'
import { refunds } from './scenarios/refunds.ts'
import { terms } from './scenarios/terms.ts'

const scenarios: readonly Scenario[] = [
  plain,
  ...calls,
  ...denials,
  ...terms,
  ...messages,
  ...foreign,
  ...refunds,
  ...kills,
  ...instance,
  again,
]

export const scenarioNames = scenarios.map(({ name }) => name).join(', ')

/** Returns the scenarios with these names, or all. */
export function chooseScenarios(names: readonly string[] | undefined): readonly Scenario[] {
  const unknown = names?.find((name) => scenarios.every((scenario) => scenario.name !== name))
  if (unknown)
    throw new UsageError(`There is no scenario "${unknown}". There are: ${scenarioNames}.`)
  return names ? scenarios.filter(({ name }) => names.includes(name)) : scenarios
}
