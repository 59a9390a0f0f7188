/** Returns an e-mail address as whoever does not own it may see it, such as `b…@example.com`. */
export const maskEmail = (email: string, gap = '…'): string =>
  email.replace(/^(.).*(?=@)/, (_, first) => first + gap)
