/** What a function of texts gets in place of its values. */
const marks = ['⟨0⟩', '⟨1⟩', '⟨2⟩', '⟨3⟩', '⟨4⟩']

/** Returns the texts by their path. Functions are called, those with a number also for one. */
export function flatten(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') {
    const write = (...values: unknown[]) => [value(...values)].flat().join('')
    const plural = write(...marks.slice(0, value.length))
    const singular = write(1, ...marks.slice(1, value.length))
    return singular === plural.replaceAll('⟨0⟩', '1')
      ? [[path, plural]]
      : [
          [path, plural],
          [`${path} of one`, singular],
        ]
  }
  return Object.entries(value ?? {}).flatMap(([key, part]) => flatten(part, `${path}/${key}`))
}
