/** What all steps of the setup share. */
import type { Environment } from '../cloudflare/environment.ts'

export type Setup = {
  environment: Environment
  isDryRun: boolean
  /** Prints what a step found or did. */
  report: (step: string, text: string) => void
  /** Adds something that is to be done by hand before the Worker can be deployed. */
  demand: (sentence: string) => void
  /** Adds something that may be done by hand later. */
  advise: (sentence: string) => void
}

export const report = (step: string, text: string) => console.log(`${step.padEnd(14)} ${text}`)

/**
 * Reports what was found, or makes what is missing and reports that. A dry run makes nothing.
 * Returns whether it is there now.
 */
export async function ensure(
  { isDryRun, report }: Setup,
  step: string,
  name: string,
  isThere: boolean,
  make: () => Promise<unknown>,
): Promise<boolean> {
  if (isThere) report(step, `${name}: already there`)
  else if (isDryRun) report(step, `${name}: would be created`)
  else {
    await make()
    report(step, `${name}: created`)
  }
  return isThere || !isDryRun
}
