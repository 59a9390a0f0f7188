/** The charts of the overview. */
import { Menu } from '../../pages/components/lists.tsx'
import { usePage } from '../../pages/components/request.ts'
import { formatCount } from '../../pages/components/text.ts'
import { countEnd, duration, durationEnd, periodName } from '../components/format.ts'
import { groupByPeriod, type Period, type Range } from './periods.ts'
import { type Column, Plot, type Series } from './plot.tsx'
import type { Overview } from './read.ts'

/** The colour of each is the field of a period that it shows. */
const stateSeries = [
  { color: 'delivered', name: 'Delivered' },
  { color: 'underWay', name: 'Under way' },
  { color: 'awaitingWallet', name: 'Without a wallet' },
  { color: 'failed', name: 'Failed' },
  { color: 'cancelled', name: 'Cancelled or written off' },
] satisfies (Series & { color: keyof Period })[]

const timeSeries: Series[] = [
  { name: 'Half of them (p50)', color: 'delivered' },
  { name: '95 % of them (p95)', color: 'slowest' },
]

const hoursPath = '/operations#plots'
const daysPath = '/operations?range=days#plots'

export const Plots = ({ hours, range }: { hours: Overview['hours']; range: Range }) => {
  if (hours.length === 0)
    return (
      <p class="empty">No order was placed in the last 30 days, so there is nothing to draw.</p>
    )
  const isHourly = range === 'hours'
  const unit = isHourly ? 'hour' : 'day'
  const step = isHourly ? 12 : 6
  const periods = groupByPeriod(hours, range, usePage().now)
  const columns = (readValues: (period: Period) => Column['values']): Column[] =>
    periods.map((period) => {
      const name = periodName(period.start, unit)
      const label = isHourly ? name.replace(/ .* /, ' ') : name.replace(/^\w+ /, '')
      return { name, label, values: readValues(period) }
    })
  return (
    <>
      <Menu
        label="Range of the plots"
        links={[
          [hoursPath, '48 hours'],
          [daysPath, '30 days'],
        ]}
        current={isHourly ? hoursPath : daysPath}
        isTabs
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
          columns={columns((period) => stateSeries.map(({ color }) => period[color]))}
          step={step}
          format={formatCount}
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
