#!/usr/bin/env node
/** The commands of the package: `npx marketplace <command>`. */
import type { Command } from './cli/command.ts'
import { runCommand } from './cli/run.ts'
import { command as trigger } from './cli/trigger.ts'
import { command as verify } from './cli/verify.ts'

const commands: Command[] = [trigger, verify]

process.exitCode = await runCommand(commands, process.argv.slice(2))
