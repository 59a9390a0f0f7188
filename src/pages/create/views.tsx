/** What people list by themselves: the list, the choice of a token, the form, and its preview. */
import type { Child } from 'hono/jsx'
import type { Fields } from '../../catalogue/change.ts'
import { fillShopUrl } from '../../catalogue/shop-url.ts'
import { mayList } from '../../creators/plan.ts'
import { catalogueLimits, contentLimits, creatorLimits } from '../../limits.ts'
import { readMetadata } from '../../marketplace/pages.ts'
import {
  Confirm,
  Field,
  Hidden,
  LinkButton,
  Notice,
  Select,
  Submit,
  Warning,
} from '../components/forms.tsx'
import { Facts, Pager, Rows } from '../components/lists.tsx'
import { Amount, End, Prices } from '../components/record-forms.tsx'
import { inTexts, usePage } from '../components/request.ts'
import { SupportAddress } from '../components/shop.tsx'
import { formatCount, formatMoney, pathOfRef } from '../components/text.ts'
import { ExplorerLink, useReason } from '../components/values.tsx'
import { NftPage } from '../nfts/views.tsx'
import type { AskedTokens } from './asked.ts'
import type { OwnHoldings } from './holdings.ts'
import type { ListedRecord, OwnRecords } from './own-records.ts'
import { type Chosen, heldOf } from './record.ts'

function useMayList(): boolean {
  const { account, settings } = usePage()
  return account !== null && mayList(settings, account.approved)
}

/** Why the signed-in user may list nothing. */
const WhyNot = () => {
  const { settings, texts } = usePage()
  const { why } = texts.create
  if (useMayList()) return null
  return (
    <Warning>
      {settings.CREATORS === 'off' ? why.off : why.invited} <SupportAddress />
    </Warning>
  )
}

/** What a form of these pages has done. */
const Done = () => {
  const { notice = '', texts } = usePage()
  const notices: Readonly<Record<string, string>> = texts.create.notices
  return Object.hasOwn(notices, notice) ? <Notice>{notices[notice]}</Notice> : null
}

/** A delivery needs the wallet that holds the tokens. */
const WalletHint = () => {
  const { account, texts } = usePage()
  const { linkIt, linkTheWallet } = texts.selling
  if (account?.ethereumPublicAddr) return null
  return <p>{linkIt(<a href="/settings/account">{linkTheWallet}</a>)}</p>
}

type ListProps = { nfts: readonly ListedRecord[]; next: number | null }

export const OwnNftList = ({ nfts, next }: ListProps) => {
  const { isFirstPage, texts } = usePage()
  const { create } = texts
  return (
    <div class="flow">
      <h1>{create.title}</h1>
      <Done />
      <p class="lead">{create.lead}</p>
      <WhyNot />
      {useMayList() && (
        <p class="actions">
          <LinkButton href="/create/new" kind="primary">
            {create.new}
          </LinkButton>
          <LinkButton href="/settings/selling">{texts.settings.selling}</LinkButton>
        </p>
      )}
      <Rows
        items={nfts}
        empty={isFirstPage ? create.none : create.noMore}
        row={(nft) => <OwnNft nft={nft} />}
      />
      <Pager noun={create} path="/create" next={{ before: next }} />
    </div>
  )
}

const OwnNft = ({ nft }: { nft: ListedRecord }) => {
  const { texts, locale } = usePage()
  const { ref, record, available, price, state, proposal } = nft
  const title = <bdi>{Object(record.metadata).name}</bdi>
  return (
    <li class="row">
      <div class="row-head">
        <h2>{ref === null ? title : <a href={pathOfRef(ref)}>{title}</a>}</h2>
        <span class="badge">{texts.create.states[state]}</span>
      </div>
      <p class="meta">
        <span>{formatMoney(price.price, price.currency, locale)}</span>
        <span>
          {available === null
            ? texts.selling.noLimit
            : texts.nfts.left(available, formatCount(available, locale))}
        </span>
      </p>
      <NftWaits state={state} proposal={proposal} />
    </li>
  )
}

type WaitingProps = Pick<ListedRecord, 'proposal'> & {
  isOnSale: boolean
  said: { draft: string; in_review: string; rejected: (reason: Child) => Child[] }
}

