/** The consent page of a network: who a person is, which of their profiles and which rights the app gets, or nothing. */
import { attributes } from '#kernel/text/html.ts';
import type { Context } from 'koa';
import { isLoopbackName } from '#kernel/net/addresses.ts';
import { PageError } from '../../forms.ts';
import type { Forms } from '../../forms.ts';
import { html, page } from '../../html.ts';
import type { Html } from '../../html.ts';
import { flag, isOn, maybe, text, wordsIn } from '../acts.ts';
import type { Act, Values } from '../acts.ts';

/** What an app asks for. */
export type AuthorizationRequest = Readonly<{
  redirect: URL;
  redirect_uri: string;
  state: string;
  scopes: readonly string[];
  query: URLSearchParams;
}>;

/** What a person chose, by ids; profiles and scopes that are absent mean all. */
export type Consent = Readonly<{
  person: string;
  profiles?: readonly string[] | undefined;
  scopes?: readonly string[] | undefined;
}>;

/** What a request for consent must look like; `words` are the network's own for one that does not. */
export type ConsentTerms = Readonly<{
  /** The one app there is, or whether there is an app of that id. */
  clientId: string | ((id: string) => boolean);
  clientField?: 'client_id' | 'client_key' | 'app_id';
  /** The rights an app may ask for at all, and what parts them in the address. */
  scopes: readonly string[];
  separator?: RegExp;
  /** Rights that nobody is asked about. */
  always?: readonly string[];
  /** Origins that the app has named for itself; loopback addresses are named always. */
  origins: () => readonly string[];
  /** The one path that is registered there; absent: any. */
  path?: string;
  words: Readonly<{ client: string; redirect: string; type: string; scopes: string }>;
  /** The rights an address asks for, where they are not in its `scope`. */
  rights?(query: URLSearchParams): readonly string[] | undefined;
  /** What else the network asks of the address, such as a PKCE challenge; throws a PageError. */
  check?(query: URLSearchParams): void;
}>;

type Named = Readonly<{ id: string; name: string }>;
type Owner = Named & Readonly<{ profiles: readonly Named[] }>;

export type ConsentPage = Readonly<{
  /** How the network calls the page, and the app. */
  title: string;
  app: string;
  network: string;
  forms: Forms;
  terms: ConsentTerms;
  /** Who can log in, and the profiles each may choose from. */
  people(): readonly Owner[];
  /** What the network calls profiles, and the field of the form they are chosen in; absent where there is no choice. */
  profiles?: Readonly<{ name: string; field: string }>;
  /** The note below the rights. */
  note?: string;
  /** Writes down what was allowed, and answers the fields that go back to the app. */
  allow(request: AuthorizationRequest, consent: Consent): Readonly<Record<string, string>>;
  /** The fields that tell the app of a refusal. */
  denied: Readonly<Record<string, string>>;
  /** What stands behind the `#` of every answer. */
  hash?: string;
}>;

const NEVER_ASKED: readonly string[] = [];

/** Reads the address of a consent page; nobody is sent back to a place the app has not named, not even with an error. */
function readAuthorizationRequest(query: URLSearchParams, terms: ConsentTerms): AuthorizationRequest {
  const { clientField = 'client_id', separator = /[\s,]+/, always = NEVER_ASKED, words } = terms;
  const client = query.get(clientField) ?? '';
  const isApp = typeof terms.clientId === 'string' ? client === terms.clientId : terms.clientId(client);
  if (!isApp) throw new PageError(400, words.client);
  const redirect_uri = query.get('redirect_uri') ?? '';
  const redirect = URL.canParse(redirect_uri) ? new URL(redirect_uri) : undefined;
  const isOurs =
    redirect !== undefined &&
    /^https?:$/.test(redirect.protocol) &&
    (terms.path === undefined || `${redirect.pathname}${redirect.search}${redirect.hash}` === terms.path) &&
    (terms.origins().includes(redirect.origin) || isLoopbackName(redirect.hostname));
  if (!isOurs) throw new PageError(400, words.redirect);
  const type = query.get('response_type') ?? 'code';
  if (type !== 'code') throw new PageError(400, `${words.type}: ${type.slice(0, 80)}`);
  const scopes = terms.rights?.(query) ?? (query.get('scope') ?? '').split(separator).filter(Boolean);
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
        This is the log-in dialog of the stand-in for ${network}: nobody needs a password. Then you return to
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

/** A consent page for browsers, and a way through it for programs. */
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
    // The form ends in redirects to the app and on from there, and browsers hold all of them against form-action.
    const policy = ctx.response.get('Content-Security-Policy');
    ctx.set('Content-Security-Policy', policy.replace("form-action 'self'; ", ''));
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'html';
    ctx.body = drawPage(options, request, `${ctx.URL.pathname}${ctx.URL.search}`, token);
  }

  return Object.freeze({
    /** Answers the page and its form. */
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
    /** The act that goes through the page without a browser; `profileId` finds a profile by what people call it. */
    act: (profileId: (words: string) => string, profilesField = 'profiles'): Act => ({
      group: 'twin',
      title: 'Go through the log-in dialog',
      // For programs alone: a browser has the page.
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
