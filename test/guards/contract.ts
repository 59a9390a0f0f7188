import type { Guard } from './guard.ts'

const file = 'contracts/Delivery.sol'

/** What the Delivery contract refuses. */
export const contract: Guard[] = [
  {
    name: 'the contract uses a delivery key once',
    file,
    text: 'return _records[key].blockNumber != 0',
    broken: 'return false',
    test: 'test/contracts/delivery.test.ts',
    title: 'delivers once over transactions, relayers and contents',
  },
  {
    name: 'the contract locks a key before it calls the token',
    file,
    text: `            _records[key] = Record(blockNumber, _contentHash(item));
            bool ok;
            (ok, result.gasUsed) = _callToken(item, gasPerItem);
            if (ok) {`,
    broken: `            bool ok;
            (ok, result.gasUsed) = _callToken(item, gasPerItem);
            if (ok) {
                _records[key] = Record(blockNumber, _contentHash(item));`,
    test: 'test/contracts/hostile.test.ts',
    title: 'through a recipient that is a relayer delivers each key once',
  },
  {
    name: 'the contract frees the key of a failed transfer',
    file,
    text: 'delete _records[key];',
    broken: '',
    test: 'test/contracts/delivery.test.ts',
    title: 'can be tried again after a failure',
  },
  {
    name: 'the contract records what was delivered',
    file,
    text: 'abi.encode(item.token, item.to, item.tokenId, item.amount)',
    broken: 'abi.encode(item.token, item.tokenId, item.amount)',
    test: 'test/contracts/delivery.test.ts',
    title: 'leaves a record of its block and content',
  },
  {
    name: 'the contract obeys relayers only',
    file,
    text: 'if (perDay == 0) revert NotRelayer();',
    broken: 'if (perDay == 0) return;',
    test: 'test/contracts/owner.test.ts',
    title: 'are those that the owner set, until removed',
  },
  {
    name: 'the contract limits what a relayer delivers in a day',
    file,
    text: 'if (used > perDay) revert LimitReached();',
    broken: '',
    test: 'test/contracts/delivery.test.ts',
    title: 'counts the items of a day, of each relayer alone',
  },
  {
    name: 'the contract counts what a relayer delivers while it reenters',
    file,
    text: `        _useDailyLimit(count);
        results = new Result[](count);
        uint64 blockNumber = uint64(_blockNumber());
        uint256 gasNeeded = _gasToCall(gasPerItem) + GAS_AROUND_CALL + count * GAS_PER_RESULT;
        uint256 reached = 0;
        for (; reached < count && gasleft() >= gasNeeded; ++reached) {
            _deliver(items[reached], gasPerItem, blockNumber, results[reached]);
        }`,
    broken: `        results = new Result[](count);
        uint64 blockNumber = uint64(_blockNumber());
        uint256 gasNeeded = _gasToCall(gasPerItem) + GAS_AROUND_CALL + count * GAS_PER_RESULT;
        uint256 reached = 0;
        Relayer memory before = relayers[msg.sender];
        for (; reached < count && gasleft() >= gasNeeded; ++reached) {
            _deliver(items[reached], gasPerItem, blockNumber, results[reached]);
        }
        relayers[msg.sender] = before;
        _useDailyLimit(count);`,
    test: 'test/contracts/hostile.test.ts',
    title: 'does not get around the daily limit',
  },
  {
    name: 'the contract delivers nothing after the deadline',
    file,
    text: 'if (block.timestamp > deadline) revert Expired();',
    broken: 'if (deadline == 0) revert Expired();',
    test: 'test/contracts/delivery.test.ts',
    title: 'has an effect up to its deadline, and none after it',
  },
  {
    name: 'the contract bounds the items of a call',
    file,
    text: 'if (count > MAX_ITEMS) revert TooManyItems();',
    broken: '',
    test: 'test/contracts/delivery.test.ts',
    title: 'has at most MAX_ITEMS items',
  },
  {
    name: 'the contract undoes a call that reaches too few items',
    file,
    text: 'if (reached < minimum) revert OutOfGas();',
    broken: 'if (minimum > count) revert OutOfGas();',
    test: 'test/contracts/delivery.test.ts',
    title: 'is undone when fewer items than the minimum are reached',
  },
  {
    name: 'the contract copies only the beginning of what a token reverts with',
    file,
    text: 'if gt(size, MAX_REASON_BYTES) { size := MAX_REASON_BYTES }',
    broken: '',
    test: 'test/contracts/hostile.test.ts',
    title: 'a recipient of',
  },
  {
    name: 'the contract delivers nothing while it is paused',
    file,
    text: `        external
        whenNotPaused
        returns (Result[] memory results)`,
    broken: `        external
        returns (Result[] memory results)`,
    test: 'test/contracts/owner.test.ts',
    title: 'pause',
  },
  {
    name: 'only the owner of the contract sets relayers',
    file,
    text: 'function setRelayer(address relayer, uint32 perDay) external onlyOwner {',
    broken: 'function setRelayer(address relayer, uint32 perDay) external {',
    test: 'test/contracts/owner.test.ts',
    title: 'is needed to set relayers, to unpause, to retire and to pass it on',
  },
  {
    name: 'a retired contract stays retired',
    file,
    text: `function unpause() external onlyOwner {
        if (retired) revert AlreadyRetired();`,
    broken: 'function unpause() external onlyOwner {',
    test: 'test/contracts/owner.test.ts',
    title: 'retirement',
  },
  {
    name: 'a contract replaces only a retired one',
    file,
    text: 'if (address(predecessor_) != address(0) && !predecessor_.retired()) revert PredecessorNotRetired();',
    broken: '',
    test: 'test/contracts/owner.test.ts',
    title: 'cannot be deployed while the contract can still deliver',
  },
  {
    name: 'a key of the replaced contract is used in its successor',
    file,
    text: `
            || (address(predecessor) != address(0) && predecessor.recordOf(key).blockNumber != 0)`,
    broken: '',
    test: 'test/contracts/owner.test.ts',
    title: 'delivers no key that an earlier contract has used, and knows its record',
  },
]
