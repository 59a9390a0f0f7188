/** The charts of the page for operators. */

import { Tabs } from '../../pages/components/navigation.tsx'
import { count } from '../../pages/components/numbers.ts'
import { usePage } from '../../pages/components/request.ts'
import { countEnd, duration, durationEnd, periodName } from '../format.ts'
import { groupByPeriod, type Period, type Range } from './periods.ts'
import { type Column, Plot, type Series } from './plot.tsx'
import type { Overview } from './read.ts'

const states = [
  ['delivered', 'Delivered'],
  ['underWay', 'Under way'],
  ['awaitingWallet', 'Without a wallet'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled or written off'],
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

type PlotsProps = { hours: Overview['hours']; range: Range }

/** The charts of deliveries by hour or day. */
export const Plots = ({ hours, range }: PlotsProps) => {
  if (hours.length === 0)
    return (
      <p class="empty">No order was placed in the last 30 days, so there is nothing to draw.</p>
    )
  const { unit, step } = shapes[range]
  const periods = groupByPeriod(hours, range, usePage().now)
  const columns = (readValues: (period: Period) => Column['values']): Column[] =>
    periods.map((period) => {
      const name = periodName(period.start, unit)
      const label = range === 'hours' ? name.replace(/ .* /, ' ') : name.replace(/^\w+ /, '')
      return { name, label, values: readValues(period) }
    })
  return (
    <>
      <Tabs
        label="Range of the plots"
        tabs={[
          ['/operations#plots', shapes.hours.title, range === 'hours'],
          ['/operations?range=days#plots', shapes.days.title, range === 'days'],
        ]}
      />
      <p class="hint">
        Orders by the {unit} in which they were placed (UTC), as they are now. The numbers are a
        minute old.
      </p>
      <div class="plots">
        <Plot
          id="by-state"
          title="Deliveries by state"
          isStacked
          series={stateSeries}
          columns={columns((period) => states.map(([key]) => period[key]))}
          step={step}
          format={count}
          endOf={countEnd}
        />
        <Plot
          id="durations"
          title="Time to delivery"
          isStacked={false}
          series={timeSeries}
          columns={columns(({ p50, p95 }) => [p50, p95])}
          step={step}
          format={duration}
          endOf={durationEnd}
        />
      </div>
    </>
  )
}
