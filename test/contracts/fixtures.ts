/** Hostile contracts, and what tests call of them and of tokens. */
import { readdirSync, readFileSync } from 'node:fs'
import { parseAbi } from 'viem'
import { compile } from '../../contracts/solidity.ts'

/** By number, as in `enum Answer` of the fixtures. */
export const ANSWERS = [
  'accepts',
  'refuses',
  'burns all gas',
  'reverts with 100 KB',
  'returns 100 KB',
  'burns gas unless the gas price is 0',
  'accepts after 1,500,000 gas',
] as const

export type Answer = (typeof ANSWERS)[number]

export const tokenAbi = parseAbi([
  'function mint(address to)',
  'function mint(address to, uint256 id, uint256 amount, bytes data)',
  'function grantRole(bytes32 role, address account)',
  'function transferOwnership(address newOwner)',
  'function owner() view returns (address)',
  'function setApprovalForAll(address operator, bool approved)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function balanceOf(address account, uint256 id) view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
])

export const hookAbi = parseAbi([
  'function setAnswer(uint8 answer)',
  'function setLies(bool lies)',
  'function setStandard(bytes4 standard)',
  'function addCall(address target, bytes data)',
  'function run(address target, bytes data)',
  'function succeeded() view returns (uint256)',
])

const optimizer = { enabled: true, runs: 200 }

/** Returns a function that compiles the contracts of a folder, once in each process. */
function compilerOf(folder: string) {
  let compiled: ReturnType<typeof compile>['contracts'] | undefined
  return () => {
    if (compiled) return compiled
    const sources = Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]),
    )
    compiled = compile(sources, { evmVersion: 'paris', viaIR: false, optimizer }).contracts
    return compiled
  }
}

/** Returns the compiled fixtures by name. */
export const compileFixtures = compilerOf('test/contracts/fixtures')

/** Returns tokens of packages by name. */
export const compilePackages = compilerOf('test/contracts/packages')
