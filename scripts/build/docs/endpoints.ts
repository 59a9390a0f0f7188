/** The tables of docs/endpoints.md. */
import * as z from 'zod'
import { mayCall, permissions } from '../../../test/support/permissions.ts'
import { type DescribedEndpoint, describedEndpoints } from '../openapi/endpoints.ts'
import { tags } from '../openapi/tags.ts'
import { tableOf, withTables } from './tables.ts'

/** Returns the document with the endpoints as they are declared, and who may call them. */
export const withEndpoints = (document: string): string =>
  withTables(
    document,
    Object.fromEntries(
      tags.map(({ name }) => {
        const rows = describedEndpoints.filter(({ tag }) => tag === name).map(rowOf)
        return [name, tableOf(['endpoint', 'purpose', 'query', 'who may'], rows)]
      }),
    ),
  )

function rowOf({ method, path, summary, input }: DescribedEndpoint): string[] {
  const query = input?.query instanceof z.ZodObject ? Object.keys(input.query.shape) : []
  return [
    `\`${method} ${path.replace(/:(\w+)/g, '<$1>')}\``,
    summary,
    query.map((name) => `\`${name}\``).join(', '),
    whoMay(`${method} ${path}`),
  ]
}

function whoMay(endpoint: string): string {
  const row = permissions.find((permission) => permission.endpoint === endpoint)
  if (!row) throw new Error(`test/support/permissions.ts lacks ${endpoint}.`)
  if (mayCall('no token', row)) return 'everybody'
  if (mayCall('other', row)) return 'any token'
  if (mayCall('owner', row)) return mayCall('seller', row) ? 'buyer, seller' : 'the user'
  if (mayCall('seller', row)) return 'seller'
  return mayCall('master', row) ? 'master' : 'a browser'
}
