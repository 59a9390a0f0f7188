/** What programs in the runtimes do with the packed client. */
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { instance } from '../support/instance/instance.ts'
import { installPackage } from '../support/packed.ts'
import { serve } from '../support/server.ts'

/** What a runtime that does everything prints. */
export const expected = {
  pages: 3,
  event: 'webhook.test',
  rejected: 'unauthenticated',
  late: 'TimeoutError',
}

/** Returns a message as an endpoint with the secret gets it. */
function aMessage() {
  const secret = `whsec_${btoa('a secret of thirty-two bytes ...')}`
  const body = JSON.stringify({ type: 'webhook.test', data: { challenge: 'c1' } })
  const at = new Date()
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  }
  return { secret, body, headers }
}

/** Starts a server that never answers, and installs the client with two programs that use it. */
export async function prepareRuntimes() {
  const hangingUrl = await serve(() => {})
  const input = { url: instance.url, hangingUrl, message: aMessage() }

  const { shop, folder } = await installPackage('client')
  await copyFile('test/client/runtimes/check.js', join(shop, 'check.js'))
  const program = (load: string, check: string) =>
    `${load}${check}.then((result) => console.log(JSON.stringify(result)))\n`
  await writeFile(
    join(shop, 'module.mjs'),
    program(
      "import * as client from '@marketplace-api/marketplace'\nimport { check } from './check.js'\n",
      `check(client, ${JSON.stringify(input)})`,
    ),
  )
  await writeFile(
    join(shop, 'common.cjs'),
    program(
      "const client = require('@marketplace-api/marketplace')\n",
      `import('./check.js').then(({ check }) => check(client, ${JSON.stringify(input)}))`,
    ),
  )
  return { shop, folder, input }
}
