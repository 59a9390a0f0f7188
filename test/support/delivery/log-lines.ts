/** What the engine logs during a test. */
import { afterEach, beforeEach, expect, vi } from 'vitest'

type LogLine = Record<string, unknown> & { event: string }

/** Accounts of the operator, also in texts of alarms, hashes, and links to the runbook. They may be logged. */
const PUBLIC_FIELDS = ['signer', 'contract', 'hash', 'replaces', 'subject', 'detail', 'runbookUrl']

/**
 * Records the lines that each test of the file logs, and checks after it that they have no wallets,
 * no URLs and no raw bytes. Returns the lines with an event name, without that name and version.
 */
export function recordLogs(): (event: string) => Record<string, unknown>[] {
  let lines: LogLine[] = []
  let spies: { mockRestore(): void }[] = []
  beforeEach(() => {
    lines = []
    spies = (['log', 'error'] as const).map((method) => {
      const write = console[method]
      return vi.spyOn(console, method).mockImplementation((line: string) => {
        lines.push(JSON.parse(line))
        write(line)
      })
    })
  })
  afterEach(() => {
    for (const spy of spies) spy.mockRestore()
    for (const line of lines) {
      const fields = Object.entries(line).filter(([name]) => !PUBLIC_FIELDS.includes(name))
      expect(JSON.stringify(fields)).not.toMatch(/0x[0-9a-f]{20}|https?:/i)
    }
  })
  return (event) =>
    lines.flatMap(({ event: name, version, ...fields }) => (name === event ? [fields] : []))
}
