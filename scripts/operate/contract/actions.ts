/** The actions of `npm run contract`. */
import { CommandError } from '../../shell/command.ts'
import { auditContract } from './audit.ts'
import { type Change, describeChange, parseChange, sendChange } from './changes.ts'
import { openContract, readOwner } from './delivery.ts'
import { deployContract } from './deploy.ts'
import { findNetwork, type Network, parseAddress } from './networks.ts'
import { connect } from './node.ts'
import { refuseQuantities } from './sales.ts'
import { describeContract, describeToken, showStatus } from './status.ts'

type Action = 'deploy' | 'status' | 'audit' | Parameters<typeof parseChange>[0]
type Options = Parameters<typeof deployContract>[1] &
  Parameters<typeof showStatus>[1] &
  Parameters<typeof auditContract>[1] & { network: string; print: boolean }

export async function runAction(action: Action, options: Options): Promise<void> {
  const network = findNetwork(options.network, options.env)
  switch (action) {
    case 'deploy':
      return deployContract(network, options)
    case 'status':
      return showStatus(network, options)
    case 'audit':
      return auditContract(network, options)
    default: {
      const change = parseChange(action, options)
      if (action === 'set-token-limit' && change.args[1] !== 0n)
        await refuseQuantities(network, parseAddress('--token', options.token))
      return options.print
        ? console.log(describeChange(network, change).join('\n'))
        : send(network, change, options.token)
    }
  }
}

/** Sends one transaction, then shows the state of the contract. */
async function send(network: Network, change: Change, token: string | undefined): Promise<void> {
  const account = readOwner()
  const node = await connect(network)
  const contract = await openContract(node, network)
  if (change.functionName === 'setRelayer' && change.args[1] === 0n) {
    const relayer = parseAddress('--relayer', `${change.args[0]}`)
    const { isSet } = await contract.read.relayerLimit([relayer])
    if (!isSet) throw new CommandError(`${relayer} is no relayer of the contract.`)
  }
  console.log(`transaction  ${await sendChange(node, contract.address, account, change)}`)
  for (const line of await describeContract(node, contract)) console.log(line)
  if (token === undefined) return
  const lines = await describeToken(contract, parseAddress('--token', token))
  console.log(['token', ...lines].join('\n'))
}
