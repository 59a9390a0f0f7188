/** Divides a catalogue that is too large for one import. */

import { catalogueLimits } from '../../../src/limits.ts'
import { CommandError } from '../../shell/command.ts'

/** What a line of a catalogue is, and whom it names. */
export type Entry = {
  /** From 1. */
  line: number
  type: string | null
  id: string | null
  /** The NFT of a listing. */
  nft?: string | undefined
  /** The creator of an NFT, or the seller of a listing. */
  user?: string | undefined
}

/** The lines of one import. */
export type Part = { lines: ReadonlySet<number>; hasUsersOfNfts: boolean }

/**
 * Returns the imports of a file, in their order: users first, then NFTs, each with its listings, so
 * that nobody sees an NFT with another price than its listing. In a rehearsal the users of an NFT are
 * not stored yet, so its part has them, too. Throws a `CommandError` if an NFT has too many listings.
 */
export function divide(entries: readonly Entry[], isRehearsal: boolean): Part[] {
  if (entries.length <= catalogueLimits.importLines.max)
    return [{ lines: new Set(entries.map(({ line }) => line)), hasUsersOfNfts: false }]
  const users = new Map<string, number>()
  const units = new Map<string, Entry[]>()
  for (const entry of entries)
    if (entry.type === 'user') users.set(entry.id ?? '', entry.line)
    else {
      const nft = entry.nft ?? entry.id ?? ''
      units.set(nft, [...(units.get(nft) ?? []), entry])
    }
  const withUsers = [...units.values()].map((unit) => {
    const named = isRehearsal ? unit.flatMap(({ user }) => users.get(user ?? '') ?? []) : []
    return [...named, ...unit.map(({ line }) => line)]
  })
  return [
    ...pack([...users.values()].map((line) => [line])).map((lines) => ({
      lines,
      hasUsersOfNfts: false,
    })),
    ...pack(withUsers).map((lines) => ({ lines, hasUsersOfNfts: isRehearsal })),
  ]
}

/** Puts as many units into each part as fit. */
function pack(units: readonly number[][]): Set<number>[] {
  const parts: Set<number>[] = []
  for (const unit of units) {
    if (unit.length > catalogueLimits.importLines.max)
      throw new CommandError(`An NFT has more than ${catalogueLimits.importLines.max} listings.`)
    const part = parts.at(-1)
    if (!part || part.size + unit.length > catalogueLimits.importLines.max)
      parts.push(new Set(unit))
    else for (const line of unit) part.add(line)
  }
  return parts
}
