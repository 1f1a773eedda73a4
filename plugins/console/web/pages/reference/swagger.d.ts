/** Types for the part of Swagger UI in use; it ships none. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  interface SwaggerRequest {
    url: string;
    headers: Record<string, string>;
    credentials?: string;
  }
  /** Swagger UI's own React. */
  interface SwaggerReact {
    createElement(type: unknown, props: object | null, ...children: unknown[]): unknown;
  }
  interface SwaggerSystem {
    readonly React: SwaggerReact;
  }
  interface SwaggerPlugin {
    readonly components?: Readonly<
      Record<
        string,
        (props: {
          readonly getComponent: (name: string, connected?: boolean) => unknown;
        }) => unknown
      >
    >;
    readonly wrapComponents?: Readonly<
      Record<
        string,
        (
          original: unknown,
          system: SwaggerSystem,
        ) => (props: { readonly source?: unknown }) => unknown
      >
    >;
  }
  interface SwaggerOptions {
    domNode: HTMLElement;
    spec: object;
    layout: string;
    docExpansion: "list" | "full" | "none";
    displayRequestDuration: boolean;
    filter: boolean;
    validatorUrl: null;
    showMutatedRequest: boolean;
    requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
    onComplete: () => void;
    plugins: readonly (SwaggerPlugin | ((system: SwaggerSystem) => SwaggerPlugin))[];
  }
  /** `scheme`: a security scheme of the document. */
  interface SwaggerHandle {
    preauthorizeApiKey(scheme: string, key: string): void;
  }
  const SwaggerUI: (options: SwaggerOptions) => SwaggerHandle;
  export default SwaggerUI;
  export type { SwaggerPlugin, SwaggerReact, SwaggerSystem };
}
declare module "swagger-ui-dist/swagger-ui.css" {
  const path: string;
  export default path;
}
