#!/usr/bin/env node
/** The commands of the package: `npx marketplace <command>`. */
import type { Command } from './cli/command.ts'
import { runCommand } from './cli/run.ts'
import { command as trigger } from './cli/trigger.ts'

const commands: Command[] = [trigger]

process.exitCode = await runCommand(commands, process.argv.slice(2))
