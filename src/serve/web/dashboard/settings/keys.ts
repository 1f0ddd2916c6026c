import type { Config } from '#kernel/config/config.ts';
import { REST } from '#serve/http/areas.ts';
import { isAbout, type Filled, type Frame } from '../frame.ts';
import { drawKeys, type KeyView, type ScopeView } from '../view.ts';
import { drawCheckbox, drawField } from '../../kit/form-fields.ts';
import { html } from '#kernel/text/html.ts';
import type { BrandView } from '../../kit/leash-fields.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';

const PATH = '/dashboard/keys';

/** The page of API keys: create (shown once) and revoke. */
export function makeKeysRoutes(
  { visitors, operate, send, list, rowForm }: Frame,
  { rootUrl }: Pick<Config, 'rootUrl'>,
): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const [keys, scopes, brands] = await Promise.all([
      list<KeyView>(ctx, visitor, 'list_keys'),
      list<ScopeView>(ctx, visitor, 'list_key_scopes'),
      list<BrandView>(ctx, visitor, 'list_brands'),
    ]);
    const token = visitors.field(visitor);
    const ticked = (name: string, value: string) => filled?.fields.getAll(name).includes(value) ?? false;
    const body = html`<p>
        Programs call <code>${rootUrl}${REST}</code> and send a key as <code>Authorization: Bearer …</code>. The few
        operations of the dashboard itself take a <a href="/dashboard/token">dashboard token</a>.
      </p>
      ${drawKeys(keys, token)}
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
    const { name, raw_key } = bodyOf<{ name: string; raw_key: string }>(made);
    const body = html`<p>
        This is the key <strong><bdi>${name}</bdi></strong
        >. Copy it now: it is not shown again.
      </p>
      <p class="secret"><code>${raw_key}</code></p>
      <p><a class="button" href="${PATH}">Back to the keys</a></p>`;
    await send(ctx, visitor, { path: PATH, title: 'Your new key', body });
  }

  return Object.freeze([
    { path: PATH, GET: visitors.signedIn((ctx, visitor) => show(ctx, visitor)), POST: visitors.signedIn(make) },
    rowForm({ path: `${PATH}/revoke`, back: PATH, operation: 'revoke_key', field: 'key_id' }),
  ]);
}
