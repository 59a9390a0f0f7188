/**
 * A strict parser of Prometheus' text format 0.0.4: every metric has HELP and TYPE once, directly
 * before its samples, and no sample comes twice.
 */
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/
const VALUE = /^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf|NaN)$/i

/** Returns the values by name and labels, as they are written. Throws if a line is not valid. */
export function parseExposition(text: string): Map<string, number> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const samples = new Map<string, number>()
  const described = new Set<string>()
  let current = ''
  let isTyped = false
  for (const line of text.slice(0, -1).split('\n')) {
    const fail = (problem: string): never => {
      throw new Error(`${problem}: ${line}`)
    }
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      if (!NAME.test(name) || described.has(name)) fail('a name that is not valid or comes twice')
      described.add(name)
      current = name
      isTyped = false
    } else if (keyword === 'TYPE') {
      if (name !== current || isTyped || rest !== (name.endsWith('_total') ? 'counter' : 'gauge'))
        fail('a type out of place')
      isTyped = true
    } else {
      const [, sampled, labels = '', value = ''] = SAMPLE.exec(line) ?? fail('no sample')
      if (sampled !== current || !isTyped) fail('a sample of another metric')
      if (!VALUE.test(value)) fail('no number')
      checkLabels(labels, fail)
      const key = labels ? `${sampled}{${labels}}` : `${sampled}`
      if (samples.has(key)) fail('a sample that comes twice')
      samples.set(key, Number(value))
    }
  }
  return samples
}

function checkLabels(labels: string, fail: (problem: string) => never): void {
  const names = new Set<string>()
  for (let rest = labels; rest; ) {
    const [pair, name = ''] = LABEL.exec(rest) ?? fail('a label that is not valid')
    if (names.has(name)) fail('a label that comes twice')
    names.add(name)
    rest = rest.slice(pair?.length)
  }
}
