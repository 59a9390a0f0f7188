/**
 * The API reference: Swagger UI shows the OpenAPI document of this server. Signed-in users can send
 * requests with their session cookie; "Authorize" takes a token.
 */
const bundle = document.createElement('script')
// Not a module, so it cannot be imported.
bundle.src = '/swagger-ui/swagger-ui-bundle.js'
bundle.addEventListener('load', () => {
  globalThis.SwaggerUIBundle({
    url: '/openapi.json',
    domNode: document.getElementById('reference'),
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    // The default validator is on another host.
    validatorUrl: null,
  })
})
document.head.append(bundle)

// Swagger UI has dark colours, but does not follow the browser.
const dark = matchMedia('(prefers-color-scheme: dark)')
const setColors = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', setColors)
setColors()
