/** The page of the shops: their names and addresses, as buyers see them. */
import type { Context } from 'hono'
import * as z from 'zod'
import { nameOfSource } from '../../auth/sources.ts'
import { type AppWithCaller, Endpoints } from '../../http/endpoint.ts'
import { EmailAddress, inputText, writtenText } from '../../http/inputs.ts'
import {
  Field,
  Hidden,
  handleForm,
  LinkButton,
  parseForm,
  Submit,
} from '../../pages/components/forms.tsx'
import { Rows } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { ShopContact } from '../../pages/components/shop.tsx'
import { pathWith } from '../../pages/components/text.ts'
import { sent, shown } from '../../pages/page.tsx'
import { RecentSignIn } from '../../pages/settings.tsx'
import { AdminLayout, adminPage } from '../components/layout.tsx'
import { changeShop, type NamedShop, readShops } from './shops.ts'

const PATH = '/operations/shops'

const namespace = inputText(200)
const ShopsQuery = z.object({ namespace: namespace.optional().catch(undefined) })

/** The values are checked later, so that the page can show them again. */
const text = inputText(1000).default('')
const Form = z.object({ namespace, name: text, email: text, url: text })

const httpsUrl = z
  .url({ protocol: /^https$/, error: 'must begin with https://' })
  .refine((url) => !URL.parse(url)?.username, 'must not contain credentials')
const Shop = z.object({
  namespace,
  name: writtenText(100, 1),
  email: EmailAddress,
  url: z.literal('').or(httpsUrl),
})

type Props = { query?: z.output<typeof ShopsQuery>; form?: z.output<typeof Form> }

async function shopsPage(c: Context<AppWithCaller>, { query, form }: Props) {
  const { account, shops } = await readShops(c.var)
  const view = <Shops shops={shops} chosen={form?.namespace ?? query?.namespace} />
  return adminPage(c, { title: 'Shops', account }, view)
}

export const shopRoutes = new Endpoints()
  .get(PATH, shown.administrator({ query: ShopsQuery }), shopsPage)
  .post(
    PATH,
    sent.administrator({ form: Form }),
    handleForm(shopsPage, 'name', async (c, { form }: { form: z.output<typeof Form> }) => {
      const { url, ...shop } = parseForm(Shop, form)
      await changeShop(c.var, { ...shop, url: url || null })
      return c.redirect(pathWith(PATH, { notice: 'saved' }), 303)
    }),
  )

type ShopsProps = {
  shops: NamedShop[]
  /** The namespace of the shop whose form is shown. */
  chosen: string | undefined
}

const Shops = ({ shops, chosen }: ShopsProps) => (
  <AdminLayout path={PATH} notice={usePage().notice === 'saved' && 'The shop is saved.'}>
    <h1>Shops</h1>
    <p class="lead">
      Each name of a master token stands for a shop. Pages and mails of its orders tell buyers what
      the shop is called and where to ask.
    </p>
    <Rows
      items={shops}
      empty="No master token places orders."
      row={(shop) => (
        <li class="row">
          <div class="row-head">
            <strong>
              <bdi>{nameOfSource(shop.namespace)}</bdi>
            </strong>
          </div>
          {shop.namespace === chosen ? <ShopForm shop={shop} /> : <ShownShop shop={shop} />}
        </li>
      )}
    />
  </AdminLayout>
)

const ShownShop = ({ shop: { namespace, name, email, url } }: { shop: NamedShop }) => (
  <div class="line">
    <p class="meta">
      {name === null || email === null ? (
        'Buyers are not told whom to ask.'
      ) : (
        <ShopContact shop={{ name, email, url }} />
      )}
    </p>
    <LinkButton href={pathWith(PATH, { namespace })} kind="small">
      {name === null ? 'Name it' : 'Change'}
      <span class="visually-hidden"> {nameOfSource(namespace)}</span>
    </LinkButton>
  </div>
)

const ShopForm = ({ shop: { namespace, name, email, url } }: { shop: NamedShop }) => (
  <RecentSignIn toDo="change a shop" path={pathWith(PATH, { namespace })} isInPanel>
    <form method="post" action={PATH} class="flow">
      <Hidden values={{ namespace }} />
      <Field name="name" label="Name" value={name ?? ''} required maxlength={100} />
      <Field
        name="email"
        label="E-mail address for questions"
        type="email"
        value={email ?? ''}
        required
        maxlength={254}
      />
      <Field name="url" label="Website, if it has one" type="url" value={url ?? ''} />
      <p class="actions">
        <Submit kind="primary">Save</Submit>
        <LinkButton href={PATH}>Cancel</LinkButton>
      </p>
    </form>
  </RecentSignIn>
)
