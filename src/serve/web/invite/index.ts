import type { Invites } from '#engine/invites/index.ts';
import { messageOf, type ApiError } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { Route } from '#kernel/route.ts';
import { presentError } from '../../invoke.ts';
import { waitHeader } from '../../refusal-headers.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';

export type InviteRoutesDeps = Readonly<{ invites: Pick<Invites, 'open'>; log: Log }>;

/** The page of an invite: it starts a connection, or explains why it cannot. */
export function makeInviteRoutes({ invites, log }: InviteRoutesDeps): readonly Route[] {
  return Object.freeze<Route[]>([
    {
      path: '/invite/{invite}',
      // Link previews must not start a connection.
      HEAD: false,
      async GET(ctx, { invite }) {
        try {
          sendOn(ctx, await invites.open(invite!));
        } catch (thrown) {
          const refusal = presentError(thrown, undefined, ctx.state.requestId, log);
          ctx.set(waitHeader(refusal));
          sendPage(ctx, {
            status: refusal.status,
            title: 'Invitation',
            body: html`${drawRefused(refusal)}
              <p class="quiet">Error <code>${refusal.code}</code>, request <code>${ctx.state.requestId}</code></p>`,
          });
        }
      },
    },
  ]);
}

const ASK_FOR_NEW = 'Ask whoever sent it to you for a new one.';

/** For people outside: the next steps of the error catalogue are for programs. */
function drawRefused({ code, message, detail }: ApiError): Html {
  const minutes = Math.max(1, Math.ceil((detail.retryAfter ?? 0) / 60));
  switch (code) {
    case 'invite.invalid':
    case 'invite.expired':
      return html`<h1>${message}</h1>
        <p>${ASK_FOR_NEW}</p>`;
    case 'resource.not_found':
      return html`<h1>${message}</h1>
        <p>The address may be incomplete: open it as it was sent to you.</p>`;
    case 'resource.conflict':
      return html`<h1>There is an account already</h1>
        <p>The brand you are invited to has its account of this platform. Nothing is left to do.</p>`;
    case 'http.429':
      return html`<h1>${message}</h1>
        <p>It opens again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}: open the link again then.</p>`;
    default:
      return html`<h1>This invitation cannot be used at the moment</h1>
        <p>${messageOf(code)} Tell whoever sent it to you.</p>`;
  }
}
