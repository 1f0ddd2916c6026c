import type { Context } from 'koa';
import { isLoopbackName } from '../../kernel/net/addresses.ts';
import { PageError } from '../forms.ts';
import type { Forms } from '../forms.ts';
import { html, page } from '../html.ts';
import type { Html } from '../html.ts';
import type { OAuth } from './oauth.ts';
import { SCOPES } from './oauth.ts';
import { APP } from './tokens.ts';
import type { World } from '../facebook/world.ts';

type Asked = Readonly<{
  redirect: URL;
  redirect_uri: string;
  state: string;
  scopes: readonly string[];
  rerequest: boolean;
}>;

/** What a person chose, by ids. */
export type Choice = Readonly<{
  person: string;
  pages?: readonly string[] | undefined;
  scopes?: readonly string[] | undefined;
  deny?: boolean | undefined;
}>;

export type Dialog = Readonly<{
  /** Answers the log-in dialog and its form. */
  answer(ctx: Context): Promise<void>;
  /** Goes through a dialog address without a browser; answers where it leads. */
  decide(query: URLSearchParams, choice: Choice): string;
}>;

/** What nobody can decline. */
const ALWAYS = 'public_profile';

const drawTick = (name: string, value: string, label: string | undefined): Html =>
  html`<label class="tick"><input type="checkbox" name="${name}" value="${value}" checked /> ${label}</label>`;

/** The pages of the dialog. */
function makeDrawing({ people }: World, forms: Forms) {
  const drawOwner = (id: string, name: string, first: boolean): Html =>
    html`<div class="choice">
      <label class="tick"
        ><input type="radio" name="person" value="${id}" ${first && html`checked`} required /> ${name}</label
      >
      <div class="of">
        ${people.rolesOf(id).map(({ page_id }) => drawTick('page', page_id, people.page(page_id)?.name))}
        ${people.rolesOf(id).length === 0 && html`<small>has no Pages</small>`}
      </div>
    </div>`;

  function show(ctx: Context, asked: Asked): void {
    const token = forms.field(ctx);
    // The form ends in redirects to the app and on from there, and browsers hold all of them against form-action.
    const policy = ctx.response.get('Content-Security-Policy');
    ctx.set('Content-Security-Policy', policy.replace("form-action 'self'; ", ''));
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'html';
    ctx.body = page(
      'Log in with Facebook',
      html`<h1>${APP.name} wants to use your account</h1>
        <p>
          This is the log-in dialog of the stand-in for Facebook: nobody needs a password. Then you return to
          ${asked.redirect.host}.
        </p>
        <form class="dialog" method="post" action="${ctx.URL.pathname}${ctx.URL.search}">
          ${token}
          <fieldset>
            <legend>Who are you, and which of your Pages may it use?</legend>
            ${people.owners().map(({ id, name }, at) => drawOwner(id, name, at === 0))}
          </fieldset>
          <fieldset>
            <legend>What may it do?</legend>
            ${asked.scopes.filter((scope) => scope !== ALWAYS).map((scope) => drawTick('scope', scope, scope))}
            <small>And see who you are, as every app may.</small>
          </fieldset>
          <div class="buttons">
            <button class="primary" name="choice" value="allow">Continue</button>
            <button name="choice" value="deny" formnovalidate>Cancel</button>
          </div>
        </form>`,
    );
  }

  return show;
}

/** The log-in dialog: a person of the sandbox, their Pages, and the permissions asked for. */
export function makeDialog(world: World, oauth: OAuth, forms: Forms, origins: () => readonly string[]): Dialog {
  const { people, nodes } = world;

  function read(query: URLSearchParams): Asked {
    if (query.get('client_id') !== APP.id)
      throw new PageError(400, 'Invalid App ID: The provided app ID does not look like a valid app ID.');
    const redirect_uri = query.get('redirect_uri') ?? '';
    const redirect = URL.canParse(redirect_uri) ? new URL(redirect_uri) : undefined;
    // Never sent back to a place the app has not named, not even with an error.
    const isOurs =
      redirect !== undefined &&
      /^https?:$/.test(redirect.protocol) &&
      (origins().includes(redirect.origin) || isLoopbackName(redirect.hostname));
    if (!isOurs)
      throw new PageError(
        400,
        "URL Blocked: This redirect failed because the redirect URI is not whitelisted in the app's Client OAuth Settings.",
      );
    const type = query.get('response_type') ?? 'code';
    if (type !== 'code') throw new PageError(400, `Invalid response_type: ${type.slice(0, 80)}`);
    const scopes = (query.get('scope') ?? '').split(/[\s,]+/).filter(Boolean);
    const unknown = scopes.filter((scope) => !SCOPES.includes(scope));
    if (unknown.length > 0)
      throw new PageError(
        400,
        `Invalid Scopes: ${unknown.join(', ').slice(0, 300)}. This message is only shown to developers.`,
      );
    return {
      redirect,
      redirect_uri,
      state: query.get('state') ?? '',
      scopes: [...new Set([ALWAYS, ...scopes])],
      rerequest: query.get('auth_type') === 'rerequest',
    };
  }

  /** Facebook puts `#_=_` behind every answer. */
  function back({ redirect, state }: Asked, answer: Record<string, string>): string {
    const target = new URL(redirect);
    for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
    if (state !== '') target.searchParams.set('state', state);
    target.hash = '_=_';
    return target.href;
  }

  function settle(asked: Asked, { person: who, pages, scopes, deny }: Choice): string {
    if (deny === true)
      return back(asked, {
        error: 'access_denied',
        error_code: '200',
        error_description: 'Permissions error',
        error_reason: 'user_denied',
      });
    const person = people.find(who);
    if (person === undefined) throw new PageError(400, 'There is no such person.');
    const own = people.rolesOf(person.id).map(({ page_id }) => page_id);
    const chosen = pages === undefined ? own : own.filter((id) => pages.includes(id));
    // What was declined once is not asked again unless the app says so.
    const before = asked.rerequest ? undefined : nodes.get('grant', person.id)?.scopes;
    const granted = asked.scopes.filter((scope) => scopes?.includes(scope) !== false && before?.[scope] !== 'declined');
    const code = oauth.consent({
      person: person.id,
      pages: chosen,
      granted,
      asked: asked.scopes,
      redirect_uri: asked.redirect_uri,
    });
    return back(asked, { code });
  }

  const show = makeDrawing(world, forms);

  return Object.freeze({
    async answer(ctx: Context) {
      const asked = read(ctx.URL.searchParams);
      if (ctx.method === 'GET' || ctx.method === 'HEAD') {
        show(ctx, asked);
        return;
      }
      const fields = await forms.read(ctx);
      const target = settle(asked, {
        person: fields.get('person') ?? '',
        pages: fields.getAll('page'),
        scopes: [ALWAYS, ...fields.getAll('scope')],
        deny: fields.get('choice') === 'deny',
      });
      ctx.redirect(target);
      ctx.status = 303;
    },
    decide: (query: URLSearchParams, choice: Choice) => settle(read(query), choice),
  });
}
