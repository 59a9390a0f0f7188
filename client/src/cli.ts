#!/usr/bin/env node
/** The commands of the package: `npx marketplace <command>`. */
import type { Command } from './cli/command.ts'
import { runCommand } from './cli/run.ts'

const commands: Command[] = []

process.exitCode = await runCommand(commands, process.argv.slice(2))
