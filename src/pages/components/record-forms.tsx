/** The parts of forms that change NFTs and listings. */
import type { Child } from 'hono/jsx'
import { type Fields, jsonOf } from '../../catalogue/change.ts'
import { Field, Problem, useProblem } from './forms.tsx'
import { enterCurrency, priceIn, toLocalTime } from './record-fields.ts'
import { usePage } from './request.ts'
import { decimalPrice, formatMoney } from './text.ts'

type RecordProps = { record: Fields }

/** What the form shows, so that nobody overwrites what others have changed. */
export const Shown = ({ record, names }: RecordProps & { names: readonly string[] }) => (
  <>
    <input type="hidden" name="shown" value={jsonOf(record, names)} />
    <Problem id="shown-problem" text={useProblem('shown')} />
  </>
)

/** The price that was entered is asked for, with the present one, if it differs by much. */
function usePriceQuestion({ priceCurrency, ...record }: Fields): string | undefined {
  const { rejection, texts, locale } = usePage()
  if (rejection?.status !== 409 || !rejection.problems.priceCents) return undefined
  const describe = (cents: unknown, eths: unknown, currency: string) =>
    `${formatMoney(Number(cents), currency, locale)} (${eths} ETH)`
  const { values } = rejection
  const entered = enterCurrency({ priceCurrency, ...values })
  return texts.recordForm.asked(
    describe(record.priceCents, record.priceEths, String(priceCurrency)),
    describe(priceIn(entered).parse(values.priceCents), values.priceEths, entered),
  )
}

/** `hasCurrency`: whether the currency is entered, too. A new record has no price yet. */
export const Prices = ({ record, hasCurrency }: RecordProps & { hasCurrency?: boolean }) => {
  const { recordForm } = usePage().texts
  const question = usePriceQuestion(record)
  const { priceCents } = record
  const currency = String(record.priceCurrency)
  return (
    <>
      <Field
        name="priceCents"
        label={hasCurrency ? recordForm.ofPiece : recordForm.price(currency)}
        value={priceCents === undefined ? '' : decimalPrice(Number(priceCents), currency)}
        inputmode="decimal"
        required
        {...(question && { problem: question })}
      />
      {hasCurrency && (
        <Field
          name="priceCurrency"
          label={recordForm.currency}
          value={currency}
          maxlength={3}
          required
          hint={recordForm.currencyHint}
        />
      )}
      <Field
        name="priceEths"
        label={recordForm.price('ETH')}
        value={String(record.priceEths)}
        inputmode="decimal"
        required
      />
      {question && (
        <label class="check">
          <input type="checkbox" name="confirm" />
          {recordForm.isRight}
        </label>
      )}
    </>
  )
}

/** The pieces of an NFT of which somebody says how many it has. */
export const Amount = ({ record, hint }: RecordProps & { hint?: Child }) => (
  <Field
    name="amount"
    label={usePage().texts.recordForm.amount}
    value={String(record.amount)}
    inputmode="numeric"
    required
    hint={hint}
  />
)

export const ListingInputs = ({ record }: RecordProps) => {
  const { rejection, texts } = usePage()
  const { recordForm } = texts
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          name="active"
          checked={Boolean((rejection?.values ?? record).active)}
        />
        {recordForm.active}
      </label>
      <Prices record={record} />
      <Field
        name="perOrder"
        label={recordForm.perOrder}
        value={record.amount === null ? '' : String(record.amount)}
        inputmode="numeric"
        hint={recordForm.noLimit}
      />
      <End record={record} />
    </>
  )
}

/** When a listing ends. */
export const End = ({ record }: RecordProps) => {
  const { recordForm } = usePage().texts
  return (
    <Field
      name="activeTill"
      label={recordForm.activeTill}
      type="datetime-local"
      value={toLocalTime(record.activeTill)}
      hint={recordForm.noEnd}
    />
  )
}
