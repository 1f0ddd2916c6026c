import type { Html } from '#kernel/text/html.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Sealer } from '#kernel/seal.ts';
import { makeCookie } from '../../kit/cookies.ts';
import { sendOn } from '../../kit/html-page.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';

/** How long a browser may take to follow the redirect. */
const SECONDS = 60;

export type ShownOnceDeps = Readonly<{ rootUrl: string; sealer: Pick<Sealer, 'seal' | 'open'> }>;

/** Carries a secret over a redirect to the page that shows it once: encrypted, in a cookie of the browser. */
function makeShownOnce<T extends object>({ rootUrl, sealer }: ShownOnceDeps, name: string) {
  const cookie = makeCookie({ rootUrl, name, seconds: SECONDS });
  const contextOf = (sessionId: string) => `cookie ${name} ${sessionId}`;

  return Object.freeze({
    put(ctx: RequestContext, sessionId: string, secret: T): void {
      cookie.write(ctx, sealer.seal(JSON.stringify(secret), contextOf(sessionId)));
    },

    /** The secret, which the browser no longer has afterwards; undefined if there is none for this session. */
    take(ctx: RequestContext, sessionId: string): T | undefined {
      const sealed = cookie.read(ctx);
      if (sealed === undefined) return undefined;
      cookie.clear(ctx);
      try {
        return JSON.parse(sealer.open(sealed, contextOf(sessionId))) as T;
      } catch {
        // Not from this server or session.
        return undefined;
      }
    },
  });
}

type ShownOncePage<T> = Readonly<{
  /** The name of the cookie. */
  name: string;
  path: string;
  /** The page of the navigation that it belongs to. */
  current: string;
  /** The operation that people must be allowed to call. */
  needs: string;
  title: string;
  /** Draws the secret, or that there is none to show. */
  draw(secret: T | undefined, visitor: Visitor): Html;
}>;

/** The page that shows a new secret once. Loading it again makes no other one, as it is no answer to a form. */
export function makeShownOncePage<T extends object>(
  { forThose, send }: Frame,
  deps: ShownOnceDeps,
  { name, path, current, needs, title, draw }: ShownOncePage<T>,
) {
  const secret = makeShownOnce<T>(deps, name);
  const route: Route = {
    path,
    GET: forThose(needs, (ctx, visitor) =>
      send(ctx, visitor, { path: current, title, body: draw(secret.take(ctx, visitor.sessionId), visitor) }),
    ),
  };

  return Object.freeze({
    route,
    show(ctx: RequestContext, { sessionId }: Visitor, value: T): void {
      secret.put(ctx, sessionId, value);
      sendOn(ctx, path);
    },
  });
}
