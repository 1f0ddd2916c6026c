/** The consent page, where a person logs in and chooses profiles and scopes for the app. */
import { attributes } from '#kernel/text/html.ts';
import type { Context } from 'koa';
import { isLoopbackName } from '#kernel/net/addresses.ts';
import { PageError, type Forms } from '../../forms.ts';
import { html, page, type Html } from '../../html.ts';
import { flag, isOn, maybe, text, wordsIn, type Act, type Values } from '../acts.ts';

export type AuthorizationRequest = Readonly<{
  redirect: URL;
  redirect_uri: string;
  state: string;
  scopes: readonly string[];
  query: URLSearchParams;
}>;

/** What the person chose; without `profiles` or `scopes` all are granted. */
export type Consent = Readonly<{
  person: string;
  profiles?: readonly string[] | undefined;
  scopes?: readonly string[] | undefined;
}>;

export type ConsentTerms = Readonly<{
  clientId: string | ((id: string) => boolean);
  clientField?: 'client_id' | 'client_key' | 'app_id';
  scopes: readonly string[];
  separator?: RegExp;
  /** Scopes that are granted without a checkbox. */
  always?: readonly string[];
  /** Where the app may be redirected; loopback addresses are always allowed. */
  origins: () => readonly string[];
  /** The registered path; without it any path is allowed. */
  path?: string;
  words: Readonly<{ client: string; redirect: string; type: string; scopes: string }>;
  /** Reads the requested scopes if they are not in `scope`. */
  rights?(query: URLSearchParams): readonly string[] | undefined;
  /** Further checks, such as of PKCE; throws a PageError. */
  check?(query: URLSearchParams): void;
}>;

type Named = Readonly<{ id: string; name: string }>;
type Owner = Named & Readonly<{ profiles: readonly Named[] }>;

export type ConsentPage = Readonly<{
  /** The page's title, which is the network's. */
  title: string;
  app: string;
  network: string;
  forms: Forms;
  terms: ConsentTerms;
  /** The people who can log in, with their profiles. */
  people(): readonly Owner[];
  /** What the network calls profiles and the field for them, if people can choose among profiles. */
  profiles?: Readonly<{ name: string; field: string }>;
  note?: string;
  allow(request: AuthorizationRequest, consent: Consent): Readonly<Record<string, string>>;
  /** The parameters of the redirect when the person cancels. */
  denied: Readonly<Record<string, string>>;
  /** The fragment that every redirect ends with. */
  hash?: string;
}>;

const NEVER_ASKED: readonly string[] = [];

function scopesIn(query: URLSearchParams, separator: RegExp): readonly string[] {
  return (query.get('scope') ?? '').split(separator).filter(Boolean);
}

function isRegistered({ protocol, pathname, search, hash, origin, hostname }: URL, terms: ConsentTerms): boolean {
  return (
    /^https?:$/.test(protocol) &&
    (terms.path === undefined || `${pathname}${search}${hash}` === terms.path) &&
    (terms.origins().includes(origin) || isLoopbackName(hostname))
  );
}

/** Reads a consent URL. It never redirects to an unregistered address, not even with an error. */
function readAuthorizationRequest(query: URLSearchParams, terms: ConsentTerms): AuthorizationRequest {
  const { clientField = 'client_id', separator = /[\s,]+/, always = NEVER_ASKED, words } = terms;
  const client = query.get(clientField) ?? '';
  const isApp = typeof terms.clientId === 'string' ? client === terms.clientId : terms.clientId(client);
  if (!isApp) throw new PageError(400, words.client);
  const redirect_uri = query.get('redirect_uri') ?? '';
  const redirect = URL.canParse(redirect_uri) ? new URL(redirect_uri) : undefined;
  if (redirect === undefined || !isRegistered(redirect, terms)) throw new PageError(400, words.redirect);
  const type = query.get('response_type') ?? 'code';
  if (type !== 'code') throw new PageError(400, `${words.type}: ${type.slice(0, 80)}`);
  const scopes = terms.rights?.(query) ?? scopesIn(query, separator);
  const unknown = scopes.filter((scope) => !terms.scopes.includes(scope));
  if (unknown.length > 0) throw new PageError(400, words.scopes.replace('{scopes}', unknown.join(', ').slice(0, 300)));
  terms.check?.(query);
  const wanted = [...new Set([...always, ...scopes])];
  return { redirect, redirect_uri, state: query.get('state') ?? '', scopes: wanted, query };
}

const drawTick = (name: string, value: string, label: string): Html =>
  html`<label class="tick"><input type="checkbox" name="${name}" value="${value}" checked /> ${label}</label>`;

