declare namespace Cloudflare {
  interface Env {
    /** The SQL of migrations/, which the tests apply. */
    MIGRATIONS: import('cloudflare:test').D1Migration[]
  }
}
