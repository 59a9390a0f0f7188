/** Verifies a proof with nothing but its file, a node, and the keys that the marketplace publishes. */
import { createReadStream } from 'node:fs'
import { CommandError, defineCommand, requireUrl, UsageError } from './command.ts'
import { printable, readProof, toOrigin } from './proof.ts'
import { checkDelivery } from './proof-chain.ts'
import { checkSigner } from './proof-signature.ts'
import { readText } from './read.ts'

const symbols = { passed: '✓', failed: '✗', unknown: '?' }

/** Bytes. A proof has about 2,000. */
const MAX_PROOF = 1024 * 1024

const FAILED = 1
const UNKNOWN = 3

export const command = defineCommand({
  name: 'verify',
  summary: 'Verifies the proof of a delivery.',
  argument: 'FILE',
  options: {
    rpc: {
      type: 'string',
      value: 'URL',
      required: true,
      help: 'A node of the chain that you trust (Ethereum JSON-RPC).',
    },
    issuer: {
      type: 'string',
      value: 'URL',
      help: 'The marketplace that must have issued it. Default: whoever the proof names',
    },
    keys: {
      type: 'string',
      value: 'URL|FILE',
      help: 'The public keys. Default: /.well-known/proof-jwks.json of the issuer',
    },
  },
  statuses: {
    0: 'The proof is valid.',
    [FAILED]: 'It is not valid, or the file is not a proof.',
    2: 'The options are wrong.',
    [UNKNOWN]: 'It could not be verified: the node or the keys could not be read.',
  },
  run: async ({ rpc, issuer, keys }, file) => {
    requireUrl('--rpc', rpc)
    const expected = { issuer: issuer === undefined ? issuer : readIssuer(issuer), keys }
    const { proof, jws } = readProof(await readProofFile(file), file)
    const { content, orderId, iss } = proof
    const checks = [
      ...(await checkSigner(proof, jws, expected)),
      ...(await checkDelivery(proof, rpc)),
    ]
    const pieces = content.amount === 0 ? 'token' : `${content.amount} × token`
    console.log(`Order ${orderId} of ${iss}:`)
    console.log(`${pieces} ${content.tokenId} of ${content.token} to ${content.to}\n`)
    for (const { name, outcome, says } of checks)
      console.log(`${symbols[outcome]} ${name.padEnd(12)} ${printable(says)}`)
    const outcomes = checks.map(({ outcome }) => outcome)
    if (outcomes.includes('failed')) {
      console.log('\nThe proof is NOT valid.')
      return FAILED
    }
    if (outcomes.includes('unknown')) {
      console.log('\nThe proof could not be verified. Nothing says that it is wrong: try again.')
      return UNKNOWN
    }
    console.log(`\n${explainTrust(iss, issuer)}`)
    return 0
  },
})

/** Says what has to be trusted. */
const explainTrust = (iss: string, issuer: string | undefined) =>
  [
    'The proof is valid. The delivery is on the chain, as your node shows it.',
    `That it belongs to this order is what ${iss} says, with its key.`,
    ...(issuer === undefined
      ? [`Anybody can be ${iss}: use --issuer with the marketplace that you mean.`]
      : []),
  ].join('\n')

function readIssuer(issuer: string): string {
  const origin = toOrigin(issuer)
  if (origin) return origin
  throw new UsageError(
    `--issuer must be a URL without a path, such as https://marketplace.example.com, not "${issuer}".`,
  )
}

async function readProofFile(file: string): Promise<string> {
  try {
    return await readText(createReadStream(file), MAX_PROOF)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${file} cannot be read: ${reason}.`)
  }
}
