import { createHmac, type KeyObject } from 'node:crypto';
import type { Caller } from '#call/caller.ts';
import type { Person, Signin } from '#engine/signin/index.ts';
import type { Visitor } from '#engine/signin/sessions.ts';
import { fail } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import { safeEqual } from '#kernel/sign.ts';
import { isAfterSignIn } from '../../http/areas.ts';
import { makeCookie } from '../kit/cookies.ts';
import { isFromOwnScript, readForm, FOREIGN_FORM } from '../kit/form-guard.ts';
import { makeTokens } from '../kit/page-tokens.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { sendOn } from '../kit/html-page.ts';
import type { Handler, PathParams, RequestContext } from '#kernel/route.ts';

export type { Visitor };

/** The maximum age of a session. The engine ends unused ones sooner. */
const SESSION_SECONDS = 30 * 86_400;
const DEVICE_SECONDS = 400 * 86_400;
const TOKEN = /^[0-9a-f]{64}$/;

const FOREIGN_SCRIPT = Object.freeze({
  message: 'This request did not come from a page of this session.',
  next: 'Load the page again.',
});

type VisitorDeps = Readonly<{
  rootUrl: string;
  key: KeyObject;
  /** Signs the cookie of browsers in which an account has signed in before. */
  deviceKey: KeyObject;
  signin: Pick<Signin, 'visitor' | 'signOut'>;
}>;
type SignedIn = (ctx: RequestContext, visitor: Visitor, parts: PathParams) => Promise<void> | void;

/** Browser sessions and the CSRF tokens of their forms. */
export function makeVisitors({ rootUrl, key, deviceKey, signin }: VisitorDeps) {
  const cookie = makeCookie({ rootUrl, name: 'session', seconds: SESSION_SECONDS });
  const device = makeCookie({ rootUrl, name: 'device', seconds: DEVICE_SECONDS });
  const proofOf = (email: string, id: string) => createHmac('sha256', deviceKey).update(`${id} ${email}`).digest('hex');
  const tokens = makeTokens(key);
  const formToken = ({ sessionId }: Visitor) => tokens.issue(sessionId);

  function presented(ctx: RequestContext): string | undefined {
    const token = cookie.read(ctx);
    return token !== undefined && TOKEN.test(token) ? token : undefined;
  }

  async function visitorOf(ctx: RequestContext): Promise<Visitor | undefined> {
    const token = presented(ctx);
    return token === undefined ? undefined : signin.visitor(token);
  }

  /** Ends the browser's session, so that a new one never continues it. */
  async function leave(ctx: RequestContext): Promise<void> {
    const token = presented(ctx);
    if (token !== undefined) await signin.signOut(token);
  }

  /** The browser's device id, if it was issued for this account. */
  function deviceOf(ctx: RequestContext, email: string): string | undefined {
    const [id = '', proof = ''] = (device.read(ctx) ?? '').split('.');
    return safeEqual(proof, proofOf(email, id)) ? id : undefined;
  }

  return Object.freeze({
    visitorOf,
    deviceOf,

    /** Sets the session cookie and the device cookie for this account. */
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

    /** The hidden token field of a form, valid as long as the session. */
    field: (visitor: Visitor): Html =>
      html`<input ${attributes({ type: 'hidden', name: 'form_token', value: formToken(visitor) })} />`,

    /** The fields of a form of this session; throws auth.state_mismatch for any other form. */
    async read(ctx: RequestContext, visitor: Visitor): Promise<URLSearchParams> {
      const fields = await readForm(ctx, rootUrl);
      const token = fields.get('form_token') ?? '';
      if (!tokens.isFor(visitor.sessionId, token)) fail('auth.state_mismatch', FOREIGN_FORM);
      return fields;
    },

    /** The caller behind a page's script, by session and page token. Other sites cannot send that token. */
    async scripted(ctx: RequestContext): Promise<Caller> {
      const visitor = (await visitorOf(ctx)) ?? fail('auth.not_authenticated');
      if (!isFromOwnScript(ctx, rootUrl) || !tokens.isFor(visitor.sessionId, ctx.get('Rostra-Page'))) {
        fail('auth.state_mismatch', FOREIGN_SCRIPT);
      }
      return visitor.caller;
    },

    /** Who is signed in, for a page's script: with the token of its page, or a new one after another sign-in. */
    async current(ctx: RequestContext): Promise<Readonly<{ person: string; token: string }>> {
      const visitor = (await visitorOf(ctx)) ?? fail('auth.not_authenticated');
      const given = ctx.get('Rostra-Page');
      // Browsers let no other site send this header.
      if (!isFromOwnScript(ctx, rootUrl) || given === '') fail('auth.state_mismatch', FOREIGN_SCRIPT);
      const isCurrent = tokens.isFor(visitor.sessionId, given);
      return { person: visitor.caller.userId, token: isCurrent ? given : formToken(visitor) };
    },

    /** The token by which the page's scripts prove their session. */
    pageToken: formToken,

    /** Wraps a handler so that visitors without a session go to sign-in first and then come back. */
    signedIn: (handle: SignedIn): Handler =>
      async function signedIn(ctx, parts) {
        const visitor = await visitorOf(ctx);
        if (visitor === undefined) sendOn(ctx, signInPath(ctx.path));
        else await handle(ctx, visitor, parts);
      },
  });
}

export type Visitors = ReturnType<typeof makeVisitors>;

/** The user who is signed in. */
export function personOf({ caller: { userId, workspace, name } }: Visitor): Person {
  return { userId, workspaceId: workspace.id, name };
}

export function signInPath(destination: string): string {
  return destination === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(destination)}`;
}

/** The page that `next` names if it is one of this server's, otherwise `/`. */
export function destinationOf(next: unknown): string {
  return typeof next === 'string' && isAfterSignIn(next) ? next : '/';
}
