/** The shop under test: a program that the tool starts and kills, or one that runs already. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { CommandError } from '../../client/src/cli/command.ts'
import { post, type Reply } from '../../client/src/cli/message.ts'
import { causeOf } from '../../client/src/errors.ts'
import { wait } from '../../client/src/retry.ts'
import { Finding } from './finding.ts'
import { type Book, parseBooks, type Sale } from './sale.ts'

/** Milliseconds until a shop has to answer after its start. */
const START = 30_000

export type Program = {
  /** The program and its arguments. */
  command: readonly string[]
  env: Record<string, string>
  /** The file for what it prints. */
  log: string
}

export class Shop {
  readonly #url: string
  readonly #program: Program | undefined
  #process: ChildProcess | undefined

  constructor(url: string, program?: Program) {
    this.#url = url.replace(/\/$/, '')
    this.#program = program
  }

  /** Whether it can be killed. */
  get isOurs(): boolean {
    return this.#program !== undefined
  }

  /** Starts the program, and waits until the shop answers. Throws a `CommandError`, or a `Finding`. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#program) this.#process = launch(this.#program)
    for (const end = Date.now() + START; ; ) {
      const reason = await this.books().then(
        () => undefined,
        (error: unknown) => error,
      )
      if (reason === undefined) return
      this.requireRunning()
      if (Date.now() > end) throw reason
      await wait(100, signal)
    }
  }

  /** Throws a `CommandError` if the program has ended by itself. */
  requireRunning() {
    if (this.#process && hasEnded(this.#process))
      throw new CommandError(`Your shop has ended by itself: see ${this.#program?.log}.`)
  }

  /** The same, of a program that may be ending: its connections break before its end is known. */
  async requireAlive(): Promise<void> {
    const program = this.#process
    if (program && !hasEnded(program)) await Promise.race([once(program, 'exit'), wait(500)])
    this.requireRunning()
  }

  /** Ends the program and its children at once. */
  async kill(): Promise<void> {
    const program = this.#process
    this.#process = undefined
    if (!program?.pid || hasEnded(program)) return
    const exit = once(program, 'exit')
    if (process.platform === 'win32') program.kill('SIGKILL')
    else process.kill(-program.pid, 'SIGKILL')
    await exit
  }

  /** Returns the books by number. Throws a `Finding`. */
  async books(): Promise<Map<string, Book>> {
    let text: string
    try {
      const response = await fetch(`${this.#url}/sales`, { signal: AbortSignal.timeout(10_000) })
      if (!response.ok) throw new Error(`it answered ${response.status}`)
      text = await response.text()
    } catch (error) {
      throw new Finding('contract', 'GET /sales does not work.', [
        { what: 'answer of GET /sales', expected: '2xx', found: causeOf(error) },
      ])
    }
    return parseBooks(text)
  }

  sell = (sale: Sale): Promise<void> => this.#order('/sales', sale)

  /** The customer wants the money back. */
  cancel = ({ number }: Sale): Promise<void> => this.#order(`/sales/${number}/cancel`)

  /** The shop compares its books with the marketplace. */
  reconcile = (): Promise<void> => this.#order('/reconcile')

  receive(headers: Record<string, string>, body: string): Promise<Reply> {
    return post(`${this.#url}/webhooks`, { headers, body })
  }

  async #order(path: string, body: object = {}): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const { error } = await post(this.#url + path, { headers, body: JSON.stringify(body) })
    if (error)
      throw new Finding('contract', `POST ${path} was not accepted.`, [
        { what: 'answer', expected: '2xx', found: error },
      ])
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

function launch({ command: [name = '', ...args], env, log }: Program): ChildProcess {
  const output = openSync(log, 'a')
  // A group of its own, so that children of a shell end with it.
  const child = spawn(name, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    detached: process.platform !== 'win32',
  })
  child.on('error', () => {})
  if (child.pid === undefined) throw new CommandError(`${name} cannot be started.`)
  return child
}
