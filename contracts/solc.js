#!/usr/bin/env node
/** The compiler of the npm package `solc`, with the two options of its native binary that Foundry uses. */
import { text } from 'node:stream/consumers'
import solc from 'solc'

const isVersionAsked = process.argv.includes('--version')
console.log(isVersionAsked ? `Version: ${solc.version()}` : solc.compile(await text(process.stdin)))
