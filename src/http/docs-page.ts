/** Path of the OpenAPI document. */
export const OPENAPI_PATH = "/openapi.json";

/** Path of the documentation page. */
export const DOCS_PATH = "/docs";

/**
 * Content security policy of the page: only the server's own files. Swagger UI needs inline styles and data URLs for
 * icons.
 */
export const DOCS_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Files of Swagger UI that the page loads, which the build copies beside the server, with their media types. */
export const DOCS_ASSETS: Readonly<Record<string, string>> = {
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
};

/** Addresses in the page are relative to it, so that it may stand under any path of a proxy. */
const fromPage = (path: string): string => path.slice(1);

/** Returns the HTML page: Swagger UI for the server's OpenAPI document, usable offline. */
export function docsPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mirrorlake API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${fromPage(DOCS_PATH)}/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<noscript>This page needs JavaScript. The document itself is at <a href="${fromPage(OPENAPI_PATH)}">${OPENAPI_PATH}</a>.</noscript>
<script src="${fromPage(DOCS_PATH)}/swagger-ui-bundle.js"></script>
<script src="${fromPage(DOCS_PATH)}/start.js"></script>
</body>
</html>
`;
}

/** Returns the script that starts the page. It is a separate file, so that inline scripts can stay forbidden. */
export function docsStartScript(): string {
  const options = {
    url: fromPage(OPENAPI_PATH),
    dom_id: "#docs",
    deepLinking: true,
    docExpansion: "none",
    filter: true,
    persistAuthorization: false,
    showExtensions: true,
    tryItOutEnabled: true,
    validatorUrl: null,
  };
  return `SwaggerUIBundle(${JSON.stringify(options)});\n`;
}
