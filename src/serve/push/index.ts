import type Koa from 'koa';
import { readBytes } from '../../kernel/body.ts';
import { fail } from '../../kernel/errors.ts';
import { sendJson, sendText } from '../http/answer.ts';
import { JSON_BODY } from '../http/body.ts';
import type { RequestState } from '../http/state.ts';

/** A platform, and a path of its connector's own below it. */
const ADDRESS = /^\/push\/(?<platform>[a-z]{1,20})(?:\/(?<path>[\w-]{1,64}))?\/?$/;
/** Where a person who demanded deletion may look whether it is done. */
const STATUS = /^\/push\/(?<platform>[a-z]{1,20})\/deletion\/(?<code>[0-9a-z]{58})\/?$/;

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

type Context = Koa.ParameterizedContext<RequestState>;

/**
 * Inbound webhooks of platforms: `/push/{platform}` and what a connector has below it. Nothing of a body is looked at
 * before its signature is right. To be mounted where thrown refusals are answered as envelopes.
 */
export function pushRoutes(intake: Intake): Koa.Middleware<RequestState> {
  let held = 0;

  async function receive(ctx: Context, platform: string, path: string): Promise<void> {
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

  return async function push(ctx, next) {
    const status = STATUS.exec(ctx.path)?.groups;
    if (status) return showDeletion(ctx, intake, status['platform']!, status['code']!);
    const place = ADDRESS.exec(ctx.path)?.groups;
    if (!place) return next();
    const platform = place['platform']!;
    intake.expects(platform);
    ctx.state.route = place['path'] === undefined ? '/push/{platform}' : '/push/{platform}/{path}';
    if (ctx.method === 'GET') return shakeHands(ctx, intake, platform);
    if (ctx.method === 'POST') return receive(ctx, platform, place['path'] ?? '');
    ctx.set('Allow', 'GET, POST');
    fail('http.405');
  };
}

/** The challenge is a stranger's text: it goes back as plain text that nothing reads more into. */
function shakeHands(ctx: Context, intake: Intake, platform: string): void {
  const answer = intake.handshake(platform, Object.fromEntries(new URLSearchParams(ctx.querystring)));
  const plain = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
  sendText(ctx, 200, answer, 'text/plain; charset=utf-8', plain);
}

async function showDeletion(ctx: Context, intake: Intake, platform: string, code: string): Promise<void> {
  ctx.state.route = '/push/{platform}/deletion/{code}';
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    ctx.set('Allow', 'GET, HEAD');
    fail('http.405');
  }
  const status = await intake.deletion(platform, code);
  if (status === undefined) fail('resource.not_found', { message: 'There is no such demand.' });
  const text = { done: 'Your data has been deleted.', in_progress: 'Your data is being deleted.' }[status];
  sendJson(ctx, 200, { status, message: text, confirmation_code: code }, { 'Cache-Control': 'no-store' });
}

/** Of a header that was sent twice there is one text, as Node joins them. */
function headersOf({ req }: Context): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
