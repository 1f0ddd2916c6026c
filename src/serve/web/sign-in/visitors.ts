import { createHmac } from 'node:crypto';
import type { Signin } from '../../../engine/signin/index.ts';
import type { Visitor } from '../../../engine/signin/sessions.ts';
import { fail } from '../../../kernel/errors.ts';
import { randomHex } from '../../../kernel/ids.ts';
import { safeEqual } from '../../../kernel/sign.ts';
import { isAfterSignIn } from '../../http/areas.ts';
import { makeCookie } from '../kit/cookies.ts';
import { readForm, STRANGE } from '../kit/form-guard.ts';
import { attributes, html, type Html } from '../kit/html.ts';
import { sendOn } from '../kit/page.ts';
import type { Handler, PathParams, RequestContext } from '../../../kernel/route.ts';

export type { Visitor };

/** As long as a session may live; the engine ends it sooner when it is not used. */
const SESSION_SECONDS = 30 * 86_400;
const DEVICE_SECONDS = 400 * 86_400;
const TOKEN = /^[0-9a-f]{64}$/;

type Deps = Readonly<{
  rootUrl: string;
  key: Buffer;
  /** For what marks browsers that were signed in before. */
  deviceKey: Buffer;
  signin: Pick<Signin, 'visitor' | 'signOut'>;
}>;
type SignedIn = (ctx: RequestContext, visitor: Visitor, parts: PathParams) => Promise<void> | void;

/** Who is signed in with a browser, and the forms that are theirs alone. */
export function makeVisitors({ rootUrl, key, deviceKey, signin }: Deps) {
  const cookie = makeCookie({ rootUrl, name: 'session', seconds: SESSION_SECONDS });
  const device = makeCookie({ rootUrl, name: 'device', seconds: DEVICE_SECONDS });
  const proofOf = (email: string, id: string) => createHmac('sha256', deviceKey).update(`${id} ${email}`).digest('hex');
  const formToken = ({ sessionId }: Visitor) => createHmac('sha256', key).update(sessionId).digest('hex');

  function presented(ctx: RequestContext): string | undefined {
    const token = cookie.read(ctx);
    return token !== undefined && TOKEN.test(token) ? token : undefined;
  }

  async function visitorOf(ctx: RequestContext): Promise<Visitor | undefined> {
    const token = presented(ctx);
    return token === undefined ? undefined : signin.visitor(token);
  }

  /** Ends whatever session the browser presents: the next one never continues it. */
  async function leave(ctx: RequestContext): Promise<void> {
    const token = presented(ctx);
    if (token !== undefined) await signin.signOut(token);
  }

  /** The browser's own mark, when it was given for this very account. */
  function deviceOf(ctx: RequestContext, email: string): string | undefined {
    const [id = '', proof = ''] = (device.read(ctx) ?? '').split('.');
    return safeEqual(proof, proofOf(email, id)) ? id : undefined;
  }

  return Object.freeze({
    visitorOf,
    deviceOf,

    /** Gives the browser the session of a token, and marks it as one in which this account was signed in. */
    async enter(ctx: RequestContext, token: string, email: string): Promise<void> {
      await leave(ctx);
      cookie.write(ctx, token);
      const id = deviceOf(ctx, email) ?? randomHex(16);
      device.write(ctx, `${id}.${proofOf(email, id)}`);
    },

    async signOut(ctx: RequestContext): Promise<void> {
      await leave(ctx);
      cookie.clear(ctx);
    },

    /** The hidden field of every form of a person; it dies with the session. */
    field: (visitor: Visitor): Html =>
      html`<input ${attributes({ type: 'hidden', name: 'form_token', value: formToken(visitor) })} />`,

    /** The fields of a form that a page of this very session sent. */
    async read(ctx: RequestContext, visitor: Visitor): Promise<URLSearchParams> {
      const fields = await readForm(ctx, rootUrl);
      if (!safeEqual(fields.get('form_token') ?? '', formToken(visitor))) {
        fail('auth.state_mismatch', STRANGE);
      }
      return fields;
    },

    /** A handler for the signed in; everyone else signs in first and comes back. */
    signedIn: (handle: SignedIn): Handler =>
      async function signedIn(ctx, parts) {
        const visitor = await visitorOf(ctx);
        if (visitor === undefined) sendOn(ctx, signInPath(ctx.path));
        else await handle(ctx, visitor, parts);
      },
  });
}

export type Visitors = ReturnType<typeof makeVisitors>;

/** The sign-in page that leads on to a page of ours. */
export function signInPath(destination: string): string {
  return destination === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(destination)}`;
}

/** Where the `next` of a sign-in page leads: one of our pages and nowhere else, or `/`. */
export function destinationOf(next: unknown): string {
  return typeof next === 'string' && isAfterSignIn(next) ? next : '/';
}
