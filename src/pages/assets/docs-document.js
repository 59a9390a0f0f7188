/** The OpenAPI document, as the reference shows it. */
const METHODS = ['get', 'put', 'post', 'delete']

/** Returns the operations of the document, each with its path and method. */
export const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, ...item[method] })),
  )

/** Links to the entries of the error codes that a description explains. */
function codesIn(description) {
  const codes = [...description.matchAll(/^\W*`([a-z_]+)`:/gm)]
  if (codes.length === 0) return description
  return codes.map(([, code]) => `[${code}](/docs/errors#${code})`).join(' · ')
}

/** Removes the headers that every operation has, the bodies of errors, and all schemes but one. */
export function simplify(openapi) {
  const { components } = openapi
  const resolve = (part) =>
    part.$ref ? components[part.$ref.split('/')[2]][part.$ref.split('/')[3]] : part
  for (const { path, method } of operationsOf(openapi)) {
    const operation = openapi.paths[path][method]
    operation.parameters = operation.parameters
      ?.map(resolve)
      .filter(({ name, in: place }) => place !== 'header' || !name.startsWith('x-'))
    if (operation.security?.length > 0) operation.security = [{ bearer: [] }]
    for (const [status, response] of Object.entries(operation.responses)) {
      const { description, content } = resolve(response)
      operation.responses[status] =
        status < 400 ? { description, content } : { description: codesIn(description) }
    }
  }
  // The heading of a group shows it. The guides say the rest.
  for (const tag of openapi.tags) tag.description = tag.description.split('\n\n')[0]
  components.securitySchemes = { bearer: components.securitySchemes.bearer }
  return openapi
}