/** What becomes of a change of what is on sale, and why something was rejected. */
const Waiting = ({ proposal, isOnSale, said }: WaitingProps) => {
  if (!proposal) return null
  if (proposal.state === 'rejected') return <p>{said.rejected(<bdi>{proposal.reason}</bdi>)}</p>
  return isOnSale ? <p>{said[proposal.state]}</p> : null
}

const NftWaits = ({ state, proposal }: Pick<ListedRecord, 'state' | 'proposal'>) => {
  const { changes, rejected } = usePage().texts.create
  const isOnSale = state === 'released'
  const said = isOnSale ? changes : { ...changes, rejected }
  return <Waiting proposal={proposal} isOnSale={isOnSale} said={said} />
}

/** The first step: which tokens are to be listed. */
export const AskForm = () => {
  const isShown = useMayList()
  const { settings, texts } = usePage()
  const { create, orders } = texts
  const networks = Object.fromEntries(
    Object.entries(settings.NETWORKS).map(([network, { name = network }]) => [network, name]),
  )
  const [only, ...others] = Object.keys(networks)
  return (
    <div class="flow">
      <h1>{create.new}</h1>
      <WhyNot />
      <WalletHint />
      <OtherProblems names={['contract', 'ids']} />
      {isShown && (
        <form action="/create/new" class="panel flow">
          {others.length > 0 ? (
            <Select name="network" label={orders.network} options={networks} />
          ) : (
            <Hidden values={{ network: only }} />
          )}
          <Field
            name="contract"
            label={orders.contract}
            maxlength={100}
            autocomplete="off"
            spellcheck={false}
            required
            hint={create.contractHint}
          />
          <Field
            name="ids"
            label={create.ids}
            autocomplete="off"
            hint={create.idsHint(creatorLimits.tokens.max)}
          />
          <Select name="fulfilment" label={create.delivery} options={create.fulfilments} />
          <p class="actions">
            <Submit kind="primary">{create.next}</Submit>
            <LinkButton href="/create">{texts.layout.cancel}</LinkButton>
          </p>
        </form>
      )}
    </div>
  )
}

type ChoiceProps = { asked: AskedTokens; held: OwnHoldings; ref: string }

/** The second step: which of the tokens it is. */
export const TokenChoice = ({ asked, held, ref }: ChoiceProps) => {
  const { create } = usePage().texts
  return (
    <div class="flow">
      <h1>{create.choose}</h1>
      <WalletHint />
      {held === null ? (
        <Warning>{create.notTold}</Warning>
      ) : typeof held === 'string' ? (
        <NoHoldings code={held} />
      ) : (
        <Tokens asked={asked} held={held} ref={ref} />
      )}
      <p class="actions">
        <LinkButton href="/create/new">{create.askAgain}</LinkButton>
      </p>
    </div>
  )
}

type Held = Extract<OwnHoldings, object>

const NoHoldings = ({ code }: { code: Extract<OwnHoldings, string> }) => (
  <Warning>
    {usePage().texts.create.notListed(useReason({ reasonCode: code, reasonDetail: null }))}
  </Warning>
)

const Tokens = ({ asked, held, ref }: { asked: AskedTokens; held: Held; ref: string }) => {
  const { texts, locale } = usePage()
  const { create, orders } = texts
  const { fulfilment, ids } = asked
  const isMint = fulfilment === 'mint'
  const tokens = isMint ? ids.map((tokenId) => ({ tokenId, pieces: null })) : held.tokens
  if (tokens.length === 0)
    return (
      <Warning>{ids.length > 0 || held.isEnumerable ? create.holdsNone : create.listsNone}</Warning>
    )
  return (
    <form action={pathOfRef(ref)} class="panel flow">
      <Hidden
        values={{
          network: asked.network,
          contract: asked.contract,
          contractName: held.name,
          fulfilment,
          amountType: held.standard === 'erc721' ? 'unique' : 'limited',
        }}
      />
      <fieldset class="field">
        <legend>{held.name ? <bdi>{held.name}</bdi> : orders.tokenId}</legend>
        {tokens.map(({ tokenId, pieces }, i) => (
          <label class="check">
            <input
              type="radio"
              name="token"
              value={pieces === null ? tokenId : `${tokenId}:${pieces}`}
              checked={i === 0}
              required
            />
            <span>
              <span class="hash">{tokenId}</span>
              {pieces !== null &&
                ` · ${orders.pieces(Number(pieces), formatCount(Number(pieces), locale))}`}
            </span>
          </label>
        ))}
      </fieldset>
      {!isMint && tokens.length === creatorLimits.tokens.max && (
        <p class="hint">{create.mostShown(creatorLimits.tokens.max)}</p>
      )}
      <p class="actions">
        <Submit kind="primary">{create.next}</Submit>
      </p>
    </form>
  )
}

