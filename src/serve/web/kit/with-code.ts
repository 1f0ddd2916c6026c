import { html, type Html } from '#kernel/text/html.ts';

/** Text with `code` between backticks, as declarations write it. */
export function withCode(text: string): readonly Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
