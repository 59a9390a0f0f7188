// The API reference: Swagger UI shows the OpenAPI document of this server. Signed-in users can send
// requests with their session cookie; "Authorize" takes a token.
window.SwaggerUIBundle({
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
