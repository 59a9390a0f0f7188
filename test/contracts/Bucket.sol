// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {vm} from "./Vm.sol";

/// @notice A limit as it is documented, to compare with the contract's.
/// @param missing In pieces times the seconds of a day.
/// @param nextAt When the next limit is in force. 0: none is announced.
struct Bucket {
    uint256 capacity;
    uint256 perDay;
    uint256 missing;
    uint256 time;
    uint256 nextCapacity;
    uint256 nextPerDay;
    uint256 nextAt;
}

library Buckets {
    /// @notice Lets time pass until now.
    function advance(Bucket storage bucket) internal {
        uint256 nextAt = bucket.nextAt;
        if (nextAt != 0 && nextAt <= vm.getBlockTimestamp()) {
            refill(bucket, nextAt);
            apply_(bucket, bucket.nextCapacity, bucket.nextPerDay);
            bucket.nextAt = 0;
        }
        refill(bucket, vm.getBlockTimestamp());
    }

    /// @notice Takes pieces, of which there must be enough.
    function take(Bucket storage bucket, uint256 pieces) internal {
        vm.assertLe(pieces, available(bucket), "more pieces than the capacity and what has flowed back");
        bucket.missing += pieces * 1 days;
    }

    /// @notice Lowers at once, and raises after the delay.
    function set(Bucket storage bucket, uint256 capacity, uint256 perDay, uint256 delay) internal {
        bool isRaise = capacity > bucket.capacity || perDay > bucket.perDay;
        bucket.nextAt = 0;
        if (isRaise && delay > 0) {
            bucket.nextAt = vm.getBlockTimestamp() + delay;
            (bucket.nextCapacity, bucket.nextPerDay) = (capacity, perDay);
            capacity = least(capacity, bucket.capacity);
            perDay = least(perDay, bucket.perDay);
        }
        apply_(bucket, capacity, perDay);
    }

    function available(Bucket storage bucket) internal view returns (uint256) {
        return bucket.capacity - (bucket.missing + 1 days - 1) / 1 days;
    }

    function apply_(Bucket storage bucket, uint256 capacity, uint256 perDay) private {
        (bucket.capacity, bucket.perDay) = (capacity, perDay);
        bucket.missing = least(bucket.missing, capacity * 1 days);
    }

    function refill(Bucket storage bucket, uint256 time) private {
        bucket.missing -= least(bucket.missing, (time - bucket.time) * bucket.perDay);
        bucket.time = time;
    }

    function least(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }
}
