/**
 * Plots as SVG. The drawing is stretched to the width of the page, so its texts stand around it.
 * Colours are classes of `operations.css`. `plots.js` shows the title of a column as a tooltip.
 */
export type Series = { name: string; color: string }

export type Column = {
  /** The full name, and the text at the axis. */
  name: string
  label: string
  /** One for each series; null for a gap. */
  values: (number | null)[]
}

type PlotProps = {
  id: string
  title: string
  kind: 'bars' | 'lines'
  /** Bars are stacked in this order, the first at the bottom. */
  series: Series[]
  columns: Column[]
  /** Every so many columns have a text at the axis. */
  step: number
  format: (value: number) => string
  /** Returns where the axis ends, for the largest value. */
  endOf: (max: number) => number
}

const sumOf = (values: Column['values']) => values.reduce<number>((sum, v) => sum + (v ?? 0), 0)

export const Plot = ({ id, title, kind, series, columns, step, format, endOf }: PlotProps) => {
  const tops = columns.map(({ values }) =>
    kind === 'bars' ? sumOf(values) : Math.max(...values.map((value) => value ?? 0)),
  )
  const end = endOf(Math.max(...tops))
  return (
    <figure class="plot panel" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {series.length > 1 && <Legend kind={kind} series={series} />}
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
              <title>{textOf(column, series, format)}</title>
              <rect class="hit" x={x} width={1} height={100} />
              {kind === 'bars' && <Bars column={column} x={x} series={series} end={end} />}
            </g>
          ))}
          {kind === 'lines' && <Lines columns={columns} series={series} end={end} />}
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

const textOf = ({ name, values }: Column, series: readonly Series[], format: PlotProps['format']) =>
  [name, ...series.map((one, i) => `${one.name}: ${textOfValue(values[i], format)}`)].join('\n')

const textOfValue = (value: number | null | undefined, format: PlotProps['format']) =>
  typeof value === 'number' ? format(value) : '–'

/** In the order of the stack, from the top. */
const Legend = ({ kind, series }: Pick<PlotProps, 'kind' | 'series'>) => (
  <ul class="legend">
    {series.toReversed().map(({ name, color }) => (
      <li>
        <svg viewBox="0 0 16 12" width="16" height="12" aria-hidden="true">
          {kind === 'bars' ? (
            <rect class={`bar-mark ${color}`} width="12" height="12" x="2" />
          ) : (
            <path class={`line-mark ${color}`} d="M0 6H16" />
          )}
        </svg>
        {name}
      </li>
    ))}
  </ul>
)

/** Rounded, because more digits only make the page larger. */
const heightOf = (value: number, end: number) => Math.round((value / end) * 1e4) / 100

type BarsProps = { column: Column; x: number; series: readonly Series[]; end: number }

const Bars = ({ column: { values }, x, series, end }: BarsProps) => (
  <>
    {series.map(({ color }, i) => {
      const height = heightOf(values[i] ?? 0, end)
      const top = 100 - heightOf(sumOf(values.slice(0, i + 1)), end)
      return (
        height > 0 && (
          <rect class={`bar-mark ${color}`} x={x + 0.1} y={top} width={0.8} height={height} />
        )
      )
    })}
  </>
)

type LinesProps = { columns: readonly Column[]; series: readonly Series[]; end: number }

/** A line between neighbours, and a dot for a value without any. */
const Lines = ({ columns, series, end }: LinesProps) => (
  <>
    {series.map(({ color }, i) => (
      <path
        class={`line-mark ${color}`}
        d={lineOf(
          columns.map(({ values }) => values[i]),
          end,
        )}
      />
    ))}
  </>
)

const lineOf = (values: readonly (number | null | undefined)[], end: number): string =>
  values
    .map((value, x) => {
      if (typeof value !== 'number') return ''
      const isJoined = typeof values[x - 1] === 'number'
      const isAlone = !isJoined && typeof values[x + 1] !== 'number'
      return `${isJoined ? 'L' : 'M'}${x + 0.5} ${100 - heightOf(value, end)}${isAlone ? 'h0' : ''}`
    })
    .join('')

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
                <td class="number">{textOfValue(value, format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </details>
)
