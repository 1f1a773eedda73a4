/**
 * Plugins of Swagger UI: a layout without the parts that the console has already, and descriptions
 * that never become HTML.
 */
import type {
  SwaggerPlugin,
  SwaggerReact,
  SwaggerSystem,
} from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { reference_strings as strings } from "../../strings/reference";

/** Paragraphs and `code`: all the Markdown that the document uses. */
function paragraphs({ createElement }: SwaggerReact, text: string): unknown[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph, index) =>
      createElement(
        "p",
        { key: index },
        ...paragraph
          .split(/(`[^`]+`)/)
          .map((part, index) =>
            /^`.+`$/.test(part) ? createElement("code", { key: index }, part.slice(1, -1)) : part,
          ),
      ),
    );
}

/** Swagger UI's Markdown makes HTML out of text, which the page's policy forbids. */
export const plainMarkdown: SwaggerPlugin = {
  wrapComponents: {
    Markdown:
      (_original, { React }) =>
      ({ source }) =>
        typeof source === "string" && source.trim() !== ""
          ? React.createElement(
              "div",
              { className: "renderedMarkdown" },
              ...paragraphs(React, source),
            )
          : null,
  },
};

/** Only the filter and the operations: the console has its own title, server and sign-in. */
export const consoleLayout = ({ React }: SwaggerSystem): SwaggerPlugin => ({
  components: {
    ConsoleLayout: ({ getComponent }) =>
      React.createElement(
        "div",
        { className: "swagger-ui" },
        React.createElement(getComponent("SvgAssets"), null),
        React.createElement(getComponent("errors", true), null),
        React.createElement("h2", { className: "vh" }, strings.calls),
        React.createElement(getComponent("FilterContainer", true), null),
        React.createElement(getComponent("operations", true), null),
      ),
  },
});
