import { createHmac, type KeyObject } from 'node:crypto';
import { explain } from '#kernel/envelope.ts';
import { ApiError, ERRORS, messageOf, PLATFORM_REASONS, type ErrorCode } from '#kernel/errors.ts';
import { isPlatform } from '#kernel/platforms.ts';
import { safeEqual } from '#kernel/sign.ts';
import { html } from '#kernel/text/html.ts';
import { sendOn, sendPage } from '../kit/html-page.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { TitleOf } from '../kit/titles.ts';

/** The OAuth error code when a person cancels. */
export const CANCELLED = 'access_denied';
const CANCELLED_TEXT = 'The connection was cancelled; nothing was changed.';

/** The fields of a pending connection that its redirect needs. */
type Started = Readonly<{
  platform: string;
  redirect_uri: string | null;
  client_state: string;
  invite_id: string | null;
}>;
type Account = Readonly<{ id: string; network: string; metadata: Readonly<Record<string, unknown>> }>;

/** How many missing capabilities to list after connecting. The metadata has all. */
const MOST_LISTED = 12;

type EndingsDeps = Readonly<{
  rootUrl: string;
  key: KeyObject;
  titleOf: TitleOf;
  /** The account's page in the dashboard, if the signed-in person has that account; otherwise undefined. */
  dashboardPageOf(ctx: RequestContext, accountId: string): Promise<string | undefined>;
}>;

/** Where browsers go after a connection has ended: to the client's redirect URI, or to a result page here. */
export function makeEndings({ rootUrl, key, titleOf, dashboardPageOf }: EndingsDeps) {
  // Signs the parsed query, because browsers may change how a URL is encoded.
  const sign = (query: URLSearchParams) => createHmac('sha256', key).update(query.toString()).digest('hex');

  const signed = (path: string, query: string) => `${rootUrl}${path}?${query}&sig=${sign(new URLSearchParams(query))}`;

  function locationOf({ redirect_uri, invite_id }: Started, query: string, own = ''): string {
    if (redirect_uri !== null) return withQuery(redirect_uri, query);
    return signed('/connect/result', `${query}${own}${invite_id === null ? '' : '&invited=true'}`);
  }

  /** The query of a signed URL; undefined if it has been changed. */
  function querySigned(ctx: RequestContext): URLSearchParams | undefined {
    const query = new URLSearchParams(ctx.querystring);
    const sig = query.get('sig') ?? '';
    query.delete('sig');
    return safeEqual(sig, sign(query)) ? query : undefined;
  }

  function failed(started: Started, code: string, description: string): string {
    const { platform, client_state: state } = started;
    const query = queryOf({ status: 'error', error: code, error_description: description, platform, state });
    return locationOf(started, query);
  }

  return Object.freeze({
    connected: (started: Started, account: Account) =>
      locationOf(
        started,
        queryOf({ status: 'success', platform: started.platform, state: started.client_state, account_id: account.id }),
        `${account.network === 'sandbox' ? '&sandbox=true' : ''}${lacksOf(account)}`,
      ),
    /** For a login with several profiles. The client lets the person choose; without a client, a page here does. */
    undecided: (started: Started, connectionId: string, state: string) =>
      started.redirect_uri === null
        ? signed(`/connect/${started.platform}/choose`, queryOf({ connection_id: connectionId, state }))
        : locationOf(
            started,
            queryOf({
              status: 'selection_required',
              connection_id: connectionId,
              platform: started.platform,
              state: started.client_state,
            }),
          ),
    /** The choice that a signed URL names, and the state of its connection; undefined if the URL has been changed. */
    undecidedAt(ctx: RequestContext): Readonly<{ id: string; state: string }> | undefined {
      const query = querySigned(ctx);
      const [id, state] = [query?.get('connection_id'), query?.get('state')];
      return id && state ? { id, state } : undefined;
    },
    failed,
    cancelled: (started: Started) => failed(started, CANCELLED, CANCELLED_TEXT),

    routes: Object.freeze<Route[]>([
      {
        path: '/connect/result',
        async GET(ctx) {
          const query = querySigned(ctx);
          // Unsigned results are not shown, because a forged one could mislead people.
          if (query === undefined) return showNothing(ctx);
          const accountId = query.has('invited') ? null : query.get('account_id');
          const page = accountId === null ? undefined : await dashboardPageOf(ctx, accountId);
          if (page === undefined) showResult(ctx, query, titleOf(query.get('platform')) ?? 'The platform');
          else sendOn(ctx, page);
        },
      },
    ]),
  });
}

