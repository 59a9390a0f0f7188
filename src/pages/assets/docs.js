/**
 * The API reference: Swagger UI shows the OpenAPI document of this server, without what the page
 * says once for all operations.
 */
import { operationsOf, simplify } from './docs-document.js'
import { plugin } from './docs-plugin.js'
import { useTokens } from './docs-token.js'

const byId = (id) => document.getElementById(id)

/** Adds the operations to the navigation, by tag. */
function listOperations(openapi) {
  const byTag = Map.groupBy(operationsOf(openapi), ({ tags: [tag] }) => tag)
  for (const { name: tag } of openapi.tags) {
    const list = document.createElement('ul')
    for (const { operationId, summary } of byTag.get(tag)) {
      const link = document.createElement('a')
      link.href = `#/${tag}/${operationId}`
      link.textContent = summary
      list.append(document.createElement('li'))
      list.lastChild.append(link)
    }
    const name = document.createElement('p')
    name.className = 'eyebrow'
    name.id = `nav-${tag}`
    name.textContent = tag
    list.setAttribute('aria-labelledby', name.id)
    byId('docs-nav').append(name, list)
  }
}

/** Loads Swagger UI. It is not a module, so it cannot be imported. */
function loadSwaggerUi() {
  const script = document.createElement('script')
  script.src = '/swagger-ui/swagger-ui-bundle.js'
  document.head.append(script)
  return new Promise((resolve, reject) => {
    script.addEventListener('load', () => resolve(globalThis.SwaggerUIBundle))
    script.addEventListener('error', reject)
  })
}

/** Gives names to the controls of Swagger UI that have none, and lets the keyboard scroll its boxes. */
function makeAccessible() {
  const reference = byId('reference')
  for (const box of reference.querySelectorAll('.microlight, .model-box')) box.tabIndex = 0
  const isUnnamed = ':is(input, select, textarea):not([aria-label], [type="radio"])'
  for (const control of reference.querySelectorAll(isUnnamed)) {
    const { paramName, propertyName } = control.closest('tr')?.dataset ?? {}
    const isExample = control.matches('.examples-select-element')
    const name = isExample ? 'Example' : (paramName ?? propertyName ?? 'Request body')
    control.setAttribute('aria-label', name)
  }
  for (const button of reference.querySelectorAll('.json-schema-form-item-remove'))
    button.setAttribute('aria-label', 'Remove')
  for (const button of reference.querySelectorAll('.json-schema-2020-12-accordion'))
    if (!button.textContent) button.setAttribute('aria-label', 'Schema')
}

const [SwaggerUIBundle, openapi] = await Promise.all([
  loadSwaggerUi(),
  fetch('/openapi.json').then((response) => response.json()),
])
simplify(openapi)
listOperations(openapi)
const ui = SwaggerUIBundle({
  spec: openapi,
  domNode: byId('reference'),
  layout: 'ReferenceLayout',
  plugins: [plugin(openapi)],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  syntaxHighlight: { activated: false },
  // The default validator is on another host.
  validatorUrl: null,
  onComplete: () => useTokens(ui),
})
new MutationObserver(makeAccessible).observe(byId('reference'), { childList: true, subtree: true })
// Swagger UI follows a link to an operation only when it starts.
addEventListener('hashchange', () => {
  byId('docs-nav').hidePopover()
  ui.layoutActions.parseDeepLinkHash(decodeURIComponent(location.hash))
})
