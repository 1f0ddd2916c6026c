import type { RequestContext } from '#kernel/route.ts';
import type { Sealer } from '#kernel/seal.ts';
import { makeCookie } from '../../kit/cookies.ts';

/** How long a browser may take to follow the redirect. */
const SECONDS = 60;

export type ShownOnceDeps = Readonly<{ rootUrl: string; sealer: Pick<Sealer, 'seal' | 'open'> }>;

/** Carries a secret over a redirect to the page that shows it once: encrypted, in a cookie of the browser. */
export function makeShownOnce<T extends object>({ rootUrl, sealer }: ShownOnceDeps, name: string) {
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
