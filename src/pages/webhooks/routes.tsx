/** Settings → Webhooks: where events are sent, and what became of each message. */
import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { administratorGuard } from '../../auth/access.ts'
import { isRecent } from '../../auth/session.ts'
import { tokenRoles } from '../../db/schema/users.ts'
import type { App } from '../../http/context.ts'
import { type AppWithCaller, invalidInput, requireSession, validate } from '../../http/endpoint.ts'
import { ApiError, statusOf } from '../../http/errors.ts'
import { LogQuery, MessageId, NewWebhook, time, WebhookId } from '../../webhooks/input.ts'
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from '../../webhooks/manage.ts'
import { readOwnWebhooks, readWebhookPage } from '../../webhooks/read.ts'
import { replayMessages, resendMessage, sendTest } from '../../webhooks/resend.ts'
import { secretOf } from '../../webhooks/secret.ts'
import { wakeEndpoints } from '../../webhooks/wake.ts'
import { type Problems, sentence } from '../components/field.tsx'
import { page } from '../page.tsx'
import { type Notice, NoticeName } from '../settings.tsx'
import { WebhookDetails } from './details.tsx'
import type { RejectedForm } from './form.tsx'
import { Webhooks } from './list.tsx'

/** Messages on a page of the log. */
const PAGE_SIZE = 20

/** The values are checked later, so that the page can show them again. */
const Form = z.object({
  url: z.string().check(z.maxLength(5000)),
  /** The ticked boxes. A form has no array with one element or none. */
  events: z.pipe(
    z._default(z.union([z.string(), z.array(z.string())]), []),
    z.transform((events) => [events].flat()),
  ),
})
const CreateForm = z.extend(Form, { role: z._default(z.enum(tokenRoles), 'user') })
const ChangeForm = z.extend(Form, {
  enabled: z.pipe(
    z.optional(z.literal('on')),
    z.transform((value) => value === 'on'),
  ),
})

/** The browser sends a time without seconds and zone: the form says that it is UTC. */
const ReplayForm = z.object({
  since: z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => `${text}:00Z`),
    ),
    time,
  ),
})

const PageQuery = z.object({
  cursor: z.catch(LogQuery.shape.cursor, undefined),
  state: z.catch(LogQuery.shape.state, undefined),
  notice: NoticeName,
})

