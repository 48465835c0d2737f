// The API explorer over the description that this service serves.
window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: false, // keys are not left in the browser
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  syntaxHighlight: { activated: true },
});
