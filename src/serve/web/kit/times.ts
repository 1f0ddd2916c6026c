import { html, type Html } from '#kernel/text/html.ts';

/** A time to the minute, or `never`. */
export function drawTime(at: string | null): Html {
  if (at === null) return html`never`;
  return html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
