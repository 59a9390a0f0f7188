/** The plots of the page for operators. */

import type { Overview } from '../../operations/overview.ts'
import { type Period, periodsOf, type Range } from '../../operations/periods.ts'
import { count } from '../components/numbers.ts'
import { currentIf } from '../header.tsx'
import { countEnd, duration, durationEnd, periodName } from './format.ts'
import { Plot, type Series } from './plot.tsx'

const states = [
  ['delivered', 'Delivered'],
  ['underWay', 'Under way'],
  ['awaitingWallet', 'Without a wallet'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
] as const satisfies [keyof Period, string][]

const stateSeries: Series[] = states.map(([color, name]) => ({ name, color }))

const timeSeries: Series[] = [
  { name: 'Half of them (p50)', color: 'delivered' },
  { name: '95 % of them (p95)', color: 'slowest' },
]

/** What a plot takes of periods, and what its texts are. */
const shapes = {
  hours: { unit: 'hour', step: 12, title: '48 hours' },
  days: { unit: 'day', step: 6, title: '30 days' },
} as const satisfies Record<Range, object>

const columnsOf = (
  periods: readonly Period[],
  range: Range,
  valuesOf: (period: Period) => (number | null)[],
) =>
  periods.map((period) => {
    const name = periodName(period.start, shapes[range].unit)
    const label = range === 'hours' ? name.replace(/ .* /, ' ') : name.replace(/^\w+ /, '')
    return { name, label, values: valuesOf(period) }
  })

type PlotsProps = { hours: Overview['hours']; range: Range; now: Date }

export const Plots = ({ hours, range, now }: PlotsProps) => {
  if (hours.length === 0)
    return (
      <p class="empty">No order was placed in the last 30 days, so there is nothing to draw.</p>
    )
  const periods = periodsOf(hours, range, now)
  const { step } = shapes[range]
  const counts = { kind: 'bars', format: count, endOf: countEnd } as const
  return (
    <>
      <RangeLinks range={range} />
      <p class="hint">
        Orders by the {shapes[range].unit} in which they were placed (UTC), as they are now. The
        numbers are a minute old.
      </p>
      <div class="plots">
        <Plot
          id="by-state"
          title="Deliveries by state"
          series={stateSeries}
          columns={columnsOf(periods, range, (period) => states.map(([key]) => period[key]))}
          step={step}
          {...counts}
        />
        <Plot
          id="durations"
          title="Time to delivery"
          kind="lines"
          series={timeSeries}
          columns={columnsOf(periods, range, ({ p50, p95 }) => [p50, p95])}
          step={step}
          format={duration}
          endOf={durationEnd}
        />
        <Plot
          id="orders"
          title="Orders a day"
          series={[{ name: 'Orders', color: 'delivered' }]}
          columns={columnsOf(periodsOf(hours, 'days', now), 'days', ({ orders }) => [orders])}
          step={shapes.days.step}
          {...counts}
        />
      </div>
    </>
  )
}

const RangeLinks = ({ range }: { range: Range }) => (
  <nav class="tabs" aria-label="Range of the plots">
    <ul>
      {(['hours', 'days'] as const).map((other) => (
        <li>
          <a
            href={other === 'hours' ? '/operations#plots' : '/operations?range=days#plots'}
            {...currentIf(range === other)}
          >
            {shapes[other].title}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)
