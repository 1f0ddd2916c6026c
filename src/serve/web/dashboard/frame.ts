import type { ApiError } from '#kernel/errors.ts';
import { explain } from '#kernel/envelope.ts';
import { wordsOf } from '#kernel/people/roles.ts';
import { PLATFORMS } from '#kernel/platforms.ts';
import { waitHeader } from '../../refusal-headers.ts';
import { drawRail } from './rail.ts';
import { drawRefusal, inFormWords } from '../kit/form-fields.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { BILLING } from '../kit/billing-path.ts';
import { bodyOf, listedIn, type DeniedTo, type Operate } from '../kit/operate.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';
import { ICONS } from '../kit/stylesheet.ts';
import type { TitleOf } from '../kit/titles.ts';
import { NAMED, slim, slimBrands, type BrandChoice, type ListedAccount } from './live/account-fields.ts';
import type { PageScripts, Scripts } from '../live/scripts.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor, Visitors } from '../sign-in/visitors.ts';

export type Filled = Readonly<{ refusal: ApiError; fields: URLSearchParams }>;

type LivePage = Readonly<{
  name: string;
  path: string;
  title: string;
  first: Readonly<Record<string, unknown>>;
  /** What browsers without scripts show. */
  scriptless?: Html;
}>;

/** Where scripts put their messages and floating elements. */
const ROOM = html`<div id="toasts" role="status" aria-live="polite"></div>
  <div id="floating"></div>`;

/** The banner for a workspace whose payment failed. */
function bannerFor({ caller: { workspace } }: Visitor, denied: ReadonlySet<string>): Html | undefined {
  if (workspace.blockedAt === undefined) return undefined;
  return html`<p class="refusal due">
    The last payment failed: until it is paid, only your profile, people, the connections and billing can be used, and
    what waits under Assistants can be denied.
    ${denied.has('create_portal_session') ? 'Tell an administrator of the workspace.' : html`<a href="${BILLING}">Pay it</a>`}
  </p>`;
}

const NEEDS_SCRIPT = html`<p>This page needs JavaScript. The other pages work without it.</p>`;

type RowForm = Readonly<{
  path: string;
  /** The page to return to afterwards. */
  back: string;
  operation: string;
  /** The name of the field with the row's id, both in the form and for the operation. */
  field: string;
}>;

type FrameDeps = Readonly<{
  visitors: Visitors;
  operate: Operate;
  deniedTo: DeniedTo;
  scripts: Scripts;
  titleOf: TitleOf;
}>;

/** What surrounds a page: its navigation, and the refusal of its form in status, title and headers. */
function makeSurround({ visitors, deniedTo, titleOf }: Pick<FrameDeps, 'visitors' | 'deniedTo' | 'titleOf'>) {
  const titles = JSON.stringify(PLATFORMS.map((slug) => [slug, titleOf(slug)]));

  const railFor = ({ state }: RequestContext, visitor: Visitor, current: string) =>
    drawRail({
      visitor,
      field: visitors.field(visitor),
      current,
      denied: deniedTo(visitor),
      data: {
        ...(state.since !== undefined && { 'data-since': state.since }),
        'data-token': visitors.pageToken(visitor),
        'data-person': visitor.caller.userId,
        'data-icons': ICONS,
        'data-zone': visitor.caller.workspace.timezone,
        'data-titles': titles,
        'data-denied': JSON.stringify([...deniedTo(visitor)]),
      },
    });

  return function surround(
    ctx: RequestContext,
    visitor: Visitor,
    { path, title }: Readonly<{ path: string; title: string }>,
    refusal: ApiError | undefined,
  ) {
    if (refusal) ctx.set(waitHeader(refusal));
    return {
      status: refusal?.status ?? 200,
      title: refusal === undefined ? title : `Error: ${title}`,
      rail: railFor(ctx, visitor, path),
      banner: bannerFor(visitor, deniedTo(visitor)),
      forms: 'own',
    } as const;
  };
}

/** Whether the role of a person allows an operation. */
type May = (visitor: Visitor, operation: string) => boolean;

type RoleGateDeps = Readonly<{
  signedIn: Visitors['signedIn'];
  may: May;
  plainScripts(): Promise<PageScripts | undefined>;
  surround: ReturnType<typeof makeSurround>;
}>;

