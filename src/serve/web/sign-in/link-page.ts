import type { Signin } from '#engine/signin/index.ts';
import type { Handler, RequestContext } from '#kernel/route.ts';
import { makeCookie } from '../kit/cookies.ts';
import { sendOn } from '../kit/html-page.ts';
import type { Trail } from '../kit/trail.ts';
import { showNoCookie } from './notes.ts';
import { personOf, type Visitors } from './visitors.ts';

const TOKEN = /^[0-9a-f]{64}$/;
/** Tells a browser that blocks cookies from one that came without the link. */
const THROUGH_LINK = 'via=link';

type LinkPageDeps<T> = Readonly<{
  rootUrl: string;
  signin: Pick<Signin, 'visitor'>;
  visitors: Pick<Visitors, 'visitorOf' | 'enter'>;
  trail: Trail;
  /** The page is at `/<name>`. */
  name: string;
  seconds: number;
  /** What a token opens; undefined if it is not valid. */
  find(token: string): Promise<T | undefined>;
}>;

type EnteringStep = Omit<Parameters<Trail['note']>[1], 'person'>;

type Shown<T> = Readonly<{
  show(ctx: RequestContext, found: T, token: string): Promise<void> | void;
  showSpent(ctx: RequestContext): void;
}>;

/** A page opened by a link with a token, which moves from the address to a cookie. */
export function makeLinkPage<T>(deps: LinkPageDeps<T>) {
  const { rootUrl, signin, visitors, trail, name, seconds, find } = deps;
  const path = `/${name}`;
  const cookie = makeCookie({ rootUrl, name, seconds });

  async function opened(ctx: RequestContext): Promise<Readonly<{ token: string; found: T }> | undefined> {
    const token = cookie.read(ctx) ?? '';
    const found = TOKEN.test(token) ? await find(token) : undefined;
    return found === undefined ? undefined : { token, found };
  }

  return Object.freeze({
    path,
    /** The token of the browser and what it opens. */
    opened,

    /** Signs in the person who has used up the link, and records it. */
    async enter(ctx: RequestContext, session: string, email: string, step: EnteringStep): Promise<void> {
      const visitor = await signin.visitor(session);
      await trail.note(ctx, { ...step, person: visitor && personOf(visitor) });
      await visitors.enter(ctx, session, email);
      cookie.clear(ctx);
      sendOn(ctx, '/');
    },

    open: ({ show, showSpent }: Shown<T>): Handler =>
      async function open(ctx) {
        const { token } = ctx.query;
        if (token !== undefined) {
          if (typeof token !== 'string' || !TOKEN.test(token)) return showSpent(ctx);
          cookie.write(ctx, token);
          return sendOn(ctx, `${path}?${THROUGH_LINK}`);
        }
        const link = await opened(ctx);
        if (link !== undefined) return show(ctx, link.found, link.token);
        if (cookie.read(ctx) !== undefined) return showSpent(ctx);
        if ((await visitors.visitorOf(ctx)) !== undefined) return sendOn(ctx, '/');
        if (ctx.querystring === THROUGH_LINK) return showNoCookie(ctx, rootUrl);
        showSpent(ctx);
      },
  });
}
