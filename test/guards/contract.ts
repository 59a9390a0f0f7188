import type { Guard } from './guard.ts'

/** What the Delivery contract refuses. */
export const contract: Guard[] = [
  {
    name: 'the contract uses a delivery key once',
    code: 'contracts/Delivery.sol: _isUsed',
    broken: { condition: '_records', becomes: false },
    test: 'test/contracts/Delivery.t.sol: test_DeliversOnceOverTransactionsRelayersAndContents',
  },
  {
    name: 'the contract locks a key before it calls the token',
    code: 'contracts/Delivery.sol: _deliver',
    broken: { without: '_contentHash' },
    test: 'test/contracts/Hostile.t.sol: test_ThroughATokenAndAColludingRelayerDeliversEachKeyOnce',
  },
  {
    name: 'a key of the replaced contract is used in its successor',
    code: 'contracts/Delivery.sol: _isUsed',
    broken: { condition: 'recordOf', becomes: false },
    test: 'test/contracts/Owner.t.sol: test_DeliversNoKeyThatAnEarlierContractHasUsedAndKnowsItsRecord',
  },
  {
    name: 'the contract obeys relayers only',
    code: 'contracts/Delivery.sol: deliver',
    broken: { condition: '_relayers', becomes: false },
    test: 'test/contracts/Owner.t.sol: test_AreRemovedAtOnce',
  },
  {
    name: 'only the owner of the contract sets relayers',
    code: 'contracts/Delivery.sol: setRelayer',
    broken: { without: 'onlyOwner' },
    test: 'test/contracts/Owner.t.sol: test_IsNeededToSetLimitsToHandTokensOverToUnpauseAndToPassItOn',
  },
  {
    name: 'the contract limits what a relayer delivers, which reenters too',
    code: 'contracts/Delivery.sol: _deliver',
    broken: { condition: '_relayers', becomes: false },
    test: 'test/contracts/Hostile.t.sol: test_CannotGetAroundTheLimit',
  },
  {
    name: 'the contract limits what all relayers deliver of a token',
    code: 'contracts/Delivery.sol: _deliver',
    broken: { condition: '_take _tokens', becomes: false },
    test: 'test/contracts/Invariants.t.sol: invariant_HoldsWhateverIsCalled',
  },
  {
    name: 'the contract mints only tokens with a limit',
    code: 'contracts/Delivery.sol: _deliver',
    broken: { condition: 'item.from', becomes: false },
    test: 'test/contracts/Mint.t.sol: test_OfATokenWithoutALimitFailsAndChargesNothing',
  },
  {
    name: 'the contract delays a raise of a limit',
    code: 'contracts/Delivery.sol: _setLimit',
    broken: { condition: 'delay_', becomes: false },
    test: 'test/contracts/Limits.t.sol: testFuzz_OfAnyNumbersNeverComesEarly',
  },
  {
    name: 'the contract refills a limit with time only',
    code: 'contracts/Delivery.sol: _refill',
    broken: { without: 'uint40' },
    test: 'test/contracts/Limits.t.sol: test_DoesNotDoubleAtMidnight',
  },
  {
    name: 'the contract hands a token over after the delay',
    code: 'contracts/Delivery.sol: handOver',
    broken: { condition: 'timestamp', becomes: true },
    test: 'test/contracts/Mint.t.sol: testFuzz_DoesNotHappenBeforeTheDelayAndAnEarlierCallStartsItAgain',
  },
  {
    name: 'the contract stops in the middle of a batch when it is retired',
    code: 'contracts/Delivery.sol: deliver',
    broken: { condition: 'paused', becomes: true },
    test: 'test/contracts/Hostile.t.sol: test_LetsAnOwnerRetireTheContractInTheMiddleOfABatchWhoseRestIsNotReached',
  },
  {
    name: 'a retired contract stays retired',
    code: 'contracts/Delivery.sol: unpause',
    broken: { condition: 'retired', becomes: false },
    test: 'test/contracts/Owner.t.sol: ContractIsPermanent',
  },
  {
    name: 'the contract gives a token its whole gas limit, or stops',
    code: 'contracts/Delivery.sol: _callToken',
    broken: { condition: 'gasBefore', becomes: false },
    test: 'test/contracts/Gas.t.sol: test_RevertsTheCallWhereAKeyCostsMoreThanTheContractExpects',
  },
]
