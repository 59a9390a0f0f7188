/** Resolves names for connections that may only lead to public hosts. */
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublic } from '../../../src/http/destination.ts'

/** `lookup` of node:dns. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

export class PrivateAddress extends Error {
  override readonly message = 'must point to a public host'
}

/** Returns a lookup that finds public addresses only. It fails with `PrivateAddress` without one. */
export const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const addresses = found.filter(({ address, family }) =>
        isPublic(family === 6 ? `[${address}]` : address),
      )
      const [first] = addresses
      if (!first) return callback(new PrivateAddress(), [])
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
