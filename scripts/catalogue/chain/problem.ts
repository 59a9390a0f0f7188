/** Why a token is not in the output. */

export type ProblemCode =
  /** The contract did not return a URI. */
  | 'uri_missing'
  /** The URI is of a kind that is not read, or points to a host that is not public. */
  | 'uri_invalid'
  /** No server gave the metadata. A later run tries again. */
  | 'metadata_unavailable'
  | 'metadata_invalid'
  | 'metadata_too_large'
  /** There are more pieces than a record can say. */
  | 'amount_too_large'

export type Problem = {
  /** The external id of the NFT. */
  id: string
  field: 'metadata' | 'amount'
  /** The URI of the metadata, or the number of pieces. */
  value: string
  code: ProblemCode
  message: string
}

/** A problem with the metadata of one token. */
export class MetadataError extends Error {
  readonly code: ProblemCode

  constructor(code: ProblemCode, message: string) {
    super(message)
    this.code = code
  }
}
