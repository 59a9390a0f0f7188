/**
 * Creates a value at its first use. Schemas of answers are lazy, because creating one takes longer
 * than starting the Worker should, and most requests need none of them.
 */
export function lazy<T>(create: () => T): () => T {
  let created: { value: T } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
