import type { Guard } from './guard.ts'

/** That each item is delivered once and paid for once: keys, leases, finality, proofs and fees. */
export const delivery: Guard[] = [
  {
    name: 'the delivery key depends on the namespace',
    code: 'src/delivery/key.ts: makeKeys',
    broken: { without: 'namespace' },
    test: 'test/delivery/key.test.ts: returns another key for another namespace',
  },
  {
    name: 'the delivery key of an order number stays the same',
    code: 'src/delivery/key.ts: makeKeys',
    broken: { condition: 'providerId', becomes: true },
    test: 'test/delivery/key.test.ts: has the same key when it is lost and placed again',
  },
  {
    name: 'one run works on a chain at a time',
    code: 'src/delivery/store/lease.ts: takeChainLease',
    broken: { condition: 'leaseUntil at', becomes: true },
    test: 'test/delivery/run.test.ts: lets one of two runs work',
  },
  {
    name: 'a run that has lost its lease writes nothing',
    code: 'src/delivery/store/lease.ts: guardsOf',
    broken: { condition: 'lease', becomes: true },
    test: 'test/delivery/step.test.ts: writes nothing for a run whose lease another run has taken',
  },
  {
    name: 'an item is transferred only in a final block',
    code: 'src/delivery/rules/decide.ts: decide',
    broken: { condition: 'receipt.blockNumber final.number', becomes: false },
    test: 'test/delivery/finality.test.ts: transfers an item when its block is the third newest',
  },
  {
    name: 'a key that the chain has is not delivered again',
    code: 'src/delivery/compare.ts: sortByRecord',
    broken: { condition: 'block', becomes: true },
    test: 'test/delivery/finality.test.ts: does not sign a delivery that a block has that is not final',
  },
  {
    name: 'a transaction must have the transfer event of its item',
    code: 'src/delivery/rules/settle.ts: settleUse',
    broken: { condition: 'takeTransfer', becomes: true },
    test: 'test/delivery/decide.test.ts: fails when the token recorded no transfer',
  },
  {
    name: 'a transfer that only one node shows is not believed',
    code: 'src/delivery/rules/settle.ts: settleUse',
    broken: { condition: 'doubtful transfer', becomes: false },
    test: 'test/delivery/decide.test.ts: waits while only one node has the event of its transfer',
  },
  {
    name: 'a receipt that only one node has needs a record',
    code: 'src/delivery/rules/decide.ts: close',
    broken: { condition: 'unconfirmed', becomes: false },
    test: 'test/delivery/decide.test.ts: ends by a receipt that only one node has only if a record proves it, and never fails by it',
  },
  {
    name: 'an expired transaction is given up only by the time of a final block',
    code: 'src/delivery/rules/decide.ts: decide',
    broken: { condition: 'deadline final.timestamp', becomes: true },
    test: 'test/delivery/decide.test.ts: may still be mined if only a block that is not final is after its deadline',
  },
  {
    name: 'the pieces of a cancelled item return to the stock once',
    code: 'src/delivery/rules/delivery-changes.ts: cancel',
    broken: { condition: 'hasReturnedPieces', becomes: true },
    test: 'test/delivery/decide.test.ts: is cancelled when its key was used up, and its pieces return once',
  },
  {
    name: 'a step changes an item only from a state that the transition begins with',
    code: 'src/delivery/transitions.ts: isAsRead',
    broken: { condition: 'instr', becomes: true },
    test: 'test/delivery/step.test.ts: makes no transition that does not begin with the state of the item, and tells none',
  },
  {
    name: 'a contract wallet gets nothing on another chain',
    code: 'src/ethereum/token.ts: isOnChain',
    broken: { condition: 'chainId', becomes: true },
    test: 'test/delivery/contract-wallets.test.ts: gets nothing, even if an account or a contract has its address',
  },
  {
    name: 'a contract wallet without code gets nothing, unless its factory has proved it',
    code: 'src/delivery/store/load.ts: selectDeliveriesFrom',
    broken: { condition: 'walletProvedByFactory', becomes: true },
    test: 'test/delivery/undeployed-wallets.test.ts: without code, if it had some when it signed',
  },
  {
    name: 'fees stay below the cap',
    code: 'src/ethereum/fees.ts: firstFees',
    broken: { condition: 'baseFee', becomes: false },
    test: 'test/ethereum/fees.test.ts: the first fees',
  },
  {
    name: 'what all nodes have to say is open while one is silent',
    code: 'src/chain/claims.ts: believe',
    broken: { condition: 'given length told', becomes: true },
    test: 'test/chain/claims.test.ts: answered',
  },
  {
    name: 'a no of one node is enough where all have to say yes',
    code: 'src/chain/claims.ts: believe',
    broken: { condition: 'given includes false', becomes: false },
    test: 'test/chain/claims.test.ts: answered',
  },
  {
    name: 'one of two nodes does not stop a sale',
    code: 'src/delivery/chain/diagnose.ts: diagnose',
    broken: { condition: 'two null', becomes: true },
    test: 'test/delivery/stop-sales.test.ts: not if one of two nodes has made up what the token says',
  },
  {
    name: 'what three transactions carried without effect waits for an operator',
    code: 'src/delivery/rules/compose.ts: sortDeliveries',
    broken: { condition: 'withoutEffect', becomes: false },
    test: 'test/monitoring/unseen.test.ts: transactions that revert as a whole pause their signer',
  },
]
