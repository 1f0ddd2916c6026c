import { createHmac } from 'node:crypto';
import { readBytes, textOf } from '../../../kernel/body.ts';
import { fail } from '../../../kernel/errors.ts';
import { randomHex } from '../../../kernel/ids.ts';
import { sha256, safeEqual } from '../../../kernel/sign.ts';
import { makeCookie } from './cookies.ts';
import { attributes, html, type Html } from './html.ts';
import type { RequestContext } from '../../../kernel/route.ts';

/** The largest form of a page (rulings 5.9). */
const MAX_BYTES = 16 * 1024;
/** What is said to whoever sends a form our page in this browser did not make. */
export const STRANGE = Object.freeze({
  message: 'This form is out of date or came from another site.',
  next: 'Load the page again, with cookies allowed.',
});

export type FormsDeps = Readonly<{ rootUrl: string; key: Buffer; lifeSeconds: number }>;

/** Forms that only pages of ours can send, each bound to a subject (a connection, a session) and to one browser. */
export type Forms = Readonly<{
  /** Marks this browser as one that was shown the page of `subject`. */
  open(ctx: RequestContext, subject: string): void;
  /** The hidden field of every form of `subject`; to be called after `open`. */
  token(ctx: RequestContext, subject: string): Html;
  /** The fields of a posted form; refuses all that our page in this browser did not send. */
  read(ctx: RequestContext, subject: string): Promise<URLSearchParams>;
  /** Whether this browser was shown the page of `subject`. */
  isOpen(ctx: RequestContext, subject: string): boolean;
  /** Whether the browser sent any cookie of `subject` back: those that keep none cannot use the form at all. */
  hasReturned(ctx: RequestContext, subject: string): boolean;
}>;

/** Forms guarded by Origin, a cookie and a token (rulings 5.5). */
export function makeForms({ rootUrl, key, lifeSeconds }: FormsDeps): Forms {
  const mac = (...parts: readonly string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
  // One cookie per subject, so that two connections may be under way in one browser.
  const cookieOf = (subject: string) =>
    makeCookie({ rootUrl, name: `form-${sha256(subject).slice(0, 12)}`, seconds: lifeSeconds });
  const opening = new WeakMap<RequestContext, string>();

  /** The random part of the cookie, when the cookie is one we gave for this subject. */
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
      const nonce = nonceOf(ctx, subject) ?? fail('auth.state_mismatch', STRANGE);
      const value = mac('form', subject, nonce);
      return html`<input ${attributes({ type: 'hidden', name: 'form_token', value })} />`;
    },
    async read(ctx: RequestContext, subject: string) {
      const fields = await readForm(ctx, rootUrl);
      const nonce = nonceOf(ctx, subject);
      const token = fields.get('form_token') ?? '';
      if (nonce === undefined || !safeEqual(token, mac('form', subject, nonce))) {
        fail('auth.state_mismatch', STRANGE);
      }
      return fields;
    },
    isOpen: (ctx: RequestContext, subject: string) => nonceOf(ctx, subject) !== undefined,
    hasReturned: (ctx: RequestContext, subject: string) => cookieOf(subject).read(ctx) !== undefined,
  });
}

/** The fields of a form that a page of our own origin sent; what binds it to one browser is for the caller to check. */
export async function readForm(ctx: RequestContext, rootUrl: string): Promise<URLSearchParams> {
  if (!isFromHere(ctx, rootUrl)) fail('auth.state_mismatch', STRANGE);
  return readFields(ctx);
}

/** Browsers always name the origin of a form; where a policy hides it they still say whether it was the same. */
function isFromHere(ctx: RequestContext, rootUrl: string): boolean {
  const origin = ctx.get('Origin');
  return origin === '' || origin === 'null' ? ctx.get('Sec-Fetch-Site') === 'same-origin' : origin === rootUrl;
}

async function readFields(ctx: RequestContext): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    fail('http.415', { message: 'Forms are sent as application/x-www-form-urlencoded.' });
  }
  return new URLSearchParams(textOf(await readBytes(ctx.req, { limit: MAX_BYTES })));
}
