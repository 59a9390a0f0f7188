/** Settings → Webhooks: where events are sent, and the log of the messages. */
import type { Context } from 'hono'
import * as z from 'zod'
import { isRecent } from '../../auth/session.ts'
import { tokenRoles } from '../../db/schema/users.ts'
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from '../../events/manage.ts'
import { readWebhookPage } from '../../events/messages.ts'
import { readOwnWebhooks } from '../../events/read.ts'
import { replayEvents, resendMessage, sendTest } from '../../events/resend.ts'
import { MessageId, MessagesQuery, NewWebhook, WebhookId } from '../../events/schema.ts'
import { webhookSecret } from '../../events/secret.ts'
import { sendFirst } from '../../events/sending/consumer.ts'
import { type DueEndpoint, wakeEndpoints } from '../../events/wake.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { inputText, instant } from '../../http/inputs.ts'
import { SECOND } from '../../time.ts'
import { checkbox, handleForm, parseForm } from '../components/forms.tsx'
import { page, sent, shown } from '../page.tsx'
import { WebhookDetails } from './details.tsx'
import { Webhooks } from './views.tsx'

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
    .transform((text) => text.split('\n').flatMap((name) => name.trim() || []))
    .transform((names) => (names.length > 0 ? names : null)),
})
const CreateForm = Form.extend({
  role: z.enum(tokenRoles).default('user'),
  /** Without scripts: shows the events that the chosen role can have. */
  update: z.string().optional(),
})
const ChangeForm = Form.extend({ enabled: checkbox })

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
  test: z.string().optional(),
})

const details = shown.session({ param: WebhookId, query: PageQuery })
const replay = sent.session({ param: WebhookId, form: ReplayForm })
const action = sent.session({ param: WebhookId })

/** What the page says after a redirect. */
const notices = {
  'webhook-created': 'The webhook is created. Your program needs its secret.',
  'webhook-saved': 'The webhook is saved.',
  'webhook-deleted': 'The webhook is deleted.',
  'webhook-rotated':
    'This is the new secret. For 24 hours, messages are signed with the old one as well.',
  'webhook-sent': 'The message is on its way. Reload the page to see the result.',
  'webhook-replayed': 'The messages are on their way. Reload the page to see the results.',
}

export const webhookPageRoutes = new Endpoints()
  .get('/settings/webhooks', shown.session({}), listPage)
  .post(
    '/settings/webhooks',
    sent.session({ form: CreateForm }),
    handleForm(listPage, 'url', async (c, { form }) => {
      if (form.update) {
        c.set('rejection', { values: form, problems: {}, status: 200 })
        return listPage(c)
      }
      const input = { ...parseForm(NewWebhook, form), role: form.role }
      const { webhook } = await createWebhook(c.var, input)
      return wakeAndRedirect(c, webhook, 'webhook-created')
    }),
  )
  .get('/settings/webhooks/:webhook_id', details, detailsPage)
  .post(
    '/settings/webhooks/:webhook_id',
    sent.session({ param: WebhookId, form: ChangeForm }),
    handleForm(detailsPage, 'url', async (c, { param: { webhook_id: id }, form }) => {
      const changes = { id, ...parseForm(NewWebhook, form), enabled: form.enabled }
      return wakeAndRedirect(c, await updateWebhook(c.var, changes), 'webhook-saved')
    }),
  )
  .post('/settings/webhooks/:webhook_id/rotate', action, async (c, { param }) => {
    await rotateSecret(c.var, param.webhook_id)
    return c.redirect(`/settings/webhooks/${param.webhook_id}?notice=webhook-rotated`, 303)
  })
  .post('/settings/webhooks/:webhook_id/delete', action, async (c, { param }) => {
    await deleteWebhook(c.var, param.webhook_id)
    return c.redirect('/settings/webhooks?notice=webhook-deleted', 303)
  })
  .post('/settings/webhooks/:webhook_id/test', action, async (c, { param: { webhook_id: id } }) => {
    const { role, message } = await sendTest(c.var, id)
    const sending = sendFirst({ ...c.var, env: c.env }, { id, role })
    c.executionCtx.waitUntil(sending)
    await Promise.race([sending, scheduler.wait(TEST_WAIT)])
    return c.redirect(`/settings/webhooks/${id}?test=${message.id}`, 303)
  })
  .post(
    '/settings/webhooks/:webhook_id/messages/:message_id/resend',
    sent.session({ param: MessageId }),
    async (c, { param: { webhook_id: endpointId, message_id: id } }) => {
      const { role } = await resendMessage(c.var, { endpointId, id })
      return wakeAndRedirect(c, { id: endpointId, role }, 'webhook-sent')
    },
  )
  .post('/settings/webhooks/:webhook_id/replay', replay, async (c, { param, form }) => {
    const webhook = await replayEvents(c.var, { endpointId: param.webhook_id, ...form })
    return wakeAndRedirect(c, webhook, 'webhook-replayed')
  })

/** Milliseconds for which a page waits for the answer to a test. */
const TEST_WAIT = 5 * SECOND

/** Wakes the consumer for the endpoint, after the response. */
function wakeAndRedirect(
  c: Context<AppWithCaller>,
  endpoint: DueEndpoint,
  notice: keyof typeof notices,
) {
  c.executionCtx.waitUntil(wakeEndpoints(c.env, [endpoint]))
  return c.redirect(`/settings/webhooks/${endpoint.id}?notice=${notice}`, 303)
}

async function listPage(c: Context<AppWithCaller>) {
  const { account, webhooks } = await readOwnWebhooks(c.var)
  const view = <Webhooks webhooks={webhooks} />
  const scripts = ['webhooks.js']
  return page(c, { title: 'Webhooks', section: 'webhooks', notices, account, scripts }, view)
}

type Shown = { param: z.infer<typeof WebhookId>; query?: z.infer<typeof PageQuery> }

async function detailsPage(c: Context<AppWithCaller>, { param, query }: Shown) {
  const { settings, now } = c.var
  const { state, test } = query ?? {}
  const read = { id: param.webhook_id, ...query, limit: PAGE_SIZE }
  const { account, secretId, ...found } = await readWebhookPage(c.var, read)
  const secret = isRecent(account, now) ? await webhookSecret(settings, secretId) : undefined
  const scripts = ['dialog.js', 'copy.js']
  const view = <WebhookDetails {...found} secret={secret} state={state} test={test} />
  return page(c, { title: 'Webhook', section: 'webhooks', notices, account, scripts }, view)
}
