/** Pages on which people list NFTs by themselves: `docs/guides/creators.md`. */
import type { Context } from 'hono'
import * as z from 'zod'
import { readAccount } from '../../auth/session.ts'
import { mayList } from '../../creators/plan.ts'
import { Ref } from '../../creators/record.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { cursorText } from '../../http/inputs.ts'
import { signInRateLimit } from '../../http/rate-limit.ts'
import type { Texts } from '../../texts/en.ts'
import { handleForm } from '../components/forms.tsx'
import { pathOfRef, pathWith } from '../components/text.ts'
import { page, sent, shown } from '../page.tsx'
import { type AskedForm, AskedQuery, parseAsked } from './asked.ts'
import { readOwnHoldings } from './holdings.ts'
import {
  lacksPermission,
  listOwnRecords,
  readOwnRecords,
  saveOwnRecords,
  withdrawOwnRecords,
} from './own-records.ts'
import { type Chosen, ChosenValues, RecordValues } from './record.ts'
import { readTokenTexts } from './token-texts.ts'
import { AskForm, OwnNftList, RecordPage, RecordPreview, TokenChoice } from './views.tsx'

const ListQuery = z.object({ before: cursorText.optional().catch(undefined) })
const RefParam = z.object({ ref: Ref })
// It asks the chain, and counts that.
const newPage = { ...shown.session({ query: AskedQuery }), reads: 'primary' as const }
const recordPage = {
  ...shown.session({ param: RefParam, query: ChosenValues }),
  checks: [signInRateLimit],
}

const newTitle = ({ create }: Texts) => create.new

export const createRoutes = new Endpoints({ isTranslated: true })
  .get('/create', shown.session({ query: ListQuery }), async (c, { query }) => {
    const { before = Number.MAX_SAFE_INTEGER } = query
    const { account, ...list } = await listOwnRecords(c.var, { before })
    const title = ({ create }: Texts) => create.title
    return page(c, { title, account }, <OwnNftList {...list} />)
  })
  .get('/create/new', newPage, (c, { query }) =>
    query.contract === undefined ? askPage(c) : choosePage(c, { form: query }),
  )
  .get('/create/:ref', recordPage, (c, { param, query }) => showRecord(c, { param, form: query }))
  .post(
    '/create/:ref',
    sent.session({ param: RefParam, form: RecordValues }),
    handleForm(showRecord, 'ref', async (c, { param: { ref }, form }) => {
      await saveOwnRecords(c.var, ref, form)
      return c.redirect(pathWith(pathOfRef(ref), { notice: 'saved' }), 303)
    }),
  )
  .post(
    '/create/:ref/withdraw',
    sent.session({ param: RefParam }),
    async (c, { param: { ref } }) => {
      await withdrawOwnRecords(c.var, ref)
      return c.redirect('/create?notice=withdrawn', 303)
    },
  )
  .get(
    '/create/:ref/preview',
    shown.session({ param: RefParam }),
    async (c, { param: { ref } }) => {
      const { account, ...records } = await readOwnRecords(c.var, ref, null)
      const title = ({ create }: Texts) => create.preview
      return page(c, { title, account }, <RecordPreview {...records} ref={ref} />)
    },
  )

async function askPage(c: Context<AppWithCaller>) {
  const account = await readAccount(c.var)
  return page(c, { title: newTitle, account }, <AskForm />)
}

const choosePage = handleForm(askPage, 'contract', async (c, { form }: { form: AskedForm }) => {
  const account = await readAccount(c.var)
  if (!mayList(c.var.settings, account.approved)) return askPage(c)
  const asked = parseAsked(c.var.settings, form)
  const held = await readOwnHoldings(c.var, asked)
  const view = <TokenChoice asked={asked} held={held} ref={crypto.randomUUID()} />
  return page(c, { title: ({ create }) => create.choose, account }, view)
})

/** With what was entered, if it was rejected. */
async function showRecord(
  c: Context<AppWithCaller>,
  { param: { ref }, form: chosen }: { param: { ref: string }; form: Chosen },
) {
  const { account, record, ...records } = await readOwnRecords(c.var, ref, chosen)
  const isBegun = !records.nft.stored && !c.get('rejection')
  const metadata =
    isBegun && mayList(c.var.settings, account.approved)
      ? await readTokenTexts(c.var.settings, record)
      : record.metadata
  const isNotAllowed = !c.get('rejection') && (await lacksPermission(c.var, records.nft))
  const title = ({ create }: Texts) => (records.nft.stored ? create.title : create.new)
  const view = (
    <RecordPage {...records} record={{ ...record, metadata }} {...{ ref, chosen, isNotAllowed }} />
  )
  return page(c, { title, account, scripts: ['dialog.js'] }, view)
}
