import { maskEmail } from '../../identity/mask.ts'
import type { findPhoneLink } from '../../identity/phone-link.ts'
import { CopyField, Hidden, LinkButton, PostButton, Submit } from '../components/forms.tsx'
import { QrCode } from '../components/qr.tsx'
import { usePage } from '../components/request.ts'
import { Wallets } from '../wallet/views.tsx'

type Link = Awaited<ReturnType<typeof findPhoneLink>>

const urlOf = (secret: string) => `${usePage().settings.PUBLIC_URL}/phone?secret=${secret}`

/** `proved`: the wallet waits for its confirmation. `taken`: it has an account, so another one may be used. */
function stateOf(link: Link): 'waiting' | 'proved' | 'taken' | 'ended' {
  if (!link) return 'ended'
  if (!link.wallet) return 'waiting'
  return link.hasAccount ? 'taken' : 'proved'
}

/** Whether the phone is to prove a wallet, or another one. */
export const waitsForPhone = (link: Link): boolean => /^(waiting|taken)$/.test(stateOf(link))

const HasAccount = () => {
  const { phone } = usePage().texts
  return (
    <>
      <h1>{phone.hasAccount}</h1>
      <p>{phone.useAccount}</p>
    </>
  )
}

type PhoneCodeProps = { orderId: number; secret: string; link: Link }

/** In the signed-in browser. The script `phone.js` loads it again until the phone has proved a wallet. */
export const PhoneCode = ({ orderId, secret, link }: PhoneCodeProps) => {
  const { phone } = usePage().texts
  const state = stateOf(link)
  return (
    <section class="card narrow">
      <div id="phone" class="flow" data-state={state}>
        {state === 'waiting' && <ScanCode url={urlOf(secret)} />}
        {state === 'proved' && (
          <ConfirmWallet orderId={orderId} secret={secret} wallet={link?.wallet ?? ''} />
        )}
        {state === 'taken' && <HasAccount />}
        {state === 'ended' && <h1>{phone.ended}</h1>}
      </div>
      <p class="status" id="live" role="status" />
      <p class="visually-hidden" id="news" role="status" />
      <div class="actions">
        <PostButton action={`/claim/${orderId}/phone`} kind="normal">
          {phone.newCode}
        </PostButton>
        <LinkButton href={`/claim/${orderId}`}>{phone.back}</LinkButton>
      </div>
    </section>
  )
}

const ScanCode = ({ url }: { url: string }) => {
  const { phone } = usePage().texts
  return (
    <>
      <h1>{phone.scan}</h1>
      <p>{phone.how}</p>
      <QrCode text={url} label={phone.code} />
      <details>
        <summary>{phone.noCamera}</summary>
        <CopyField id="phone-address" label={phone.address} text={url} rows={3} />
      </details>
    </>
  )
}

const ConfirmWallet = ({
  orderId,
  secret,
  wallet,
}: Omit<PhoneCodeProps, 'link'> & { wallet: string }) => {
  const { phone } = usePage().texts
  return (
    <>
      <h1>{phone.isYours}</h1>
      <p>{phone.compare}</p>
      <p class="code">{wallet}</p>
      <form method="post" action={`/claim/${orderId}/phone/confirm`} class="stack">
        <Hidden values={{ secret, wallet }} />
        <Submit kind="primary">{phone.confirm}</Submit>
      </form>
    </>
  )
}

/** On the phone. Who was sent the code by somebody else would link a wallet to the account of a stranger. */
export const PhoneStart = ({ secret }: { secret: string }) => {
  const { phone } = usePage().texts
  return (
    <section class="card narrow">
      <h1>{phone.title}</h1>
      <p>{phone.start}</p>
      <form method="post" action="/phone" class="stack">
        <Hidden values={{ secret }} />
        <Submit kind="primary">{phone.goOn}</Submit>
      </form>
      <p class="hint">{phone.onlyYours}</p>
    </section>
  )
}

export const PhoneWallet = ({ secret, link }: { secret: string; link: Link }) => {
  const { phone } = usePage().texts
  const state = stateOf(link)
  return (
    <section class="card narrow">
      {state === 'ended' && (
        <>
          <h1>{phone.ended}</h1>
          <p>{phone.askNew}</p>
        </>
      )}
      {state === 'proved' && (
        <>
          <h1>{phone.nowConfirm}</h1>
          <p>{phone.whereToConfirm}</p>
          <p class="code">{link?.wallet}</p>
        </>
      )}
      {state === 'taken' && <HasAccount />}
      {state === 'waiting' && <h1>{phone.title}</h1>}
      {link && waitsForPhone(link) && (
        <>
          <p>{phone.toAccount(<strong>{maskEmail(link.email)}</strong>)}</p>
          <Wallets purpose="phone" redirect="/phone/wallet" page={urlOf(secret)} />
        </>
      )}
    </section>
  )
}
