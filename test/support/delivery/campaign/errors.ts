/** Errors of the Worker that no fault explains. */
import { onTestFinished, vi } from 'vitest'
import { LOST } from '../life.ts'

/** Events of a run, a job or a request that ended with an error of its own. */
const FAILURES = /"event":"(delivery_run_failed|cron_job_failed|request_failed|wake_up_failed)"/

/** Returns a list to which such lines of the log are added until the end of the test. */
export function unexpectedErrors(): string[] {
  const lines: string[] = []
  const write = console.error
  const spy = vi.spyOn(console, 'error').mockImplementation((line: unknown) => {
    if (FAILURES.test(`${line}`) && !`${line}`.includes(LOST)) lines.push(`${line}`)
    write(line)
  })
  onTestFinished(() => spy.mockRestore())
  return lines
}
