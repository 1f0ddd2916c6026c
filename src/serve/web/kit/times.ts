import { html, type Html } from '#kernel/text/html.ts';

/** When something was last used. */
export const drawLastUse = (at: string | null): Html =>
  at === null ? html`never used` : html`last used ${drawTime(at)}`;

export function drawTime(at: string | null): Html {
  if (at === null) return html`never`;
  return html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
