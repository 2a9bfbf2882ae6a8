// Shows the OpenAPI specification of this server.

window.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#docs",
  validatorUrl: null,
  docExpansion: "list",
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
