import type { Paused, TakeOver } from '#engine/pause/index.ts';
import { drawCheckbox } from '../kit/form-fields.ts';
import { html, type Html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { fail } from '#kernel/errors.ts';
import { TAKE_OVER as PATH } from './notice.ts';
import type { Visitor } from '../sign-in/visitors.ts';
import type { Frame } from '../dashboard/frame.ts';

export type PauseAccess = Readonly<{
  state(): Paused | undefined;
  isOwner(userId: string): Promise<boolean>;
  /** Ends the pause; returns how many targets were given up. */
  takeOver(options: TakeOver): Promise<number>;
}>;

const DUE = 'publish_due';
const ONLY_OWNER = 'Only the owner of this server can end its pause.';

/** The page on which the owner of the server ends a pause. */
export function makeTakeOverRoutes({ visitors, send }: Frame, pause: PauseAccess): readonly Route[] {
  const sendBody = (ctx: RequestContext, visitor: Visitor, body: Html) =>
    send(ctx, visitor, { path: PATH, title: 'Take over', body });

  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const paused = pause.state();
    if (paused === undefined) return sendBody(ctx, visitor, html`<p>This server is not paused.</p>`);
    if (paused.byHand) return sendBody(ctx, visitor, html`<p>${paused.why} ${paused.ending}</p>`);
    if (!(await pause.isOwner(visitor.caller.userId)))
      return sendBody(ctx, visitor, html`<p>${paused.why} ${ONLY_OWNER}</p>`);
    await sendBody(ctx, visitor, drawForm(paused, visitors.field(visitor)));
  }

  async function submit(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    if (!(await pause.isOwner(visitor.caller.userId)))
      fail('auth.insufficient_scope', { message: ONLY_OWNER, next: 'Sign in as the owner.' });
    if (pause.state()?.byHand !== false) return show(ctx, visitor);
    const givenUp = await pause.takeOver({ publishDue: fields.has(DUE) });
    await sendBody(ctx, visitor, drawDone(givenUp));
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show), POST: visitors.signedIn(submit) }]);
}

function drawForm({ why, strayed }: Paused, field: Html): Html {
  return html`<p>${why}</p>
    <p>
      A copy that works beside its original publishes and answers everything a second time, and takes over the sessions
      of the accounts. So take over only if the server it comes from no longer runs.
    </p>
    ${
      strayed &&
      html`<dl>
        <dt>It was last used at</dt>
        <dd><code>${strayed.from}</code></dd>
        <dt>It is now at</dt>
        <dd><code>${strayed.to}</code></dd>
      </dl>`
    }
    <form method="post" action="${PATH}">
      ${field}
      ${drawCheckbox(
        DUE,
        'yes',
        'Publish what fell due meanwhile',
        'Only if the other server has done nothing since this copy was made. Otherwise such posts fail, to be looked at and retried, as they may be public already.',
        false,
      )}
      <div class="actions"><button class="primary">Take over</button></div>
    </form>`;
}

function drawDone(givenUp: number): Html {
  if (givenUp === 0) return html`<p role="status">The pause has ended: this server works now.</p>`;
  const them = givenUp === 1 ? 'One post was' : `${givenUp} posts were`;
  return html`<p role="status">The pause has ended: this server works now.</p>
    <p>
      ${them} due or under way, and may be public already: look on the platforms, and retry what is missing at
      <a href="/dashboard/posts?view=failed">Posts</a>.
    </p>`;
}
