#!/usr/bin/env node
/** The commands of the package: `npx marketplace <command>`. */
import { command as checkMyShop } from './cli/check-my-shop.ts'
import type { Command } from './cli/command.ts'
import { command as listen } from './cli/listen.ts'
import { runCommand } from './cli/run.ts'

const commands: Command[] = [listen, checkMyShop]

process.exitCode = await runCommand(commands, process.argv.slice(2))
