import { readBytes } from '../../kernel/body.ts';
import { fail } from '../../kernel/errors.ts';
import type { PathParams, RequestContext, Route } from '../../kernel/route.ts';
import { sendJson, sendText } from '../http/answer.ts';
import { JSON_BODY } from '../http/body.ts';

/** What is done with what platforms send. */
export type Intake = Readonly<{
  /** Refuses a platform that pushes nothing here, or that nobody here has a secret of. */
  expects(platform: string): void;
  handshake(platform: string, query: Readonly<Record<string, string>>): string;
  accept(
    platform: string,
    request: Readonly<{ path: string; headers: Readonly<Record<string, string>>; body: Uint8Array }>,
  ): Promise<unknown>;
  deletion(platform: string, code: string): Promise<'done' | 'in_progress' | undefined>;
}>;

/** How many bodies are held at once: whoever sends them is not known before they are read. */
const AT_ONCE = 32;

/**
 * Inbound webhooks of platforms: `/push/{platform}` and what a connector has below it. Nothing of a body is looked at
 * before its signature is right.
 */
export function pushRoutes(intake: Intake): readonly Route[] {
  let held = 0;

  async function receive(ctx: RequestContext, platform: string, path: string): Promise<void> {
    if (held >= AT_ONCE) fail('http.503', { retryAfter: 5 });
    held += 1;
    try {
      const body = await readBytes(ctx.req, JSON_BODY);
      const answer = await intake.accept(platform, { path, headers: headersOf(ctx), body });
      if (typeof answer === 'string') sendText(ctx, 200, answer, 'text/plain; charset=utf-8');
      else sendJson(ctx, 200, answer as object);
    } finally {
      held -= 1;
    }
  }

  const webhook: Pick<Route, 'GET' | 'HEAD' | 'POST' | 'around'> = {
    around(ctx, next) {
      intake.expects((ctx['params'] as PathParams)['platform']!);
      return next();
    },
    GET: (ctx, { platform }) => shakeHands(ctx, intake, platform!),
    HEAD: false,
    POST: (ctx, { platform, path = '' }) => receive(ctx, platform!, path),
  };
  return Object.freeze([
    { path: '/push/{platform}', ...webhook },
    { path: '/push/{platform}/{path}', ...webhook },
    {
      path: '/push/{platform}/deletion/{code}',
      GET: (ctx, { platform, code }) => showDeletion(ctx, intake, platform!, code!),
    },
  ]);
}

/** The challenge is a stranger's text: it goes back as plain text that nothing reads more into. */
function shakeHands(ctx: RequestContext, intake: Intake, platform: string): void {
  const answer = intake.handshake(platform, Object.fromEntries(new URLSearchParams(ctx.querystring)));
  const plain = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
  sendText(ctx, 200, answer, 'text/plain; charset=utf-8', plain);
}

async function showDeletion(ctx: RequestContext, intake: Intake, platform: string, code: string): Promise<void> {
  const status = await intake.deletion(platform, code);
  if (status === undefined) fail('resource.not_found', { message: 'There is no such demand.' });
  const text = { done: 'Your data has been deleted.', in_progress: 'Your data is being deleted.' }[status];
  sendJson(ctx, 200, { status, message: text, confirmation_code: code }, { 'Cache-Control': 'no-store' });
}

/** Of a header that was sent twice there is one text, as Node joins them. */
function headersOf({ req }: RequestContext): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
