/**
 * Bar charts as SVG. The drawing is stretched to the width of the page, so its texts stand around
 * it. Colours are classes of `operations.css`. `plots.js` shows the title of a column as a tooltip.
 */
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

/** A bar chart with a table of the same numbers. */
export const Plot = ({ id, title, isStacked, series, columns, step, format, endOf }: PlotProps) => {
  const bars = columns.map(({ values }) => values.map((_, i) => barAt(values, i, isStacked)))
  const end = endOf(Math.max(...bars.flat().map(({ top }) => top)))
  return (
    <figure class="plot panel" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <Legend series={series} />
      <div class="plot-area">
        <div class="plot-y" aria-hidden="true">
          {[end, end / 2, 0].map((value) => (
            <span>{format(value)}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${columns.length} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}. The table has the numbers.`}
        >
          <path class="plot-grid" d={`M0 0H${columns.length}M0 50H${columns.length}`} />
          {columns.map((column, x) => (
            <g class="column">
              <title>{describeColumn(column, series, format)}</title>
              <rect class="hit" x={x} width={1} height={100} />
              <Bars bars={bars[x] ?? []} x={x} series={series} end={end} />
            </g>
          ))}
          <path class="plot-axis" d={`M0 100H${columns.length}`} />
        </svg>
        <div class="plot-x" aria-hidden="true">
          {columns.map(({ label }, i) => i % step === 0 && <span>{label}</span>)}
        </div>
      </div>
      <Numbers title={title} series={series} columns={columns} format={format} />
    </figure>
  )
}

type Bar = { bottom: number; top: number }

function barAt(values: Column['values'], i: number, isStacked: boolean): Bar {
  const value = values[i] ?? 0
  const bottom = isStacked ? values.slice(0, i).reduce<number>((sum, v) => sum + (v ?? 0), 0) : 0
  return { bottom, top: bottom + value }
}

type BarsProps = { bars: readonly Bar[]; x: number; series: readonly Series[]; end: number }

const Bars = ({ bars, x, series, end }: BarsProps) => {
  /** Rounded, because more digits only make the page larger. */
  const percent = (value: number) => Math.round((value / end) * 1e4) / 100
  return (
    <>
      {bars
        .map(({ bottom, top }, i) => {
          const height = percent(top) - percent(bottom)
          const color = series[i]?.color
          return (
            height > 0 && (
              <rect
                class={`bar-mark ${color}`}
                x={x + 0.1}
                y={100 - percent(top)}
                width={0.8}
                height={height}
              />
            )
          )
        })
        .toReversed()}
    </>
  )
}

const describeColumn = (
  { name, values }: Column,
  series: readonly Series[],
  format: PlotProps['format'],
) => [name, ...series.map((one, i) => `${one.name}: ${formatValue(values[i], format)}`)].join('\n')

const formatValue = (value: number | null | undefined, format: PlotProps['format']) =>
  typeof value === 'number' ? format(value) : '–'

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

type NumbersProps = Pick<PlotProps, 'title' | 'series' | 'columns' | 'format'>

/** The values, for those who do not see the drawing. The newest are first. */
const Numbers = ({ title, series, columns, format }: NumbersProps) => (
  <details>
    <summary>Table</summary>
    <section class="scroll" tabindex={0} aria-label={`Table: ${title}`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time (UTC)</th>
            {series.map(({ name }) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.toReversed().map(({ name, values }) => (
            <tr>
              <th scope="row">{name}</th>
              {values.map((value) => (
                <td class="number">{formatValue(value, format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </details>
)
