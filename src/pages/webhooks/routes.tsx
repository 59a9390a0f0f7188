/** Settings → Webhooks: where events are sent, and the log of the messages. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { isRecent } from '../../auth/session.ts'
import { tokenRoles } from '../../db/schema/users.ts'
import type { App } from '../../http/context.ts'
import { type AppWithCaller, invalidInput, requireSession, validate } from '../../http/endpoint.ts'
import { ApiError, errorStatus } from '../../http/errors.ts'
import { inputText, instant } from '../../http/inputs.ts'
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from '../../webhooks/manage.ts'
import { readOwnWebhooks, readWebhookPage } from '../../webhooks/read.ts'
import { replayEvents, resendMessage, sendTest } from '../../webhooks/resend.ts'
import { MessageId, MessagesQuery, NewWebhook, WebhookId } from '../../webhooks/schema.ts'
import { webhookSecret } from '../../webhooks/signature.ts'
import { type DueEndpoint, wakeEndpoints } from '../../webhooks/wake.ts'
import { sentence } from '../components/field.tsx'
import { page } from '../page.tsx'
import { type Notice, NoticeName } from '../settings.tsx'
import { WebhookDetails } from './details.tsx'
import type { RejectedForm } from './form.tsx'
import { Webhooks } from './list.tsx'

/** Messages on a page of the log. */
const PAGE_SIZE = 20

/** The values are checked later, so that the page can show them again. */
const Form = z.object({
  url: inputText(5000),
  /** The ticked boxes. A form has no array with one element or none. */
  events: z
    .union([z.string(), z.array(z.string())])
    .default([])
    .transform((events) => [events].flat()),
  sources: inputText(5000)
    .default('')
    .transform((text) => text.split(',').filter((name) => name.trim() !== ''))
    .transform((names) => (names.length > 0 ? names : null)),
})
const CreateForm = Form.extend({ role: z.enum(tokenRoles).default('user') })
const ChangeForm = Form.extend({
  enabled: z
    .literal('on')
    .optional()
    .transform((value) => value === 'on'),
})

/** The browser sends a time without seconds and zone: the form says that it is UTC. */
const ReplayForm = z.object({
  since: z
    .string()
    .transform((text) => `${text}:00Z`)
    .pipe(instant),
})

const PageQuery = z.object({
  cursor: MessagesQuery.shape.cursor.catch(undefined),
  state: MessagesQuery.shape.state.catch(undefined),
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
    const values = c.req.valid('form')
    try {
      const { webhook } = await createWebhook(c.var, { ...parse(values), role: values.role })
      return wakeAndRedirect(c, webhook, 'webhook-created')
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
      const { webhook_id: id } = c.req.valid('param')
      const values = c.req.valid('form')
      try {
        const changes = { id, ...parse(values), enabled: values.enabled }
        return wakeAndRedirect(c, await updateWebhook(c.var, changes), 'webhook-saved')
      } catch (error) {
        return detailsPage(c, id, { form: rejectedForm(values, error) })
      }
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/rotate',
    requireSession(),
    validate('param', WebhookId),
    async (c) => {
      const { webhook_id: id } = c.req.valid('param')
      await rotateSecret(c.var, id)
      return redirect(c, id, 'webhook-rotated')
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/delete',
    requireSession(),
    validate('param', WebhookId),
    async (c) => {
      await deleteWebhook(c.var, c.req.valid('param').webhook_id)
      return c.redirect('/settings/webhooks?notice=webhook-deleted', 303)
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/test',
    requireSession(),
    validate('param', WebhookId),
    async (c) => {
      const { webhook_id: id } = c.req.valid('param')
      const { role } = await sendTest(c.var, id)
      return wakeAndRedirect(c, { id, role }, 'webhook-sent')
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/messages/:message_id/resend',
    requireSession(),
    validate('param', MessageId),
    async (c) => {
      const { webhook_id: endpointId, message_id: id } = c.req.valid('param')
      const { role } = await resendMessage(c.var, { endpointId, id })
      return wakeAndRedirect(c, { id: endpointId, role }, 'webhook-sent')
    },
  )
  .post(
    '/settings/webhooks/:webhook_id/replay',
    requireSession(),
    validate('param', WebhookId),
    validate('form', ReplayForm),
    async (c) => {
      const { webhook_id: endpointId } = c.req.valid('param')
      const webhook = await replayEvents(c.var, { endpointId, ...c.req.valid('form') })
      return wakeAndRedirect(c, webhook, 'webhook-replayed')
    },
  )

/** Returns the fields of an endpoint. Throws `invalid_input`. */
function parse(values: z.infer<typeof Form>): z.infer<typeof NewWebhook> {
  const result = NewWebhook.safeParse(values)
  if (!result.success) throw invalidInput(result.error.issues)
  return result.data
}

const redirect = (c: Context<AppWithCaller>, id: string, notice: Notice) =>
  c.redirect(`/settings/webhooks/${id}?notice=${notice}`, 303)

/** Wakes the consumer for the endpoint, after the response. */
function wakeAndRedirect(c: Context<AppWithCaller>, endpoint: DueEndpoint, notice: Notice) {
  c.executionCtx.waitUntil(wakeEndpoints(c.env, [endpoint]))
  return redirect(c, endpoint.id, notice)
}

/** Returns a form with what is wrong with it. Throws an error that is not about its fields. */
function rejectedForm(values: RejectedForm['values'], error: unknown): RejectedForm {
  if (!(error instanceof ApiError) || !['invalid_input', 'conflict'].includes(error.code))
    throw error
  const problems: RejectedForm['problems'] = {}
  for (const { path, message } of error.issues) {
    const field = /^(events|sources)/.exec(path)?.[0] ?? 'url'
    problems[field as keyof typeof problems] ??= sentence(message)
  }
  return { values, problems, status: errorStatus[error.code] }
}

type PageState = { notice?: Notice | undefined; form?: RejectedForm }

async function listPage(c: Context<AppWithCaller>, { notice, form }: PageState) {
  const { now } = c.var
  const own = await readOwnWebhooks(c.var)
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
  const { settings, now } = c.var
  const log = { id, cursor, state, limit: PAGE_SIZE }
  const { secretId, ...found } = await readWebhookPage(c.var, log)
  const canChange = isRecent(found.account, now)
  return page(c, {
    title: 'Webhook',
    account: found.account,
    scripts: ['dialog.js', 'copy.js'],
    status: form?.status ?? 200,
    children: (
      <WebhookDetails
        {...found}
        secret={canChange ? await webhookSecret(settings, secretId) : undefined}
        state={state}
        isFirstPage={!cursor}
        now={now}
        notice={notice}
        form={form}
      />
    ),
  })
}
