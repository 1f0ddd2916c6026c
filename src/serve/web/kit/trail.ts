import type { Audit, AuditEntry, AuditEnd } from '#engine/audit/index.ts';
import type { Person } from '#engine/signin/index.ts';
import type { Log } from '#kernel/log.ts';
import { plainAddress } from '#kernel/net/addresses.ts';
import type { RequestContext } from '#kernel/route.ts';
import { tableOf } from '#kernel/text/table.ts';

/** Sign-in and password actions, with the log line for success and for refusal. */
const LINES = tableOf<Readonly<{ done: string; refused: string }>>({
  set_up: { done: 'set up', refused: 'set-up refused' },
  join: { done: 'joined', refused: '' },
  sign_in: { done: 'signed in', refused: 'sign-in failed' },
  forgot_password: { done: 'password link mailed', refused: 'no password link mailed' },
  reset_password: { done: 'password reset', refused: '' },
  sign_out: { done: 'signed out', refused: '' },
  end_sessions: { done: 'other sessions ended', refused: '' },
  change_password: { done: 'password changed', refused: 'password refused' },
  confirm_password: { done: 'password confirmed', refused: 'password refused' },
  allow_app: { done: 'app allowed', refused: 'app denied' },
});

/** Stands for the person when no account has the entered address. */
const NOBODY = Object.freeze({ userId: undefined, workspaceId: '', name: '' });

type Step = Readonly<{
  tool:
    | 'set_up'
    | 'join'
    | 'sign_in'
    | 'forgot_password'
    | 'reset_password'
    | 'sign_out'
    | 'end_sessions'
    | 'change_password'
    | 'confirm_password'
    | 'allow_app';
  /** Undefined if no account has the entered address. */
  person: Person | undefined;
  isRefused?: boolean;
  input?: object;
  connectionId?: string | undefined;
}>;

/** Records sign-ins and what is done with passwords, in the audit log and in the server's own log. */
export function makeTrail({ audit, log }: Readonly<{ audit: Pick<Audit, 'note' | 'rehearse'>; log: Log }>) {
  function write(ctx: RequestContext, { tool, person, isRefused = false, ...step }: Step, address: string) {
    const { requestId } = ctx.state;
    const line = LINES.get(tool)!;
    const fields = { request_id: requestId, address, ...(person && { user_id: person.userId }) };
    if (isRefused) log.warn(fields, line.refused);
    else log.info(fields, line.done);
    const { name: client, ...who } = person ?? NOBODY;
    const entry: AuditEntry = {
      ...step,
      ...who,
      caller: tool === 'forgot_password' || (isRefused && tool === 'sign_in') ? 'visitor' : 'dashboard',
      client,
      place: 'page',
      requestId,
      tool,
      verdict: isRefused ? 'deny' : 'allow',
      address,
    };
    const end: AuditEnd = isRefused ? { status: 400 } : { status: 200 };
    return person === undefined ? audit.rehearse(entry, end) : audit.note(entry, end);
  }

  return Object.freeze({
    note: (ctx: RequestContext, step: Step): Promise<void> => write(ctx, step, plainAddress(ctx.ip)),

    /** Does the same without waiting. It takes as long when no account has the address. */
    noteAside(ctx: RequestContext, step: Step): void {
      void write(ctx, step, plainAddress(ctx.ip)).catch((error: unknown) =>
        log.warn({ error }, 'a failed sign-in was not written down'),
      );
    },

    /** Does some work once the answer is sent, so that its time tells nothing, and records it. */
    noteLater(ctx: RequestContext, work: () => Promise<Step>): void {
      // Not later: the socket of a client that has left has no address.
      const address = plainAddress(ctx.ip);
      const later = async () => write(ctx, await work(), address);
      const run = () =>
        void later().catch((error: unknown) => log.error({ error }, 'what a page was to do after its answer failed'));
      // A client that has left already gets no answer, but what it asked for is done.
      if (ctx.res.closed) run();
      else ctx.res.once('close', run);
    },
  });
}

export type Trail = ReturnType<typeof makeTrail>;
