declare namespace Cloudflare {
  interface Env {
    /** The SQL of migrations/, which the tests apply. */
    MIGRATIONS: import('cloudflare:test').D1Migration[]
  }
}

/** Variables that wrangler.toml need not have. */
interface Env {
  MAX_OPEN_ORDERS?: string | number
}