/** Why the form was refused, if no field of it says it. */
const OtherProblems = ({ names }: { names: readonly string[] }) => {
  const { rejection, texts } = usePage()
  const others = Object.entries(rejection?.problems ?? {}).filter(([name]) => !names.includes(name))
  return (
    <>
      {others.map(([, problem]) => (
        <Warning>{inTexts(problem, texts)}</Warning>
      ))}
    </>
  )
}

const fieldNames = [
  ...['title', 'description', 'link', 'image', 'contractName', 'phrase', 'shopUrl'],
  ...['priceCents', 'priceCurrency', 'priceEths', 'amount', 'activeTill'],
]

type RecordProps = OwnRecords & { ref: string; chosen: Chosen; isNotAllowed: boolean }

export const RecordPage = (props: RecordProps) => {
  const { nft, listing, ref, record, state, isNotAllowed } = props
  const { texts } = usePage()
  const { create, selling, settings } = texts
  const { stored } = nft
  const isMint = record.fulfilment === 'mint'
  return (
    <div class="flow">
      <p>
        <a href="/create">{create.title}</a>
        {stored && (
          <>
            {' · '}
            <a href="/settings/selling">{settings.selling}</a>
          </>
        )}
      </p>
      <div class="row-head">
        <h1>
          <bdi>{stored ? Object(record.metadata).name : create.new}</bdi>
        </h1>
        {state && <span class="badge">{create.states[state]}</span>}
      </div>
      <Done />
      <WhyNot />
      {state && stored && <NftWaits state={state} proposal={stored.proposal} />}
      <Waiting
        proposal={listing.stored?.proposal ?? null}
        isOnSale={state === 'released'}
        said={create.shopLink}
      />
      {isNotAllowed && (
        <p>
          {create.notAllowed(
            <a href="/settings/selling">{isMint ? selling.allowMinting : selling.allowDelivery}</a>,
          )}
        </p>
      )}
      <WalletHint />
      <OtherProblems names={fieldNames} />
      {state !== 'withdrawn' && <RecordForm {...props} />}
      {stored && (
        <p class="actions">
          <LinkButton href={`${pathOfRef(ref)}/preview`} kind="small">
            {create.preview}
          </LinkButton>
          {state === 'released' && (
            <LinkButton href={`/nfts/${stored.number}`} kind="small">
              {create.see}
            </LinkButton>
          )}
          {state !== 'withdrawn' && (
            <Confirm
              id="withdraw"
              label={create.withdraw.button}
              title={create.withdraw.ask}
              action={`${pathOfRef(ref)}/withdraw`}
              submit={create.withdraw.button}
            >
              <p>{create.withdraw.what}</p>
            </Confirm>
          )}
        </p>
      )}
    </div>
  )
}

