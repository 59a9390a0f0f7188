/** A rate limit as a binding of wrangler.toml, with windows of 60 seconds of `Date`. */
export function aRateLimit(limit: number): RateLimit {
  const counts = new Map<string, number>()
  return {
    async limit({ key }) {
      const counted = `${Math.floor(Date.now() / 60_000)} ${key}`
      const count = (counts.get(counted) ?? 0) + 1
      counts.set(counted, count)
      return { success: count <= limit }
    },
  }
}