/** Capabilities for which a permission is missing, without duplicates. */
function lacksOf({ metadata: { unavailable } }: Account): string {
  const effects = Array.isArray(unavailable) ? (unavailable as readonly Readonly<{ effect: string }>[]) : [];
  const each = [...new Set(effects.map(({ effect }) => effect))].slice(0, MOST_LISTED);
  return each.map((effect) => `&lacks=${encodeURIComponent(effect)}`).join('');
}

/** Appends a query to a URL that may already have one. */
export function withQuery(address: string, query: string): string {
  const url = new URL(address);
  url.search = url.search === '' ? query : `${url.search}&${query}`;
  return url.href;
}

function queryOf(values: Readonly<Record<string, string>>): string {
  // Encodes spaces as %20, because not every client decodes + as a space.
  return Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&');
}

function showResult(ctx: RequestContext, query: URLSearchParams, platform: string): void {
  if (query.get('status') === 'success') {
    sendPage(ctx, {
      title: `${platform} connected`,
      body: html`<h1><span class="good" aria-hidden="true">✓</span> ${platform} is connected</h1>
        ${query.has('sandbox') && html`<p class="note">This is a sandbox account. Nothing it does leaves this server.</p>`}
        ${
          query.has('lacks') &&
          html`<p>Some permissions were not granted:</p>
            <ul>
              ${query.getAll('lacks').map((effect) => html`<li>${effect}</li>`)}
            </ul>`
        }
        ${
          query.has('invited')
            ? html`<p>Thank you. The invitation has been used, and you can close this page.</p>`
            : html`<p>You can close this page and go back to where you came from.</p>
                <p class="quiet">Account <code>${query.get('account_id') ?? ''}</code></p>`
        }`,
    });
    return;
  }
  const code = query.get('error') ?? '';
  const invited = query.has('invited');
  sendPage(ctx, {
    status: invited ? resultStatusOf(code) : 200,
    title: `${platform} not connected`,
    body: html`<h1><span class="bad" aria-hidden="true">✕</span> ${platform} was not connected</h1>
      <p>${invited ? (INVITED.get(code) ?? messageIn(code)) : sentenceOf(code)}</p>
      <p>
        ${
          invited
            ? 'To try again, open the link of the invitation once more.'
            : html`To try again, start the connection once more where you came from, or in
                <a href="/dashboard/accounts">your dashboard</a>.`
        }
      </p>
      <p class="quiet">Error <code>${code}</code></p>`,
  });
}

function showNothing(ctx: RequestContext): void {
  sendPage(ctx, {
    status: 400,
    title: 'No result',
    body: html`<h1>There is no result to show</h1>
      <p>This address is incomplete or was changed on its way here.</p>`,
  });
}

function sentenceOf(code: string): string {
  return code === CANCELLED ? CANCELLED_TEXT : explain(new ApiError(knownCode(code)), 'person');
}

/** Messages for invited people. The next steps of the error catalogue are for programs. */
const INVITED: ReadonlyMap<string, string> = tableOf({
  'resource.conflict': 'This brand already has an account on this platform.',
  'invite.invalid': 'The invitation has been used or withdrawn.',
});

function messageIn(code: string): string {
  return code === CANCELLED ? CANCELLED_TEXT : messageOf(knownCode(code));
}

/** The status of a result page: 200 instead of 401, on which browsers ask for a password, and of those from 500 on. */
function resultStatusOf(code: string): number {
  const { status } = new ApiError(knownCode(code));
  return code !== CANCELLED && status >= 400 && status < 500 && status !== 401 ? status : 200;
}

/** The code of a signed URL, which an earlier version may have issued. */
const knownCode = (code: string): ErrorCode => (isCatalogued(code) ? code : 'system.internal');

function isCatalogued(code: string): code is ErrorCode {
  if (Object.hasOwn(ERRORS, code)) return true;
  const [area, platform, reason = '', ...more] = code.split('.');
  return area === 'platform' && isPlatform(platform) && Object.hasOwn(PLATFORM_REASONS, reason) && more.length === 0;
}
