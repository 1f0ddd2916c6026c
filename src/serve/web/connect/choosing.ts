import { fail, type ApiError } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { sha256 } from '#kernel/sign.ts';
import { presentError } from '../../invoke.ts';
import type { Forms } from '../kit/form-guard.ts';
import { sendPage, sendOn } from '../kit/html-page.ts';
import type { TitleOf } from '../kit/titles.ts';
import { flowOf, type makeAttempts } from './attempts.ts';
import { drawChoice } from './choice-view.ts';
import type { makeEndings } from './outcomes.ts';
import { ELSEWHERE, subjectOf, type Connect, type OpenChoice } from './pending.ts';

type ChoosingDeps = Readonly<{
  connect: Pick<Connect, 'openChoice' | 'pick' | 'forgo'>;
  forms: Forms;
  endings: ReturnType<typeof makeEndings>;
  log: Log;
  titleOf: TitleOf;
  workspaceName(workspaceId: string): Promise<string>;
}>;

const OVER = Object.freeze({
  message: 'The choice was already made, or took too long.',
  next: 'Start the connection again.',
});

/** The connection for its result page: no client waits for it. */
const startedOf = (row: OpenChoice['row']) => ({ ...row, redirect_uri: null, client_state: '' });

/** The page for choosing a profile, used if no client app waits for the person. */
export function makeChoosing(
  { connect, forms, endings, log, titleOf, workspaceName }: ChoosingDeps,
  attempts: ReturnType<typeof makeAttempts>,
): Route {
  /** Returns the choice that a URL names, but only in the browser that logged in. */
  function visited(ctx: RequestContext) {
    const at = endings.undecidedAt(ctx) ?? fail('auth.state_mismatch');
    if (!forms.isOpen(ctx, subjectOf(at.state))) fail('auth.state_mismatch', ELSEWHERE);
    return at;
  }

  async function show(ctx: RequestContext, choice: OpenChoice, state: string, refusal?: ApiError): Promise<void> {
    forms.open(ctx, subjectOf(state));
    sendPage(ctx, {
      status: refusal === undefined ? 200 : 400,
      title: `${refusal === undefined ? '' : 'Error: '}Choose what to connect`,
      body: drawChoice({
        choice,
        refusal,
        title: titleOf(choice.row.platform) ?? choice.row.platform,
        workspaceName: await workspaceName(choice.row.workspace_id),
        action: `${ctx.path}?${ctx.querystring}`,
        token: forms.token(ctx, subjectOf(state)),
      }),
      forms: 'own',
    });
  }

  /** A choice that has ended redirects to its result, for example after a double click. */
  async function redirectEnded(ctx: RequestContext, id: string): Promise<void> {
    sendOn(ctx, (await attempts.endOf(id)) ?? fail('auth.state_mismatch', OVER));
  }

  async function pick(requestId: string, { row }: OpenChoice, profile: string) {
    const started = startedOf(row);
    try {
      return { location: endings.connected(started, await connect.pick(row, profile)) };
    } catch (thrown) {
      const refusal = presentError(thrown, undefined, requestId, log);
      if (refusal.code === 'validation.field_invalid') return { refusal, counts: false };
      log.info({ request_id: requestId, platform: row.platform, code: refusal.code }, 'connection refused');
      return { location: endings.failed(started, refusal.code, refusal.message) };
    }
  }

  return {
    path: '/connect/{platform}/choose',
    async GET(ctx) {
      const { id, state } = visited(ctx);
      const choice = await connect.openChoice(id);
      await (choice === undefined ? redirectEnded(ctx, id) : show(ctx, choice, state));
    },
    async POST(ctx) {
      const { id, state } = visited(ctx);
      const fields = await forms.read(ctx, subjectOf(state));
      const choice = await connect.openChoice(id);
      if (choice === undefined) return redirectEnded(ctx, id);
      const { row } = choice;
      const flow = flowOf(choice);
      if (fields.has('cancel')) {
        if (!(await connect.forgo(row))) return redirectEnded(ctx, id);
        const location = endings.cancelled(startedOf(row));
        attempts.end(flow, location);
        return sendOn(ctx, location);
      }
      const profile = fields.get('profile') ?? '';
      const result = await attempts.attempt(flow, sha256(profile), () => pick(ctx.state.requestId, choice, profile));
      if ('location' in result) sendOn(ctx, result.location);
      else await show(ctx, choice, state, result.refusal);
    },
  };
}
