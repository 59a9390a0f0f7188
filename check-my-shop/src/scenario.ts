import type { Run } from './run.ts'

export type Scenario = {
  name: string
  /** What happens to the shop. */
  says: string
  /** `kill`: the tool has to have started the shop. `dev`: the instance has to be `npm run dev`. */
  needs?: 'kill' | 'dev'
  /** Whether no other scenario may run at the same time. */
  isAlone?: true
  /** Throws a `Finding`, or `Skipped`. */
  run: (run: Run) => Promise<void>
}

/** The instance lacks something. The message says what. */
export class Skipped extends Error {}
