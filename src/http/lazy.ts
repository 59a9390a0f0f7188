/**
 * Returns a function that creates the value at its first call. Answer schemas are lazy: creating
 * them takes long, and would delay the start of the Worker.
 */
export function lazy<T>(create: () => T): () => T {
  let created: { value: T } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
