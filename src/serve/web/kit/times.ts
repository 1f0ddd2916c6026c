import { html, type Html } from '#kernel/text/html.ts';

export function drawTime(at: string | null): Html {
  if (at === null) return html`never`;
  return html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
