import { REST } from '#serve/http/areas.ts';
import { isAbout, type Filled, type Frame } from '../frame.ts';
import { drawKeys, type KeyView, type LeashView, type ScopeView } from '../view.ts';
import { drawCheckbox, drawField } from '../../kit/form-fields.ts';
import { attributes, html } from '#kernel/text/html.ts';
import type { BrandView } from '../../kit/leash-form.ts';
import { sendOn } from '../../kit/html-page.ts';
import { bodyOf } from '../../kit/operate.ts';
import { makeFreshKeyPage, type FreshKey } from './fresh-key.ts';
import type { ShownOnceDeps } from './shown-once.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';

const PATH = '/dashboard/keys';

/** The page of API keys: create one, which is shown only once, and revoke. */
export function makeKeysRoutes(frame: Frame, deps: ShownOnceDeps): readonly Route[] {
  const { visitors, operate, send, list, rowForm, forThose } = frame;
  const { rootUrl } = deps;
  const fresh = makeFreshKeyPage(frame, deps, PATH);

  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const [keys, scopes, brands, leashes] = await Promise.all([
      list<KeyView>(ctx, visitor, 'list_keys'),
      list<ScopeView>(ctx, visitor, 'list_key_scopes'),
      list<BrandView>(ctx, visitor, 'list_brands'),
      list<LeashView>(ctx, visitor, 'list_connections'),
    ]);
    const token = visitors.field(visitor);
    const ticked = (name: string, value: string) => filled?.fields.getAll(name).includes(value) ?? false;
    const body = html`<p>
        Programs call <code>${rootUrl}${REST}</code> and send a key as <code>Authorization: Bearer …</code>. The few
        operations of the dashboard itself take a <a href="/dashboard/token">dashboard token</a>.
      </p>
      ${drawKeys(keys, leashes, token, visitor.caller.workspace.timezone)}
      <h2>New API key</h2>
      <form method="post" action="${PATH}">
        ${token}
        ${drawField({
          name: 'name',
          label: 'Name',
          hint: 'What the key is for.',
          maxlength: 100,
          value: filled?.fields.get('name') ?? undefined,
          wrong: isAbout(filled, 'name'),
        })}
        <fieldset>
          <legend>Scopes <small>(empty = full access)</small></legend>
          ${scopes.map(({ name, description }) => drawCheckbox('scopes', name, name, description, ticked('scopes', name)))}
        </fieldset>
        <fieldset>
          <legend>Brands <small>(empty = all brands)</small></legend>
          ${brands.map(({ id, name }) => drawCheckbox('brand_ids', id, name, '', ticked('brand_ids', id)))}
        </fieldset>
        <div class="actions"><button class="primary">Create API key</button></div>
      </form>`;
    await send(ctx, visitor, { path: PATH, title: 'API keys', body }, filled);
  }

  async function make(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const made = await operate(ctx, visitor, 'create_key', {
      name: fields.get('name') ?? '',
      scopes: fields.getAll('scopes'),
      brand_ids: fields.getAll('brand_ids'),
    });
    if (made.refusal) return show(ctx, visitor, { refusal: made.refusal, fields });
    fresh.show(ctx, visitor, bodyOf<FreshKey>(made));
  }

  async function askToRotate(ctx: RequestContext, visitor: Visitor, id: string): Promise<void> {
    const key = (await list<KeyView>(ctx, visitor, 'list_keys')).find((one) => one.id === id);
    if (key === undefined) return sendOn(ctx, PATH);
    const body = html`<p>
        The present secret of <strong><bdi>${key.name}</bdi></strong> stops working at once. Whatever uses it has to be
        given the new one.
      </p>
      <form ${attributes({ method: 'post', action: `${PATH}/rotate`, class: 'actions' })}>
        ${visitors.field(visitor)}
        <input ${attributes({ type: 'hidden', name: 'key_id', value: key.id })} />
        <input type="hidden" name="confirmed" value="yes" />
        <button class="primary">Make a new secret</button>
        <a class="button" href="${PATH}">Cancel</a>
      </form>`;
    await send(ctx, visitor, { path: PATH, title: 'A new secret?', body });
  }

  async function rotate(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const key_id = fields.get('key_id') ?? '';
    if (!fields.has('confirmed')) return askToRotate(ctx, visitor, key_id);
    const made = await operate(ctx, visitor, 'rotate_key', { key_id });
    if (made.refusal) return show(ctx, visitor, { refusal: made.refusal, fields });
    fresh.show(ctx, visitor, bodyOf<FreshKey>(made));
  }

  return Object.freeze([
    {
      path: PATH,
      GET: forThose('list_keys', (ctx, visitor) => show(ctx, visitor)),
      POST: forThose('create_key', make),
    },
    fresh.route,
    { path: `${PATH}/rotate`, GET: (ctx) => sendOn(ctx, PATH), POST: forThose('rotate_key', rotate) },
    rowForm({ path: `${PATH}/revoke`, back: PATH, operation: 'revoke_key', field: 'key_id' }),
  ]);
}
