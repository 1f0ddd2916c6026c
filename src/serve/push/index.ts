import { fail } from '#kernel/errors.ts';
import type { PathParams, RequestContext, Route } from '#kernel/route.ts';
import { JSON_TYPE, sendJson, sendText } from '../http/answer.ts';
import { headersOf } from '../http/body.ts';
import { makeBodies } from './bodies.ts';

type Texts = Readonly<Record<string, string>>;

/** The engine's side of inbound webhooks. */
export type Intake = Readonly<{
  /** Throws if the platform has no webhooks or no app secret is configured. */
  expects(platform: string): void;
  handshake(platform: string, path: string, query: Texts): Promise<Readonly<{ type: 'text' | 'json'; body: string }>>;
  accept(
    platform: string,
    request: Readonly<{ path: string; headers: Texts; query: Texts; body: Uint8Array }>,
  ): Promise<unknown>;
  deletion(platform: string, code: string): Promise<'done' | 'in_progress' | undefined>;
}>;

const TYPES = Object.freeze({ text: 'text/plain; charset=utf-8', json: JSON_TYPE });

/** How many bodies of the largest size fit in memory at the same time. */
const AT_ONCE = 32;

/** `/push/{platform}` and the connectors' paths below it. A body is parsed only after its signature is verified. */
export function pushRoutes(intake: Intake): readonly Route[] {
  const hold = makeBodies(AT_ONCE);

  async function receive(ctx: RequestContext, platform: string, path: string): Promise<void> {
    const answer = await hold(ctx, (body) =>
      intake.accept(platform, { path, headers: headersOf(ctx.req), query: queryOf(ctx), body }),
    );
    if (typeof answer === 'string') sendText(ctx, 200, answer, TYPES.text);
    else sendJson(ctx, 200, answer as object);
  }

  const webhook: Pick<Route, 'GET' | 'HEAD' | 'POST' | 'around'> = {
    around(ctx, next) {
      intake.expects((ctx['params'] as PathParams)['platform']!);
      return next();
    },
    GET: (ctx, { platform, path = '' }) => answerHandshake(ctx, intake, platform!, path),
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

/** Returns an untrusted challenge as text or JSON that browsers must not sniff. */
async function answerHandshake(ctx: RequestContext, intake: Intake, platform: string, path: string): Promise<void> {
  const { type, body } = await intake.handshake(platform, path, queryOf(ctx));
  const plain = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
  sendText(ctx, 200, body, TYPES[type], plain);
}

async function showDeletion(ctx: RequestContext, intake: Intake, platform: string, code: string): Promise<void> {
  const status = await intake.deletion(platform, code);
  if (status === undefined) fail('resource.not_found', { message: 'There is no such data-deletion request.' });
  const text = { done: 'Your data has been deleted.', in_progress: 'Your data is being deleted.' }[status];
  sendJson(ctx, 200, { status, message: text, confirmation_code: code }, { 'Cache-Control': 'no-store' });
}

const queryOf = ({ querystring }: RequestContext): Texts => Object.fromEntries(new URLSearchParams(querystring));
