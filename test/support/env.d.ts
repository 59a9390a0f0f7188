declare namespace Cloudflare {
  interface Env {
    /** The SQL of migrations/, which the tests apply. */
    MIGRATIONS: import('cloudflare:test').D1Migration[]
    /** A second database, that stands for a replica. */
    REPLICA: D1Database
  }
}

/** Variables that wrangler.toml need not have. */
interface Env {
  MAX_CONTENT_BYTES?: string | number
  MAX_OPEN_ORDERS?: string | number
}
