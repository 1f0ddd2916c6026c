import type { Middleware } from 'koa';
import type { Paused } from '#engine/pause/index.ts';
import { html, type Html } from '#kernel/text/html.ts';
import type { RequestState } from '#kernel/route.ts';

export const TAKE_OVER = '/dashboard/take-over';

/** Adds a notice to every page while the server is paused. */
export function withNotice(
  paused: () => Paused | undefined,
  around: Middleware<RequestState>,
): Middleware<RequestState> {
  return (ctx, next) => {
    ctx.state.notice = () => {
      const state = paused();
      return state && drawPaused(state);
    };
    return around(ctx, next);
  };
}

function drawPaused({ why, ending, byHand }: Paused): Html {
  return html`<p class="refusal due" role="status">
    <strong>This server is paused.</strong> It does not publish, send or fetch anything. ${why}
    ${byHand ? ending : html`The owner of the server can end this at <a href="${TAKE_OVER}">Take over</a>.`}
  </p>`;
}
