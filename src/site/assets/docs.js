// The API reference: Swagger UI over the document that this instance serves. Whoever is signed in
// may try requests at once, by the cookie; a token goes behind "Authorize".
window.SwaggerUIBundle({
  url: '/openapi.json',
  domNode: document.getElementById('reference'),
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  // Would ask another host whether the document is valid.
  validatorUrl: null,
})
