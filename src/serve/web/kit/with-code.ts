import { html, type Html } from '#kernel/text/html.ts';

/** Renders the `code` between backticks in a declaration's text. */
export function withCode(text: string): readonly Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
