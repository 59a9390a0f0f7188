import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { requireMaster, validate } from '../http/endpoint.ts'
import { storeOf } from '../orders/store.ts'
import { readPersonalData } from './data.ts'
import { forgetPerson } from './forget.ts'
import { DataQuery, PersonParam } from './input.ts'

export const personalDataRoutes = new Hono<App>()
  .get(
    '/api/admin/users/:id/data',
    requireMaster(),
    validate('param', PersonParam),
    validate('query', DataQuery),
    async (c) => {
      const { caller, settings } = c.var
      const request = { userId: c.req.valid('param').id, ...c.req.valid('query') }
      return c.json(await readPersonalData(storeOf(c), caller, request, settings.PUBLIC_URL))
    },
  )
  .post(
    '/api/admin/users/:id/forget',
    requireMaster(),
    validate('param', PersonParam),
    async (c) => {
      const { caller, now } = c.var
      return c.json(await forgetPerson(storeOf(c), caller, c.req.valid('param').id, now))
    },
  )
