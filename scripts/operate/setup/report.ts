/** What all steps of the setup share. */
import type { Environment } from '../cloudflare/environment.ts'

export type Setup = {
  environment: Environment
  isDryRun: boolean
  /** Only a dry run goes on without. It cannot tell then what the account has. */
  isLoggedIn: boolean
  /** Adds something that is to be done by hand before the Worker can be deployed. */
  demand: (sentence: string) => void
  /** Adds something that may be done by hand later. */
  advise: (sentence: string) => void
}

/** Prints what a step found or did. */
export const report = (step: string, text: string) => console.log(`${step.padEnd(14)} ${text}`)

/**
 * Reports what was found, or creates what is missing and reports that. A dry run creates nothing.
 * Returns whether it is there now.
 */
export async function ensure(
  { isDryRun, isLoggedIn }: Setup,
  step: string,
  name: string,
  find: () => Promise<boolean>,
  create: () => Promise<unknown>,
): Promise<boolean> {
  if (!isLoggedIn) {
    report(step, `${name}: would be created unless it exists`)
    return false
  }
  const isThere = await find()
  if (isThere) report(step, `${name}: already there`)
  else if (isDryRun) report(step, `${name}: would be created`)
  else {
    await create()
    report(step, `${name}: created`)
  }
  return isThere || !isDryRun
}
