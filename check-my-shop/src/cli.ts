#!/usr/bin/env node
/** The command of the package. */
import { checkMyShop } from './check-my-shop.ts'

// Who reads the output may end before: what runs is interrupted then (`untilInterrupted`).
process.stdout.on('error', () => {})

process.exitCode = await checkMyShop(process.argv.slice(2))
