/** 1 ETH is 10^18 wei. */
const DECIMALS = 18

/** An amount of wei as ETH: decimal text, exact, without an exponent or zeros at its end. */
export function ether(wei: bigint): string {
  const digits = wei.toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  return digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`)
}
