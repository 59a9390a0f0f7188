/**
 * One run of the Worker, seen as the steps it takes towards the outside: trips to D1, requests to
 * the node, messages sent, acknowledgements. At any of them it may fail, or be killed: then
 * nothing that it does any more has an effect, and nothing that it waits for comes.
 */

export type Step = { kind: 'd1' | 'rpc' | 'send' | 'ack'; what: string }

export type Mishap = {
  /** The step's position, from 0, or what its kind and content match: the first that does. */
  step: number | RegExp
  /** Whether the step still has its effect, of which the run then does not learn. */
  when: 'before' | 'after'
  does: 'fail' | 'die' | Stall
}

/** A run that stands still at a step, until it is woken and goes on as if nothing had been. */
export class Stall {
  reach: () => void = () => {}
  wake: () => void = () => {}
  /** Whether a run stands still. */
  readonly reached = new Promise<void>((resolve) => {
    this.reach = resolve
  })
  readonly woken = new Promise<void>((resolve) => {
    this.wake = resolve
  })
}

/** Who may take a step when several runs work at the same time. */
export type Turns = {
  enter(run: object): void
  leave(run: object): void
  take<T>(run: object, act: () => Promise<T>): Promise<T>
}

/** Everybody at any time. */
const freely: Turns = { enter() {}, leave() {}, take: (_, act) => act() }

export type Life = ReturnType<typeof aLife>

/** The message of the error of a step that fails. */
export const LOST = 'D1_ERROR: Network connection lost.'

export function aLife(mishap?: Mishap, turns: Turns = freely) {
  const self = {}
  const steps: Step[] = []
  let isAlive = true
  let isMishapDone = false
  let hasEnded = false
  let end: (how: 'died') => void = () => {}
  const death = new Promise<'died'>((resolve) => {
    end = resolve
  })
  const silence = () => new Promise<never>(() => {})

  /** Whether the mishap comes at this step. */
  function meets(step: Step): boolean {
    const position = steps.push(step) - 1
    if (!mishap || isMishapDone) return false
    isMishapDone =
      typeof mishap.step === 'number'
        ? mishap.step === position
        : mishap.step.test(`${step.kind} ${step.what}`)
    return isMishapDone
  }

  function die() {
    isAlive = false
    turns.leave(self)
    end('died')
  }

  async function befall(): Promise<void> {
    if (mishap?.does instanceof Stall) {
      turns.leave(self)
      mishap.does.reach()
      await mishap.does.woken
      // A run that has not waited for this step may be over.
      if (!hasEnded) turns.enter(self)
      return
    }
    if (mishap?.does === 'fail') throw new Error(LOST)
    die()
    await silence()
  }

  turns.enter(self)

  return {
    steps,
    death,
    isAlive: () => isAlive,
    /** Whether the mishap came. */
    isHit: () => isMishapDone,
    /** The run has come to its end. */
    end() {
      hasEnded = true
      turns.leave(self)
    },
    /** Runs a step that is waited for. */
    async step<T>(step: Step, act: () => Promise<T>): Promise<T> {
      if (!isAlive) return silence()
      const isHit = meets(step)
      if (isHit && mishap?.when === 'before') await befall()
      // It may be killed while it waits for its turn.
      const outcome = await turns.take(self, async () => isAlive && { result: await act() })
      if (!isAlive || !outcome) return silence()
      if (isHit && mishap?.when === 'after') await befall()
      return outcome.result
    },
    /** Runs a step that cannot fail and is not waited for. */
    mark(step: Step, act: () => void): void {
      if (!isAlive) return
      const dies = meets(step) && mishap?.does === 'die'
      if (!dies || mishap.when === 'after') act()
      if (dies) die()
    },
  }
}
