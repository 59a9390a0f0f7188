import { maskEmail } from '../../identity/mask.ts'
import { orderNumber } from '../../orders/number.ts'
import { Hidden, LinkButton, Notice, PostButton, Submit } from '../components/forms.tsx'
import { Meta } from '../components/lists.tsx'
import { Cover } from '../components/nfts.tsx'
import { usePage } from '../components/request.ts'
import { ShopContact } from '../components/shop.tsx'
import { displayName, formatCount, pathWith } from '../components/text.ts'
import { Title } from '../components/values.tsx'
import { walletSites } from '../wallet/apps.ts'
import { Wallets } from '../wallet/views.tsx'
import type { Claim } from './claim.ts'

/** What was done about the mail: sent, or perhaps not, because few are left. */
export const claimNotices = ['sent', 'scarce'] as const
type ClaimNotice = (typeof claimNotices)[number]

type ClaimProps = {
  claim: Claim
  secret: string | undefined
  /** Whether the buyer has just proved the address, and may link a wallet. */
  isReady: boolean
  notice: ClaimNotice | undefined
}

export const ClaimPage = ({ claim, secret, isReady, notice }: ClaimProps) => {
  const { locale, texts } = usePage()
  const { nftId, title, quantity, coverKey, image } = claim
  const pieces = texts.orders.pieces(quantity, formatCount(quantity, locale))
  return (
    <section class="card narrow">
      <Cover nft={{ id: nftId, coverKey, payload: { metadata: { image } } }} size="page" />
      <h1>
        <Title>{title}</Title>
      </h1>
      <Meta facts={[pieces, texts.orders.order(<bdi>{orderNumber(claim)}</bdi>)]} />
      {claim.shop && (
        <p class="hint">
          {texts.orders.shop}: <ShopContact shop={claim.shop} />
        </p>
      )}
      <OtherAccount claim={claim} />
      {isReady ? (
        <WalletStep claim={claim} />
      ) : (
        <EmailStep claim={claim} secret={secret} notice={notice} />
      )}
    </section>
  )
}

/** Says that somebody else than the buyer is signed in. */
const OtherAccount = ({ claim: { id, buyerId, email } }: Pick<ClaimProps, 'claim'>) => {
  const { account, settings, texts } = usePage()
  if (!account || account.id === buyerId) return null
  return (
    <>
      <p class="notice info">
        <span>
          {texts.brokenLink.signedInAs(displayName(account))}{' '}
          {email && texts.claim.belongsTo(<strong>{maskEmail(email)}</strong>)}
        </span>
      </p>
      <form method="post" action="/sign-out" class="actions">
        <Hidden values={{ redirect: `${settings.PUBLIC_URL}/claim/${id}` }} />
        <Submit>{texts.layout.signOut}</Submit>
      </form>
    </>
  )
}

type EmailStepProps = Pick<ClaimProps, 'claim' | 'secret' | 'notice'>

const EmailStep = ({ claim: { id, email, waits }, secret, notice }: EmailStepProps) => {
  const { claim, signIn } = usePage().texts
  const mailbox = <strong>{maskEmail(email)}</strong>
  if (!email)
    return (
      <>
        <p>{claim.signIn}</p>
        <p class="actions">
          <LinkButton kind="primary" href={pathWith('/sign-in', { redirect: `/orders/${id}` })}>
            {signIn.title}
          </LinkButton>
        </p>
      </>
    )
  return (
    <>
      <h2>{claim.confirmEmail}</h2>
      {notice === 'sent' && (
        <Notice>
          {signIn.sent.to(mailbox)} {signIn.sent.anywhere}
        </Notice>
      )}
      {notice === 'scarce' && <p class="notice warn">{signIn.sent.scarce}</p>}
      {!notice && <p>{claim.toEmail(mailbox)}</p>}
      <form method="post" action={`/claim/${id}/email`} class="stack">
        <Hidden values={{ secret }} />
        <Submit kind={notice ? 'normal' : 'primary'}>
          {notice ? signIn.sent.sendAnother : signIn.send}
        </Submit>
      </form>
      <p class="hint">{notice ? signIn.sent.hint : waits ? claim.thenWallet : claim.isClaimed}</p>
    </>
  )
}

const WalletStep = ({ claim: { id } }: Pick<ClaimProps, 'claim'>) => {
  const { claim, phone } = usePage().texts
  return (
    <>
      <h2>{claim.connectWallet}</h2>
      <p>{claim.toWallet}</p>
      <Wallets
        purpose="link"
        redirect={`/orders/${id}`}
        page={`/claim/${id}`}
        target={`/claim/${id}/wallet`}
      />
      <PostButton action={`/claim/${id}/phone`} kind="normal">
        {phone.onPhone}
      </PostButton>
      <details>
        <summary>{claim.noWallet}</summary>
        <p>{claim.whatIsWallet}</p>
        <ul class="list">
          {Object.entries(walletSites).map(([name, url]) => (
            <li>
              <a href={url} rel="noreferrer">
                {name}
              </a>
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}
