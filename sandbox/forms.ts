import { createHmac, randomBytes } from 'node:crypto';
import { safeEqual } from '#kernel/sign.ts';
import type { Context } from 'koa';
import { readBody } from './body.ts';
import { html, type Html } from './html.ts';

const COOKIE = 'sandbox_form';
const LARGEST_FORM = 16 * 1024;

/** An error page with a message for the person. */
export class PageError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export type Forms = Readonly<{
  /** The hidden field that every form needs; also sets its cookie. */
  field(ctx: Context): Html;
  /** Reads a form that one of our own pages sent; throws for others. */
  read(ctx: Context): Promise<URLSearchParams>;
}>;

/** Whether the browser's headers say that a page of this host sent the request. */
function fromHere(ctx: Context): boolean {
  const origin = ctx.get('origin');
  const site = ctx.get('sec-fetch-site');
  if (site !== '' && site !== 'same-origin') return false;
  if (origin === '') return site === 'same-origin';
  return URL.canParse(origin) && new URL(origin).host === ctx.host;
}

export function openForms(secret: Buffer): Forms {
  const tokenFor = (visitor: string) => createHmac('sha256', secret).update(visitor).digest('base64url');
  const visitorOf = (ctx: Context) => {
    const visitor = ctx.cookies.get(COOKIE, { signed: false });
    return visitor !== undefined && /^[\w-]{32}$/.test(visitor) ? visitor : undefined;
  };

  return Object.freeze({
    field(ctx: Context) {
      const visitor = visitorOf(ctx) ?? randomBytes(24).toString('base64url');
      ctx.cookies.set(COOKIE, visitor, {
        signed: false,
        httpOnly: true,
        sameSite: 'strict',
        path: '/sandbox',
        overwrite: true,
      });
      return html`<input type="hidden" name="form_token" value="${tokenFor(visitor)}" />`;
    },
    async read(ctx: Context) {
      if (!fromHere(ctx)) throw new PageError(403, 'This form was sent from another site.');
      if (!ctx.is('application/x-www-form-urlencoded')) throw new PageError(415, 'This is not a form.');
      const bytes = await readBody(ctx, LARGEST_FORM);
      if (bytes === undefined) throw new PageError(413, 'This form is too long.');
      const fields = new URLSearchParams(bytes.toString('utf8'));
      const visitor = visitorOf(ctx);
      if (visitor === undefined || !safeEqual(fields.get('form_token') ?? '', tokenFor(visitor)))
        throw new PageError(403, 'This form is out of date; load the page again.');
      return fields;
    },
  });
}