const RecordForm = ({ nft, record, offer, ref, chosen, state }: RecordProps) => {
  const { account, texts } = usePage()
  const { addresses, create, nfts } = texts
  const { stored } = nft
  const metadata = Object(record.metadata)
  const held = heldOf(chosen)
  const hasPieces = record.amountType === 'limited' && record.amount !== null
  // What comes with an NFT stays while it is on sale, unless its creator is approved.
  const isContentFixed = state === 'released' && !account?.approved
  return (
    <form method="post" action={pathOfRef(ref)} class="panel flow">
      {!stored && (
        <Hidden
          values={{
            network: chosen.network,
            contract: chosen.contract,
            amountType: chosen.amountType,
            fulfilment: chosen.fulfilment,
            token: chosen.token,
          }}
        />
      )}
      <TokenFacts record={record} />
      <Field
        name="contractName"
        label={nfts.collection}
        value={String(record.contractName)}
        maxlength={255}
        required
      />
      <Field
        name="title"
        label={create.fields.title}
        value={metadata.name}
        maxlength={255}
        required
      />
      <Field
        name="description"
        label={addresses.optional(create.fields.text)}
        value={textOf(metadata.description)}
        rows={6}
        maxlength={catalogueLimits.description.max}
      />
      <Field
        name="link"
        label={addresses.optional(create.fields.link)}
        value={textOf(metadata.external_url)}
        inputmode="url"
        hint={create.fields.linkHint}
      />
      <Field
        name="image"
        label={addresses.optional(create.fields.image)}
        value={textOf(metadata.image)}
        inputmode="url"
        hint={create.fields.imageHint}
      />
      <Prices record={offer ?? record} hasCurrency />
      {hasPieces && <Amount record={record} hint={held && create.held(held)} />}
      <End record={offer ?? {}} />
      {!isContentFixed && (
        <Field
          name="phrase"
          label={addresses.optional(create.fields.phrase)}
          value={textOf(Object(record.content).phrase)}
          maxlength={contentLimits.phrase.max}
          autocomplete="off"
          hint={create.fields.phraseHint}
        />
      )}
      <Field
        name="shopUrl"
        label={addresses.optional(create.fields.shopUrl)}
        value={textOf(offer?.shopUrl)}
        inputmode="url"
        hint={create.fields.shopHint}
      />
      {!account?.approved && <p class="hint">{create.isReviewed}</p>}
      <p class="actions">
        <Submit action="draft">{create.saveDraft}</Submit>
        <Submit action="publish" kind="primary">
          {create.publish}
        </Submit>
      </p>
    </form>
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const TokenFacts = ({ record }: { record: Fields }) => {
  const { settings, texts } = usePage()
  const { create, orders, selling } = texts
  const network = String(record.network)
  return (
    <Facts
      facts={[
        [orders.network, settings.NETWORKS[network]?.name ?? network],
        [
          orders.contract,
          <ExplorerLink network={network} kind="address" value={String(record.contract)} />,
        ],
        [orders.tokenId, <span class="hash">{String(record.tokenId)}</span>],
        [
          create.delivery,
          record.fulfilment === 'mint' ? selling.minted : create.fulfilments.transfer,
        ],
      ]}
    />
  )
}

/** The page of the NFT, as buyers see it once it is on sale. */
export const RecordPreview = ({
  nft,
  listing,
  record,
  offer,
  ref,
}: OwnRecords & { ref: string }) => {
  const { account, texts } = usePage()
  const { create } = texts
  if (!account || !nft.stored) return null
  const { number, available } = nft.stored
  const metadata = Object(record.metadata)
  const { files = [], codes = false, release } = Object(record.content)
  const price = { price: Number(record.priceCents), currency: String(record.priceCurrency) }
  const offers = offer && [
    {
      seller: account,
      price: Number(offer.priceCents),
      currency: String(offer.priceCurrency),
      shopUrl: offer.shopUrl
        ? fillShopUrl(String(offer.shopUrl), {
            listingId: listing.stored?.number ?? 0,
            nftId: number,
            externalId: listing.externalId,
          })
        : null,
    },
  ]
  return (
    <div class="flow">
      <p class="notice info">
        {create.isPreview} <a href={pathOfRef(ref)}>{create.back}</a>
      </p>
      <NftPage
        nft={{
          id: number,
          title: String(metadata.name),
          description: textOf(metadata.description) || null,
          creator: account,
          network: String(record.network),
          contract: String(record.contract),
          tokenId: record.tokenId === null ? null : String(record.tokenId),
          amountType: record.amountType as never,
          available,
          imageUrl: null,
          notSellableReason: null,
          card: { status: String(record.status), amount: Number(record.amount), ...price },
        }}
        offers={offers ?? []}
        coverHint={metadata.image && create.pictureLater}
        contractName={String(record.contractName)}
        content={{ files: files.length, hasCodes: codes, isForHolder: release === 'holder' }}
        {...readMetadata(metadata)}
      />
    </div>
  )
}
