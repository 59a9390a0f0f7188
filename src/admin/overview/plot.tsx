/**
 * Bar charts as SVG. The drawing is stretched to the width of the page, so its texts stand around
 * it. Colours are classes of `operations.css`. `plots.js` shows the title of a column as a tooltip.
 */
import { Table } from '../components/layout.tsx'

export type Series = { name: string; color: string }

export type Column = {
  /** The full name, and the text at the axis. */
  name: string
  label: string
  /** One for each series; null if it is not known. */
  values: (number | null)[]
}

type PlotProps = {
  id: string
  title: string
  /** Whether the bars are stacked, the first at the bottom. Otherwise the first is in front. */
  isStacked: boolean
  series: Series[]
  columns: Column[]
  /** Every so many columns have a text at the axis. */
  step: number
  format: (value: number) => string
  /** Returns where the axis ends, for the largest value. */
  endOf: (max: number) => number
}

/** A bar chart with a table of the same numbers for those who do not see the drawing, the newest first. */
export const Plot = ({ id, title, isStacked, series, columns, step, format, endOf }: PlotProps) => {
  const bars = columns.map(({ values }) => placeBars(values, isStacked))
  const tops = bars.map((column) => Math.max(0, ...column.map(({ top }) => top)))
  const end = endOf(Math.max(...tops))
  const { isLogarithmic, middle, heightOf } = scaleOf(tops, end)
  const formatted = columns.map(({ values }) =>
    values.map((value) => (value === null ? '–' : format(value))),
  )
  return (
    <figure class="plot panel" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <Legend series={series} />
      {isLogarithmic && (
        <p class="hint">Logarithmic axis: twice the height is many times as much.</p>
      )}
      <div class="plot-area">
        <div class="plot-y" aria-hidden="true">
          {[end, middle, 0].map((value) => (
            <span>{format(value)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${columns.length} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}${isLogarithmic ? ', logarithmic axis' : ''}. The table has the numbers.`}
        >
          <path class="plot-grid" d={`M0 0H${columns.length}M0 50H${columns.length}`} />
          {columns.map(({ name }, x) => (
            <g class="column">
              <title>
                {[name, ...series.map((one, i) => `${one.name}: ${formatted[x]?.[i]}`)].join('\n')}
              </title>
              <rect class="hit" x={x} width={1} height={100} />
              <Bars
                bars={bars[x] ?? []}
                x={x}
                series={series}
                heightOf={heightOf}
                isSingle={!tops[x - 1] && !tops[x + 1]}
              />
            </g>
          ))}
          <path class="plot-axis" d={`M0 100H${columns.length}`} />
        </svg>
        <div class="plot-x" aria-hidden="true">
          {columns.map(({ label }, i) => i % step === 0 && <span>{label}</span>)}
        </div>
      </div>
      <details>
        <summary>Table</summary>
        <Table
          label={`Table: ${title}`}
          head={['Time (UTC)', ...series.map(({ name }) => name)]}
          rows={columns.map(({ name }, i) => [name, ...(formatted[i] ?? [])] as const).toReversed()}
        />
      </details>
    </figure>
  )
}

type Bar = { bottom: number; top: number }

function placeBars(values: Column['values'], isStacked: boolean): Bar[] {
  let bottom = 0
  return values.map((value) => {
    const bar = { bottom, top: bottom + (value ?? 0) }
    if (isStacked) bottom = bar.top
    return bar
  })
}

/** The largest column may be this many times the median one before the axis is logarithmic. */
const MAX_RATIO = 20

/** `heightOf` returns the height of a value in percent. */
function scaleOf(tops: readonly number[], end: number) {
  const known = tops.filter((top) => top > 0).sort((a, b) => a - b)
  const [least = 1] = known
  const median = known[Math.floor((known.length - 1) / 2)] ?? 0
  const isLogarithmic = known.length > 1 && Math.max(...known) > median * MAX_RATIO
  const share = (value: number) =>
    isLogarithmic ? Math.log1p(value / least) / Math.log1p(end / least) : value / end
  return {
    isLogarithmic,
    middle: isLogarithmic ? Math.round(least * (Math.sqrt(1 + end / least) - 1)) : end / 2,
    // Rounded, because more digits only make the page larger.
    heightOf: (value: number) => Math.round(share(value) * 1e4) / 100,
  }
}

type BarsProps = {
  bars: readonly Bar[]
  x: number
  series: readonly Series[]
  heightOf: (value: number) => number
  /** Whether the columns beside it are empty. A marker shows its value, however small it is. */
  isSingle: boolean
}

const Bars = ({ bars, x, series, heightOf, isSingle }: BarsProps) => {
  const highest = Math.max(...bars.map(({ top }) => top))
  const marks = bars.map(({ bottom, top }, i) => {
    const height = heightOf(top) - heightOf(bottom)
    if (height <= 0) return null
    const color = series[i]?.color
    const y = 100 - heightOf(top)
    return [
      <rect class={`bar-mark ${color}`} x={x + 0.1} y={y} width={0.8} height={height} />,
      isSingle && top === highest && <path class={`marker ${color}`} d={`M${x + 0.5} ${y}h0`} />,
    ]
  })
  return <>{marks.toReversed()}</>
}

/** In the order of the bars, from the top. */
const Legend = ({ series }: Pick<PlotProps, 'series'>) => (
  <ul class="legend">
    {series.toReversed().map(({ name, color }) => (
      <li>
        <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
          <rect class={`bar-mark ${color}`} width="12" height="12" />
        </svg>
        {name}
      </li>
    ))}
  </ul>
)
