/** Lines of the log that say that a run, a job or a request ended with an error of its own. */
import { onTestFinished, vi } from 'vitest'

const FAILURES = /"event":"(delivery_run_failed|cron_job_failed|request_failed|wake_up_failed)"/

/** Returns a list to which such lines are added until the end of the test. */
export function recordFailures(): string[] {
  const lines: string[] = []
  const write = console.error
  const spy = vi.spyOn(console, 'error').mockImplementation((line: unknown) => {
    if (FAILURES.test(`${line}`)) lines.push(`${line}`)
    write(line)
  })
  onTestFinished(() => spy.mockRestore())
  return lines
}
