import { createHmac, type KeyObject } from 'node:crypto';
import { readBytes, textOf } from '#kernel/body.ts';
import { fail } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import { sha256, safeEqual } from '#kernel/sign.ts';
import { makeCookie } from './cookies.ts';
import { makeTokens } from './page-tokens.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import type { RequestContext } from '#kernel/route.ts';

const MAX_BYTES = 16 * 1024;
/** The refusal of a form that did not come from a page here in this browser. */
export const FOREIGN_FORM = Object.freeze({
  message: 'This form is out of date or came from another site.',
  next: 'Load the page again, with cookies allowed.',
});

export type FormsDeps = Readonly<{ rootUrl: string; key: KeyObject; lifeSeconds: number }>;

/** CSRF protection. Forms are bound to a subject (a connection or session) and to one browser. */
export type Forms = Readonly<{
  /** Sets the cookie that binds this browser to `subject`. */
  open(ctx: RequestContext, subject: string): void;
  /** The hidden token field for a form of `subject`; call `open` first. */
  token(ctx: RequestContext, subject: string): Html;
  /** The fields of a submitted form; throws auth.state_mismatch unless it came from a page here in this browser. */
  read(ctx: RequestContext, subject: string): Promise<URLSearchParams>;
  isOpen(ctx: RequestContext, subject: string): boolean;
  /** Whether the browser sent any cookie for `subject`. If not, it may block cookies. */
  hasReturned(ctx: RequestContext, subject: string): boolean;
}>;

/** Forms protected by Origin, a cookie and a token: docs/contract/security.md#forms. */
export function makeForms({ rootUrl, key, lifeSeconds }: FormsDeps): Forms {
  const mac = (...parts: readonly string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
  // One cookie per subject, so that a browser can have two connections at the same time.
  const cookieOf = (subject: string) =>
    makeCookie({ rootUrl, name: `form-${sha256(subject).slice(0, 12)}`, seconds: lifeSeconds });
  const tokens = makeTokens(key);
  const subjectOf = (subject: string, nonce: string) => JSON.stringify(['form', subject, nonce]);
  const opening = new WeakMap<RequestContext, string>();

  /** The random part of the cookie for this subject. */
  function nonceOf(ctx: RequestContext, subject: string): string | undefined {
    const given = opening.get(ctx) ?? cookieOf(subject).read(ctx) ?? '';
    const [nonce = '', proof = ''] = given.split('.');
    return nonce.length === 32 && safeEqual(proof, mac('cookie', subject, nonce)) ? nonce : undefined;
  }

  return Object.freeze({
    open(ctx: RequestContext, subject: string) {
      const nonce = nonceOf(ctx, subject) ?? randomHex(16);
      const value = `${nonce}.${mac('cookie', subject, nonce)}`;
      opening.set(ctx, value);
      cookieOf(subject).write(ctx, value);
    },
    token(ctx: RequestContext, subject: string) {
      const nonce = nonceOf(ctx, subject) ?? fail('auth.state_mismatch', FOREIGN_FORM);
      const value = tokens.issue(subjectOf(subject, nonce));
      return html`<input ${attributes({ type: 'hidden', name: 'form_token', value })} />`;
    },
    async read(ctx: RequestContext, subject: string) {
      const fields = await readForm(ctx, rootUrl);
      const nonce = nonceOf(ctx, subject);
      const token = fields.get('form_token') ?? '';
      if (nonce === undefined || !tokens.isFor(subjectOf(subject, nonce), token)) {
        fail('auth.state_mismatch', FOREIGN_FORM);
      }
      return fields;
    },
    isOpen: (ctx: RequestContext, subject: string) => nonceOf(ctx, subject) !== undefined,
    hasReturned: (ctx: RequestContext, subject: string) => cookieOf(subject).read(ctx) !== undefined,
  });
}

/** The fields of a form from this server's origin. The caller has to check its token. */
export async function readForm(ctx: RequestContext, rootUrl: string): Promise<URLSearchParams> {
  if (!isFromHere(ctx, rootUrl)) fail('auth.state_mismatch', FOREIGN_FORM);
  return readFields(ctx);
}

/** Browsers send the Origin of a form. If a policy hides it, `Sec-Fetch-Site` still says `same-origin`. */
function isFromHere(ctx: RequestContext, rootUrl: string): boolean {
  const origin = ctx.get('Origin');
  return origin === '' || origin === 'null' ? ctx.get('Sec-Fetch-Site') === 'same-origin' : origin === rootUrl;
}

/** Requests from the pages' scripts, except reads, name this origin; the browser's other headers must agree. */
export function isFromOwnScript(ctx: RequestContext, rootUrl: string): boolean {
  const origin = ctx.get('Origin');
  const site = ctx.get('Sec-Fetch-Site');
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  return (origin === rootUrl || (origin === '' && isRead)) && (site === '' || site === 'same-origin');
}

async function readFields(ctx: RequestContext): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    fail('http.415', { message: 'Send forms as application/x-www-form-urlencoded.' });
  }
  return new URLSearchParams(textOf(await readBytes(ctx.req, { limit: MAX_BYTES })));
}