export const webhookPageRoutes = new Hono<App>()
  .get(
    '/settings/webhooks',
    requireSession(),
    validate('query', z.object({ notice: NoticeName })),
    (c) => listPage(c, { notice: c.req.valid('query').notice }),
  )
  .post('/settings/webhooks', requireSession(), validate('form', CreateForm), async (c) => {
    const { db, settings, caller, now } = c.var
    const values = c.req.valid('form')
    const { role } = values
    const guards = role === 'master' ? [administratorGuard(caller)] : []
    try {
      const input = { ...parsed(values), role }
      const { webhook } = await createWebhook(db, settings, caller, input, now, guards)
      return redirect(c, webhook.id, 'webhook-created')
    } catch (error) {
      return listPage(c, { form: rejectedForm(values, error) })
    }
  })
  .get(
    '/settings/webhooks/:webhook_id',
    requireSession(),
    validate('param', WebhookId),
    validate('query', PageQuery),
    (c) => detailsPage(c, c.req.valid('param').webhook_id, c.req.valid('query')),
  )
  .post(
    '/settings/webhooks/:webhook_id',
    requireSession(),
    validate('param', WebhookId),
    validate('form', ChangeForm),
    async (c) => {
      const { db, settings, caller, now } = c.var
      const { webhook_id } = c.req.valid('param')
      const values = c.req.valid('form')
      try {
        const changes = { ...parsed(values), enabled: values.enabled }
        await updateWebhook(db, settings, caller, webhook_id, changes, now)
        return redirect(c, webhook_id, 'webhook-saved')
      } catch (error) {
        return detailsPage(c, webhook_id, { form: rejectedForm(values, error) })
      }
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/rotate',
    requireSession(),
    validate('param', WebhookId),
    async (c) => {
      const { db, settings, caller, now } = c.var
      const { webhook_id } = c.req.valid('param')
      await rotateSecret(db, settings, caller, webhook_id, now)
      return redirect(c, webhook_id, 'webhook-rotated')
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/delete',
    requireSession(),
    validate('param', WebhookId),
    async (c) => {
      const { db, caller, now } = c.var
      const { webhook_id } = c.req.valid('param')
      await deleteWebhook(db, caller, webhook_id, now)
      return c.redirect('/settings/webhooks?notice=webhook-deleted', 303)
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/test',
    requireSession(),
    validate('param', WebhookId),
    async (c) => {
      const { db, caller, now } = c.var
      const { webhook_id } = c.req.valid('param')
      await sendTest(db, caller, webhook_id, now)
      return sent(c, webhook_id, 'webhook-sent')
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/messages/:message_id/resend',
    requireSession(),
    validate('param', MessageId),
    async (c) => {
      const { db, caller, now } = c.var
      const { webhook_id: endpointId, message_id: id } = c.req.valid('param')
      await resendMessage(db, caller, { endpointId, id }, now)
      return sent(c, endpointId, 'webhook-sent')
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/replay',
    requireSession(),
    validate('param', WebhookId),
    validate('form', ReplayForm),
    async (c) => {
      const { db, caller, now } = c.var
      const { webhook_id } = c.req.valid('param')
      const { since } = c.req.valid('form')
      await replayMessages(db, caller, webhook_id, since, now)
      return sent(c, webhook_id, 'webhook-replayed')
    },
  )

/** Throws `invalid_input`. */
function parsed(values: z.infer<typeof Form>): z.infer<typeof NewWebhook> {
  const result = NewWebhook.safeParse(values)
  if (!result.success) throw invalidInput(result.error.issues)
  return result.data
}

const redirect = (c: Context<AppWithCaller>, id: string, notice: Notice) =>
  c.redirect(`/settings/webhooks/${id}?notice=${notice}`, 303)

/** Wakes the consumer for the endpoint, after the response. */
function sent(c: Context<AppWithCaller>, id: string, notice: Notice) {
  c.executionCtx.waitUntil(wakeEndpoints(c.env.WEBHOOKS, [id]))
  return redirect(c, id, notice)
}

/** Returns a form with what is wrong with it. Throws an error that is not about its fields. */
function rejectedForm(values: RejectedForm['values'], error: unknown): RejectedForm {
  if (!(error instanceof ApiError) || !['invalid_input', 'conflict'].includes(error.code))
    throw error
  const problems: Problems<'url' | 'events'> = {}
  for (const { path, message } of error.issues)
    problems[path.startsWith('events') ? 'events' : 'url'] ??= sentence(message)
  return { values, problems, status: statusOf[error.code] }
}

type PageState = { notice?: Notice | undefined; form?: RejectedForm }

async function listPage(c: Context<AppWithCaller>, { notice, form }: PageState) {
  const { db, caller, now } = c.var
  const own = await readOwnWebhooks(db, caller)
  return page(c, {
    title: 'Webhooks',
    account: own.account,
    status: form?.status ?? 200,
    children: (
      <Webhooks
        {...own}
        canChange={isRecent(own.account, now)}
        now={now}
        notice={notice}
        form={form}
      />
    ),
  })
}

type DetailsState = PageState & Omit<z.infer<typeof PageQuery>, 'notice'>

async function detailsPage(
  c: Context<AppWithCaller>,
  id: string,
  { notice, form, cursor, state }: DetailsState,
) {
  const { db, caller, settings, now } = c.var
  const log = { cursor, state, limit: PAGE_SIZE }
  const { secretId, ...found } = await readWebhookPage(db, caller, id, log)
  const canChange = isRecent(found.account, now)
  return page(c, {
    title: 'Webhook',
    account: found.account,
    scripts: ['dialog.js', 'copy.js'],
    status: form?.status ?? 200,
    children: (
      <WebhookDetails
        {...found}
        secret={canChange ? await secretOf(settings, secretId) : undefined}
        state={state}
        isFirstPage={!cursor}
        now={now}
        notice={notice}
        form={form}
      />
    ),
  })
}