/** Keeps pages from people whose role does not allow their operation. */
function makeRoleGate({ signedIn, may, plainScripts, surround }: RoleGateDeps) {
  const title = 'This page is not for your role';

  async function sendRefusal(ctx: RequestContext, visitor: Visitor): Promise<void> {
    sendPage(ctx, {
      ...surround(ctx, visitor, { path: ctx.path, title }, undefined),
      status: 403,
      live: await plainScripts(),
      body: html`<main id="main" class="plain" tabindex="-1">
          <h1>${title}</h1>
          <p>
            Your role in this workspace is <strong>${wordsOf(visitor.role).title}</strong>. If you need this page, ask
            an administrator of the workspace for another role.
          </p>
          <p><a class="button" href="/dashboard">Back to today</a></p>
        </main>
        ${ROOM}`,
    });
  }

  return {
    /** Wraps the handler of a page for those whose role allows an operation; others are told whom to ask. */
    forThose: (operation: string, handle: Parameters<typeof signedIn>[0]) =>
      signedIn(async (ctx, visitor, parts) => {
        if (may(visitor, operation)) await handle(ctx, visitor, parts);
        else await sendRefusal(ctx, visitor);
      }),
  };
}

/** What all pages for signed-in people share. */
export function makeFrame({ visitors, operate, deniedTo, scripts, titleOf }: FrameDeps) {
  const may: May = (visitor, operation) => !deniedTo(visitor).has(operation);
  /** Notes the latest event before the handler reads. The page listens from that event on, so it misses none. */
  const signedIn: Visitors['signedIn'] = (handle) =>
    visitors.signedIn(async (ctx, visitor, parts) => {
      ctx.state.mayPay = may(visitor, 'create_portal_session');
      const [latest] = listedIn<{ id: string }>(await operate(ctx, visitor, 'list_events', { limit: 1 }));
      ctx.state.since = latest?.id;
      await handle(ctx, visitor, parts);
    });

  const surround = makeSurround({ visitors, deniedTo, titleOf });
  /** The scripts of pages that also work without them. */
  const plainScripts = () => scripts.of('plain').catch(() => undefined);
  const gate = makeRoleGate({ signedIn, may, plainScripts, surround });

  async function list<T>(ctx: RequestContext, visitor: Visitor, name: string): Promise<readonly T[]> {
    return bodyOf<{ data: readonly T[] }>(await operate(ctx, visitor, name)).data;
  }

  return Object.freeze({
    visitors: Object.freeze({ ...visitors, signedIn }),
    may,
    ...gate,
    operate,
    list,

    /** The accounts and brands that a list can be filtered by. */
    async choices(ctx: RequestContext, visitor: Visitor) {
      const [accounts, brands] = await Promise.all([
        list<ListedAccount>(ctx, visitor, 'list_accounts'),
        list<BrandChoice>(ctx, visitor, 'list_brands'),
      ]);
      return {
        list_accounts: { data: slim(accounts, NAMED) },
        list_brands: { data: slimBrands(brands) },
      };
    },

    /** Sends a page with navigation, and the refusal of its form if there is one. */
    async send(
      ctx: RequestContext,
      visitor: Visitor,
      page: Readonly<{ path: string; title: string; body: Html }>,
      filled?: Filled,
    ) {
      const { title, body } = page;
      const refusal = filled?.refusal;
      sendPage(ctx, {
        ...surround(ctx, visitor, page, refusal),
        live: await plainScripts(),
        body: html`<main id="main" class="plain" tabindex="-1">
            <h1>${title}</h1>
            ${drawRefusal(refusal && inFormWords(refusal).message)} ${body}
          </main>
          ${ROOM}`,
      });
    },

    /** Sends a page that scripts render. `first` holds the results that it shows at once. */
    async sendLive(ctx: RequestContext, visitor: Visitor, page: LivePage, refusal?: ApiError) {
      const { name, title, first, scriptless = NEEDS_SCRIPT } = page;
      const words = refusal && explain(inFormWords(refusal), 'person');
      const main = attributes({
        id: 'main',
        class: 'page',
        tabindex: '-1',
        'data-first': JSON.stringify({ ...first, refusal: words }),
      });
      sendPage(ctx, {
        ...surround(ctx, visitor, page, refusal),
        live: await scripts.of(name),
        body: html`<main ${main}>
            <h1>${title}</h1>
            ${drawRefusal(words)}
            <div class="skeleton" aria-hidden="true"></div>
            <div class="scriptless">${scriptless}</div>
          </main>
          ${ROOM}`,
      });
    },

    /** The route for a row's button, which calls an operation and returns to the page. */
    rowForm: ({ path, back, operation, field }: RowForm): Route => ({
      path,
      GET: (ctx) => sendOn(ctx, back),
      POST: gate.forThose(operation, async (ctx, visitor) => {
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
