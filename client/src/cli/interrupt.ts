const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs something until it ends or Ctrl-C ends it, and returns the exit status. What runs gets a
 * signal that Ctrl-C aborts, and that is aborted in the end, for what goes on in the background. A
 * second Ctrl-C ends the process at once. A terminal that is closed, or a reader of the output that
 * ends, is as Ctrl-C.
 */
export async function untilInterrupted(
  run: (signal: AbortSignal) => Promise<number | undefined>,
  { status }: { status: number },
): Promise<number> {
  const interrupt = new AbortController()
  const stop = () => interrupt.abort()
  for (const signal of SIGNALS) process.once(signal, stop)
  process.stdout.once('error', stop)
  try {
    return (await run(interrupt.signal)) ?? status
  } catch (error) {
    if (interrupt.signal.aborted) return status
    throw error
  } finally {
    interrupt.abort()
    for (const signal of SIGNALS) process.off(signal, stop)
    process.stdout.off('error', stop)
  }
}
