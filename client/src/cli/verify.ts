/** Verifies a proof with nothing but its file, a node, and the keys that the marketplace publishes. */
import { readFile } from 'node:fs/promises'
import { CommandError, defineCommand, requireUrl } from './command.ts'
import { type Check, type Proof, printable, readProof } from './proof.ts'
import { checkDelivery } from './proof-chain.ts'
import { checkIssuer, checkSignature } from './proof-signature.ts'

const symbols = { passed: '✓', failed: '✗', skipped: '–' }

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
  run: async ({ rpc, issuer, keys }, file) => {
    requireUrl('--rpc', rpc)
    const { proof, jws } = readProof(await readText(file), file)
    const { content, orderId } = proof
    const iss = printable(proof.iss)
    const checks: Check[] = [
      ...(issuer === undefined ? [] : [checkIssuer(proof, issuer)]),
      await checkSignature(proof, jws, keys),
      ...(await checkDelivery(proof, rpc)),
    ]
    const pieces = content.amount === 0 ? 'token' : `${content.amount} × token`
    console.log(`Order ${orderId} of ${iss}:`)
    console.log(`${pieces} ${content.tokenId} of ${content.token} to ${content.to}\n`)
    for (const { name, outcome, says } of checks)
      console.log(`${symbols[outcome]} ${name.padEnd(12)} ${printable(says)}`)
    const isValid = checks.every(({ outcome }) => outcome !== 'failed')
    console.log(`\n${isValid ? explainTrust(proof, issuer) : 'The proof is NOT valid.'}`)
    return isValid ? 0 : 1
  },
})

/** Says what has to be trusted. */
function explainTrust({ transaction, contract, ...proof }: Proof, issuer: string | undefined) {
  const delivery = transaction
    ? 'The delivery is on the chain, as your node shows it.'
    : `That the NFT was delivered says ${contract}, as your node shows it.`
  return [
    `The proof is valid. ${delivery}`,
    `That it belongs to this order is what ${printable(proof.iss)} says, with its key.`,
    ...(issuer === undefined ? ['Is that the marketplace that you mean? --issuer checks it.'] : []),
  ].join('\n')
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${String(error)}`)
  }
}
