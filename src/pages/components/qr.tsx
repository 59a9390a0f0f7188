import { generate } from 'lean-qr'

/** Modules of white around a code, which scanners need. */
const QUIET_ZONE = 4

/** Dark on light in both color schemes, as scanners expect it. */
export const QrCode = ({ text, label }: { text: string; label: string }) => {
  const code = generate(text)
  const rows = Array.from({ length: code.size }, (_, y) => y)
  const dark = rows.flatMap((y) =>
    rows.flatMap((x) => (code.get(x, y) ? `M${x} ${y}h1v1h-1z` : [])),
  )
  const box = [-QUIET_ZONE, -QUIET_ZONE, code.size + 2 * QUIET_ZONE, code.size + 2 * QUIET_ZONE]
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={box.join(' ')}
      shape-rendering="crispEdges"
    >
      <rect x={box[0]} y={box[1]} width={box[2]} height={box[3]} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  )
}
