import type { ApiError } from '#kernel/errors.ts';
import { explain } from '#kernel/envelope.ts';
import { PLATFORMS } from '#kernel/platforms.ts';
import { waitHeader } from '../../refusal-headers.ts';
import { drawRail } from './rail.ts';
import { drawRefusal } from '../kit/form-fields.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { BILLING } from '../kit/billing-path.ts';
import { bodyOf, listedIn, type Operate } from '../kit/operate.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';
import { ICONS } from '../kit/stylesheet.ts';
import type { TitleOf } from '../kit/titles.ts';
import type { Scripts } from '../live/scripts.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor, Visitors } from '../sign-in/visitors.ts';

export type Filled = Readonly<{ refusal: ApiError; fields: URLSearchParams }>;

type LivePage = Readonly<{
  name: string;
  path: string;
  title: string;
  first: Readonly<Record<string, unknown>>;
  /** Content without scripts. */
  scriptless?: Html;
}>;

/** Where scripts write what they say, and what floats over the page. */
const ROOM = html`<div id="toasts" role="status" aria-live="polite"></div>
  <div id="floating"></div>`;

/** What a workspace is told whose payment failed. */
function bannerFor({ caller: { workspace } }: Visitor): Html | undefined {
  if (workspace.blockedAt === undefined) return undefined;
  return html`<p class="refusal due">
    The last payment failed: until it is paid, only your profile, the connections and billing can be used, and what
    waits under Assistants can be denied.
    <a href="${BILLING}">Pay it</a>
  </p>`;
}

const NEEDS_SCRIPT = html`<p>This page needs JavaScript. The other pages work without it.</p>`;

type RowForm = Readonly<{
  path: string;
  /** The page to return to. */
  back: string;
  operation: string;
  /** The field with the row's id, in the form and of the operation. */
  field: string;
}>;

type FrameDeps = Readonly<{ visitors: Visitors; operate: Operate; scripts: Scripts; titleOf: TitleOf }>;

/** Common to the pages of signed-in people. */
export function makeFrame({ visitors, operate, scripts, titleOf }: FrameDeps) {
  const titles = JSON.stringify(PLATFORMS.map((slug) => [slug, titleOf(slug)]));

  /** Wraps a handler: what it reads is as new as what its page listens behind, so that no event is missed. */
  const signedIn: Visitors['signedIn'] = (handle) =>
    visitors.signedIn(async (ctx, visitor, parts) => {
      const [latest] = listedIn<{ id: string }>(await operate(ctx, visitor, 'list_events', { limit: 1 }));
      ctx.state.since = latest?.id;
      await handle(ctx, visitor, parts);
    });

  const railFor = ({ state }: RequestContext, visitor: Visitor, current: string) =>
    drawRail({
      visitor,
      field: visitors.field(visitor),
      current,
      data: {
        ...(state.since !== undefined && { 'data-since': state.since }),
        'data-token': visitors.pageToken(visitor),
        'data-person': visitor.caller.userId,
        'data-icons': ICONS,
        'data-zone': visitor.caller.workspace.timezone,
        'data-titles': titles,
      },
    });

  return Object.freeze({
    visitors: Object.freeze({ ...visitors, signedIn }),
    operate,

    /** Sends a page with navigation, and its form's refusal if there is one. */
    async send(
      ctx: RequestContext,
      visitor: Visitor,
      page: Readonly<{ path: string; title: string; body: Html }>,
      filled?: Filled,
    ) {
      const { path, title, body } = page;
      const refusal = filled?.refusal;
      if (refusal) ctx.set(waitHeader(refusal));
      sendPage(ctx, {
        status: refusal?.status ?? 200,
        title: refusal === undefined ? title : `Error: ${title}`,
        rail: railFor(ctx, visitor, path),
        banner: bannerFor(visitor),
        forms: 'own',
        // Without its scripts the page does what it is for all the same.
        live: await scripts.of('plain').catch(() => undefined),
        body: html`<main id="main" class="plain" tabindex="-1">
            <h1>${title}</h1>
            ${drawRefusal(refusal?.message)} ${body}
          </main>
          ${ROOM}`,
      });
    },

    /** Sends a page rendered by scripts; `first` are the answers shown at once. */
    async sendLive(ctx: RequestContext, visitor: Visitor, page: LivePage, refusal?: ApiError) {
      const { name, path, title, first, scriptless = NEEDS_SCRIPT } = page;
      if (refusal) ctx.set(waitHeader(refusal));
      const main = attributes({
        id: 'main',
        class: 'page',
        tabindex: '-1',
        'data-first': JSON.stringify({ ...first, refusal: refusal && explain(refusal, 'person') }),
      });
      sendPage(ctx, {
        status: refusal?.status ?? 200,
        title: refusal === undefined ? title : `Error: ${title}`,
        rail: railFor(ctx, visitor, path),
        banner: bannerFor(visitor),
        forms: 'own',
        live: await scripts.of(name),
        body: html`<main ${main}>
            <h1>${title}</h1>
            ${drawRefusal(refusal && explain(refusal, 'person'))}
            <div class="skeleton" aria-hidden="true"></div>
            <div class="scriptless">${scriptless}</div>
          </main>
          ${ROOM}`,
      });
    },

    async list<T>(ctx: RequestContext, visitor: Visitor, name: string): Promise<readonly T[]> {
      return bodyOf<{ data: readonly T[] }>(await operate(ctx, visitor, name)).data;
    },

    /** The route of a row's button: it calls an operation and returns to the page. */
    rowForm: ({ path, back, operation, field }: RowForm): Route => ({
      path,
      GET: (ctx) => sendOn(ctx, back),
      POST: visitors.signedIn(async (ctx, visitor) => {
        const fields = await visitors.read(ctx, visitor);
        bodyOf(await operate(ctx, visitor, operation, { [field]: fields.get(field) ?? '' }));
        sendOn(ctx, back);
      }),
    }),
  });
}

export type Frame = ReturnType<typeof makeFrame>;

/** Whether a refusal names this field. */
export function isAbout(filled: Filled | undefined, field: string): boolean {
  return filled?.refusal.detail.meta?.['field'] === field;
}
