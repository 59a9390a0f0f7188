import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { requireMaster, validate } from '../http/endpoint.ts'
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
      const request = { userId: c.req.valid('param').id, ...c.req.valid('query') }
      return c.json(await readPersonalData(c.var, request, c.var.settings.PUBLIC_URL))
    },
  )
  .post(
    '/api/admin/users/:id/forget',
    requireMaster(),
    validate('param', PersonParam),
    async (c) => {
      const { db, caller, now } = c.var
      const stores = { db, bucket: c.env.AVATARS }
      return c.json(await forgetPerson(stores, caller, c.req.valid('param').id, now))
    },
  )
