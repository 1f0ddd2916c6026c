import type { CheckResult, Verdict } from '#engine/readiness/checks.ts';
import type { Paused } from '#engine/pause/index.ts';
import { isoTime, type Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import type { Frame } from '../dashboard/frame.ts';
import { drawTime } from '../kit/times.ts';
import { TAKE_OVER } from '../pause/notice.ts';
import type { Visitor } from '../sign-in/visitors.ts';

export type HealthDeps = Readonly<{
  clock: Clock;
  version: string;
  isOwner(userId: string): Promise<boolean>;
  paused(): Paused | undefined;
  /** Checks the installation as `rostra doctor` does; undefined if the program is embedded. */
  doctor: (() => Promise<readonly CheckResult[]>) | undefined;
}>;

type Report = Readonly<{ at: number; results: readonly CheckResult[] }>;

const PATH = '/dashboard/health';
const ONLY_OWNER = 'Only the owner of this server sees its health.';

/** What the owner sees about the server: version, pause, and the results of the doctor. */
export function makeHealthRoutes({ visitors, send }: Frame, deps: HealthDeps): readonly Route[] {
  const { clock, version, isOwner, paused, doctor } = deps;
  let last: Report | undefined;
  let checking: Promise<Report> | undefined;

  async function check(run: NonNullable<typeof doctor>): Promise<Report> {
    const results = await run();
    return { at: clock.now(), results };
  }

  const sendBody = (ctx: RequestContext, visitor: Visitor, body: Html) =>
    send(ctx, visitor, { path: PATH, title: 'Health', body });

  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    if (!(await isOwner(visitor.caller.userId))) return sendBody(ctx, visitor, html`<p>${ONLY_OWNER}</p>`);
    await sendBody(
      ctx,
      visitor,
      html`<dl>
          <dt>Version</dt>
          <dd>${version}</dd>
          <dt>State</dt>
          <dd>${drawState(paused())}</dd>
        </dl>
        ${doctor === undefined ? html`<p>Run <code>rostra doctor</code> on the server.</p>` : drawForm(visitor)}
        ${last && drawReport(last, visitor.caller.workspace.timezone)}`,
    );
  }

  const drawForm = (visitor: Visitor): Html =>
    html`<form ${attributes({ method: 'post', action: PATH, 'data-busy': 'Checking …' })}>
      ${visitors.field(visitor)}
      <p class="quiet">
        The same as <code>rostra doctor</code>: key, database, disk, backups, address, platforms and what waits. It
        takes a few seconds and changes nothing.
      </p>
      <div class="actions"><button class="primary">Check now</button></div>
    </form>`;

  async function submit(ctx: RequestContext, visitor: Visitor): Promise<void> {
    await visitors.read(ctx, visitor);
    if (!(await isOwner(visitor.caller.userId)))
      fail('auth.insufficient_scope', { message: ONLY_OWNER, next: 'Sign in as the owner.' });
    if (doctor !== undefined) {
      // A request during a check waits for the result of that check.
      checking ??= check(doctor).finally(() => (checking = undefined));
      last = await checking;
    }
    await show(ctx, visitor);
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show), POST: visitors.signedIn(submit) }]);
}

function drawState(paused: Paused | undefined): Html {
  if (paused === undefined) return html`It works.`;
  return html`It is paused. ${paused.why} ${paused.byHand ? paused.ending : html`<a href="${TAKE_OVER}">Take over</a>`}`;
}

const SIGNS: Readonly<Record<Verdict, readonly [look: string, words: string]>> = {
  failure: ['failed', 'Does not work'],
  warning: ['partial', 'Look at it'],
  ok: ['published', 'Fine'],
};

function drawReport({ at, results }: Report, zone: string): Html {
  const bad = results.filter(({ verdict }) => verdict !== 'ok').length;
  const order = Object.keys(SIGNS);
  const worstFirst = results.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  return html`<h2>${bad === 0 ? 'Nothing to do' : `${bad} to look at`}</h2>
    <p class="quiet" role="status">${results.length} checks, ${drawTime(isoTime(at), zone)}</p>
    <ul class="rows">
      ${worstFirst.map(({ check, verdict, found, todo }) => {
        const [look, words] = SIGNS[verdict];
        return html`<li>
          <div>
            <strong>${check}</strong><br />
            ${found}${
              todo !== undefined &&
              html`<br />
                <small>To do: ${todo}</small>`
            }
          </div>
          <span class="badge ${look}">${words}</span>
        </li>`;
      })}
    </ul>`;
}
