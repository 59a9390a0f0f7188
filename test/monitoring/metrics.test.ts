/** `GET /metrics`. */
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { alarms, backups, cronRuns, networkChecks } from '../../src/db/schema/operations.ts'
import { aChain } from '../support/chain/chain.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { aMetricsToken, aTransaction, db } from '../support/makers.ts'
import { parseExposition } from './exposition.ts'
import { anInstance, broken } from './instance.ts'

beforeEach(async () => {
  for (const table of [deliveries, alarms, networkChecks, cronRuns, backups]) await db.delete(table)
})

/** Returns the samples of the metrics, by name and labels. */
async function metricsOf(instance: ReturnType<typeof anInstance>, changes: Partial<Env> = {}) {
  const response = await instance.get('/metrics', await aMetricsToken(), changes)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parseExposition(await response.text())
}

describe('the metrics', () => {
  it('are gauges of the state, and counters', async () => {
    const chain = await aChain({ erc1155: 3 })
    const instance = anInstance(chain)
    await chain.asOwner('pause')
    await instance.cron()
    const backedUpAt = '2026-01-31T03:47:00.000Z'
    await db.insert(backups).values({ id: 1, at: backedUpAt })
    await aPaidItem(chain, { standard: 'erc1155' })
    await aPaidItem(chain, { standard: 'erc1155', recipient: null })
    await db.update(deliveries).set({ createdAt: instance.at(-2).toISOString() })
    const { chainId, name, signer } = chain
    await aTransaction({ chainId, items: [1, 2, 3], fee: '700', gasUsed: 210 })
    await aTransaction({ chainId, items: [4], fee: '99', gasUsed: 90, block: 2 })
    await aTransaction({ chainId, items: [5], block: 3 })
    const metrics = await metricsOf(instance)
    const network = `{chain_id="${chainId}",network="${name}"}`
    expect(Object.fromEntries(metrics)).toEqual({
      'marketplace_deliveries{state="awaiting_wallet"}': 1,
      'marketplace_deliveries{state="queued"}': 1,
      'marketplace_deliveries{state="in_flight"}': 0,
      'marketplace_deliveries{state="failed"}': 0,
      [`marketplace_oldest_undelivered_seconds{chain_id="${chainId}"}`]: expect.any(Number),
      marketplace_oldest_awaiting_wallet_seconds: 0,
      marketplace_unclaimed_deliveries: 0,
      // 700 + 99 wei for four items.
      [`marketplace_delivery_fee_wei{chain_id="${chainId}"}`]: 200,
      // 210 + 90 gas.
      [`marketplace_delivery_gas{chain_id="${chainId}"}`]: 75,
      'marketplace_queue_backlog_messages{queue="deliveries"}': 0,
      'marketplace_queue_backlog_messages{queue="webhooks"}': 0,
      'marketplace_queue_backlog_messages{queue="master_webhooks"}': 0,
      'marketplace_queue_backlog_bytes{queue="deliveries"}': 0,
      'marketplace_queue_backlog_bytes{queue="webhooks"}': 0,
      'marketplace_queue_backlog_bytes{queue="master_webhooks"}': 0,
      'marketplace_queue_oldest_message_seconds{queue="deliveries"}': 0,
      'marketplace_queue_oldest_message_seconds{queue="webhooks"}': 0,
      'marketplace_queue_oldest_message_seconds{queue="master_webhooks"}': 0,
      [`marketplace_run_failed{chain_id="${chainId}"}`]: 0,
      [`marketplace_network_up${network}`]: 1,
      [`marketplace_network_last_check_timestamp_seconds${network}`]:
        instance.at(0).getTime() / 1000,
      [`marketplace_network_head_block${network}`]: expect.any(Number),
      [`marketplace_network_head_age_seconds${network}`]: expect.any(Number),
      [`marketplace_network_gas_price_wei${network}`]: expect.any(Number),
      [`marketplace_node_usable{chain_id="${chainId}",node="0"}`]: 1,
      [`marketplace_contract_paused${network}`]: 1,
      marketplace_findings_unacknowledged: 0,
      [`marketplace_signer_is_relayer{chain_id="${chainId}",signer="${signer}"}`]: 1,
      [`marketplace_signer_balance_wei{chain_id="${chainId}",signer="${signer}"}`]:
        expect.any(Number),
      [`marketplace_signer_deliveries_left{chain_id="${chainId}",signer="${signer}"}`]:
        expect.any(Number),
      [`marketplace_signer_limit_used_ratio{chain_id="${chainId}",signer="${signer}"}`]: 0,
      marketplace_webhook_pending_endpoints: 0,
      marketplace_webhook_oldest_due_seconds: 0,
      marketplace_webhook_disabled_endpoints: 0,
      marketplace_cron_last_run_timestamp_seconds: expect.any(Number),
      marketplace_cron_failed_jobs: 0,
      marketplace_database_size_bytes: expect.any(Number),
      marketplace_storage_up: 1,
      'marketplace_failures_total{kind="mails"}': 0,
      'marketplace_failures_total{kind="pictures"}': 0,
      'marketplace_failures_total{kind="requests"}': 0,
      marketplace_backup_timestamp_seconds: Date.parse(backedUpAt) / 1000,
      [`marketplace_alarm{name="contract_paused",subject="${chainId}"}`]: 1,
    })
    const oldest = `marketplace_oldest_undelivered_seconds{chain_id="${chainId}"}`
    expect(metrics.get(oldest)).toBeGreaterThanOrEqual(120)
  })

  it('have no samples of what is not known', async () => {
    const metrics = await metricsOf(anInstance(), {
      AVATARS: broken(env.AVATARS, 'head'),
      WEBHOOKS: broken(env.WEBHOOKS, 'metrics'),
    })
    const names = [...metrics.keys()]
    expect(metrics.get('marketplace_storage_up')).toBe(0)
    expect(names.filter((name) => name.includes('"webhooks"'))).toEqual([])
    expect(names.filter((name) => /network|signer|cron|fee|gas|oldest_und/.test(name))).toEqual([])
  })

  it('escape labels', async () => {
    const at = new Date().toISOString()
    const subject = 'a "quoted" \\ name\nin two lines'
    const name = 'cron_job_failed'
    await db
      .insert(alarms)
      .values({ key: `${name}:${subject}`, name, detail: '', raisedAt: at, notifiedAt: at })
    const metrics = await metricsOf(anInstance())
    const labels = 'name="cron_job_failed",subject="a \\"quoted\\" \\\\ name\\nin two lines"'
    expect(metrics.get(`marketplace_alarm{${labels}}`)).toBe(1)
  })
})