function drawPage(options: ConsentPage, request: AuthorizationRequest, action: string, token: Html): string {
  const { title, app, network, people, profiles, note, terms } = options;
  const drawOwner = ({ id, name, profiles: own }: Owner, at: number): Html =>
    html`<div class="choice">
      <label class="tick"
        ><input type="radio" name="person" value="${id}" ${attributes({ checked: at === 0 })} required /> ${name}</label
      >
      ${
        profiles !== undefined &&
        html`<div class="of">
          ${own.map((one) => drawTick(profiles.field, one.id, one.name))}
          ${own.length === 0 && html`<small>has no ${profiles.name}</small>`}
        </div>`
      }
    </div>`;
  const always = terms.always ?? NEVER_ASKED;
  return page(
    title,
    html`<h1>${app} wants to use your account</h1>
      <p>
        This is the login dialog of the simulator of ${network}: nobody needs a password. Then you return to
        ${request.redirect.host}.
      </p>
      <form class="dialog" method="post" action="${action}">
        ${token}
        <fieldset>
          <legend>
            ${profiles === undefined ? 'Who are you?' : `Who are you, and which of your ${profiles.name} may it use?`}
          </legend>
          ${people().map(drawOwner)}
        </fieldset>
        <fieldset>
          <legend>What may it do?</legend>
          ${request.scopes.filter((scope) => !always.includes(scope)).map((scope) => drawTick('scope', scope, scope))}
          ${note !== undefined && html`<small>${note}</small>`}
        </fieldset>
        <div class="buttons">
          <button class="primary" name="choice" value="allow">Continue</button>
          <button name="choice" value="deny" formnovalidate>Cancel</button>
        </div>
      </form>`,
  );
}

export type ConsentDialog = ReturnType<typeof makeConsent>;

/** The consent page for browsers, and an action that consents for programs. */
export function makeConsent(options: ConsentPage) {
  const { forms, terms, hash } = options;
  const always = terms.always ?? NEVER_ASKED;

  function back({ redirect, state }: AuthorizationRequest, answer: Readonly<Record<string, string>>): string {
    const target = new URL(redirect);
    for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
    if (state !== '') target.searchParams.set('state', state);
    if (hash !== undefined) target.hash = hash;
    return target.href;
  }
  function settle(request: AuthorizationRequest, consent: Consent, isDenied: boolean): string {
    return back(request, isDenied ? options.denied : options.allow(request, consent));
  }

  function show(ctx: Context, request: AuthorizationRequest): void {
    const token = forms.field(ctx);
    // The form leads to a redirect, which browsers would block because of form-action.
    const policy = ctx.response.get('Content-Security-Policy');
    ctx.set('Content-Security-Policy', policy.replace("form-action 'self'; ", ''));
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'html';
    ctx.body = drawPage(options, request, `${ctx.URL.pathname}${ctx.URL.search}`, token);
  }

  return Object.freeze({
    async answer(ctx: Context) {
      const request = readAuthorizationRequest(ctx.URL.searchParams, terms);
      if (ctx.method === 'GET' || ctx.method === 'HEAD') {
        show(ctx, request);
        return;
      }
      const fields = await forms.read(ctx);
      const consent = {
        person: fields.get('person') ?? '',
        profiles: options.profiles && fields.getAll(options.profiles.field),
        scopes: [...always, ...fields.getAll('scope')],
      };
      ctx.redirect(settle(request, consent, fields.get('choice') === 'deny'));
      ctx.status = 303;
    },
    /** Consents without a browser; `profileId` finds a profile by its name. */
    act: (profileId: (words: string) => string, profilesField = 'profiles'): Act => ({
      group: 'twin',
      title: 'Go through the log-in dialog',
      // Only for programs, because browsers have the consent page.
      isHidden: true,
      fields: {
        url: text('Dialog address'),
        person: maybe('Who'),
        [profilesField]: maybe('Profiles'),
        scopes: maybe('Permissions'),
        deny: { ...flag('Deny'), optional: true },
      },
      run(values: Values) {
        const { url = '', person = '', scopes, deny } = values;
        if (!URL.canParse(url)) throw new PageError(400, 'The dialog address cannot be read.');
        const profiles = wordsIn(values[profilesField])?.map(profileId);
        const request = readAuthorizationRequest(new URL(url).searchParams, terms);
        return { location: settle(request, { person, profiles, scopes: wordsIn(scopes) }, isOn(deny)) };
      },
    }),
  });
}
