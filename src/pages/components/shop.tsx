/** Where something was bought, and whom to ask. */
import { mailtoUrl } from '../../http/text.ts'
import type { Shop } from '../../orders/reading/shop.ts'
import { usePage } from './request.ts'

/** Where the operator is asked, if there is an address. */
export const SupportAddress = () => {
  const { SUPPORT_EMAIL: email } = usePage().settings
  return email ? <a href={mailtoUrl(email)}>{email}</a> : null
}

export const ShopContact = ({ shop: { name, email, url } }: { shop: Shop }) => {
  const { layout } = usePage().texts
  return (
    <>
      {url ? <a href={url}>{name}</a> : <bdi>{name}</bdi>}
      {` – ${layout.questions}: `}
      <a href={mailtoUrl(email)}>{email}</a>
    </>
  )
}
