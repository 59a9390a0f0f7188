#!/usr/bin/env node
/** The commands of the package: `npx marketplace <command>`. */
import type { Command } from './cli/command.ts'
import { command as listen } from './cli/listen.ts'
import { runCommand } from './cli/run.ts'
import { command as trigger } from './cli/trigger.ts'

const commands: Command[] = [listen, trigger]

// Who reads the output may end before: what runs is interrupted then (`untilInterrupted`).
process.stdout.on('error', () => {})

process.exitCode = await runCommand(commands, process.argv.slice(2))
