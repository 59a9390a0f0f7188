/** Returns what others may see of an e-mail address, such as `b…@example.com`. */
export const maskEmail = (email: string, gap = '…'): string =>
  email.replace(/^(.).*(?=@)/, (_, first) => first + gap)
