/** What is used of Swagger UI, which brings no types of its own. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  interface SwaggerRequest { url: string; headers: Record<string, string>; credentials?: string }
  interface SwaggerOptions {
    domNode: HTMLElement; url?: string; spec?: object; deepLinking?: boolean; docExpansion?: "list" | "full" | "none"; defaultModelsExpandDepth?: number; displayRequestDuration?: boolean;
    filter?: boolean; tryItOutEnabled?: boolean; validatorUrl?: null; supportedSubmitMethods?: readonly string[]; requestInterceptor?: (request: SwaggerRequest) => SwaggerRequest; onComplete?: () => void;
  }
  const SwaggerUI: (options: SwaggerOptions) => unknown;
  export default SwaggerUI;
}
declare module "swagger-ui-dist/swagger-ui.css" {
  const path: string;
  export default path;
}
