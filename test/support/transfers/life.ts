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
  does: 'fail' | 'die'
}

export type Life = ReturnType<typeof aLife>

const LOST = 'D1_ERROR: Network connection lost.'

export function aLife(mishap?: Mishap) {
  const steps: Step[] = []
  let isAlive = true
  let isMishapDone = false
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
    end('died')
  }

  function befall(): Promise<never> {
    if (mishap?.does === 'fail') throw new Error(LOST)
    die()
    return silence()
  }

  return {
    steps,
    death,
    isAlive: () => isAlive,
    /** Whether the mishap came. */
    isHit: () => isMishapDone,
    /** Runs a step that is waited for. */
    async step<T>(step: Step, act: () => Promise<T>): Promise<T> {
      if (!isAlive) return silence()
      const isHit = meets(step)
      if (isHit && mishap?.when === 'before') return befall()
      const result = await act()
      if (!isAlive) return silence()
      return isHit ? befall() : result
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
