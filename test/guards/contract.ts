import type { Guard } from './guard.ts'

const file = 'contracts/Delivery.sol'

/** What the Delivery contract refuses. */
export const contract: Guard[] = [
  {
    name: 'the contract uses a delivery key once',
    file,
    text: 'return _records[key].blockNumber != 0',
    broken: 'return false',
    test: 'test/contracts/Delivery.t.sol',
    title: 'test_DeliversOnceOverTransactionsRelayersAndContents',
  },
  {
    name: 'the contract locks a key before it calls the token',
    file,
    text: `        _records[key] = Record(blockNumber, _contentHash(item));
        bool ok;
        (ok, result.gasUsed) = _callToken(item, gasPerItem);
        if (ok) {`,
    broken: `        bool ok;
        (ok, result.gasUsed) = _callToken(item, gasPerItem);
        if (ok) {
            _records[key] = Record(blockNumber, _contentHash(item));`,
    test: 'test/contracts/Invariants.t.sol',
    title: 'invariant_HoldsWhateverIsCalled',
  },
  {
    name: 'a key of the replaced contract is used in its successor',
    file,
    text: `
            || (address(predecessor) != address(0) && predecessor.recordOf(key).blockNumber != 0)`,
    broken: '',
    test: 'test/contracts/Owner.t.sol',
    title: 'test_DeliversNoKeyThatAnEarlierContractHasUsedAndKnowsItsRecord',
  },
  {
    name: 'the contract obeys relayers only',
    file,
    text: 'if (_settle(_relayers[msg.sender]).capacity == 0) revert NotRelayer();',
    broken: '',
    test: 'test/contracts/Owner.t.sol',
    title: 'test_AreRemovedAtOnce',
  },
  {
    name: 'only the owner of the contract sets relayers',
    file,
    text: 'function setRelayer(address relayer, uint64 capacity, uint64 perDay) external onlyOwner {',
    broken: 'function setRelayer(address relayer, uint64 capacity, uint64 perDay) external {',
    test: 'test/contracts/Owner.t.sol',
    title: 'test_IsNeededToSetLimitsToHandTokensOverToUnpauseAndToPassItOn',
  },
  {
    name: 'the contract limits what a relayer delivers, which reenters too',
    file,
    text: '(ok, result.gasUsed) = _callToken(item, gasPerItem);',
    broken: `uint88 used = _relayers[msg.sender].used;
        (ok, result.gasUsed) = _callToken(item, gasPerItem);
        _relayers[msg.sender].used = used;`,
    test: 'test/contracts/Hostile.t.sol',
    title: 'test_CannotGetAroundTheLimit',
  },
  {
    name: 'the contract limits what all relayers deliver of a token',
    file,
    text: 'if (hasLimit && !_take(_tokens[item.token], pieces)) {',
    broken: 'if (hasLimit && pieces == 0) {',
    test: 'test/contracts/Invariants.t.sol',
    title: 'invariant_HoldsWhateverIsCalled',
  },
  {
    name: 'the contract mints only tokens with a limit',
    file,
    text: 'if (!isCancel && item.from == address(0) && !hasLimit) return _fail(key, result, TokenLimitMissing.selector);',
    broken: '',
    test: 'test/contracts/Mint.t.sol',
    title: 'test_OfATokenWithoutALimitFailsAndChargesNothing',
  },
  {
    name: 'the contract delays a raise of the rate alone',
    file,
    text: '(capacity > bucket.capacity || perDay > bucket.perDay)',
    broken: '(capacity > bucket.capacity)',
    test: 'test/contracts/Limits.t.sol',
    title: 'testFuzz_OfAnyNumbersNeverComesEarly',
  },
  {
    name: 'the contract refills a limit with time only',
    file,
    text: 'bucket.updatedAt = uint40(time);',
    broken: 'bucket.updatedAt = uint40(time / 1 days * 1 days);',
    test: 'test/contracts/Limits.t.sol',
    title: 'test_DoesNotDoubleAtMidnight',
  },
  {
    name: 'the contract hands a token over after the delay',
    file,
    text: ' && announced.effectiveAt <= block.timestamp',
    broken: '',
    test: 'test/contracts/Mint.t.sol',
    title: 'testFuzz_DoesNotHappenBeforeTheDelayAndAnEarlierCallStartsItAgain',
  },
  {
    name: 'the contract stops in the middle of a batch when it is retired',
    file,
    text: 'gasleft() >= gasNeeded && !paused(); ++reached',
    broken: 'gasleft() >= gasNeeded; ++reached',
    test: 'test/contracts/Hostile.t.sol',
    title: 'test_LetsAnOwnerRetireTheContractInTheMiddleOfABatchWhoseRestIsNotReached',
  },
  {
    name: 'a retired contract stays retired',
    file,
    text: `function unpause() external onlyOwner {
        if (retired) revert AlreadyRetired();`,
    broken: 'function unpause() external onlyOwner {',
    test: 'test/contracts/Owner.t.sol',
    title: 'ContractIsPermanent',
  },
  {
    name: 'the contract gives a token its whole gas limit, or stops',
    file,
    text: 'if (gasBefore < _gasToCall(gasPerItem)) revert OutOfGas();',
    broken: '',
    test: 'test/contracts/Gas.t.sol',
    title: 'test_RevertsTheCallWhereAKeyCostsMoreThanTheContractExpects',
  },
]
