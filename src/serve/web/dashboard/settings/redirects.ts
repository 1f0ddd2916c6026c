import { isAbout, type Filled, type Frame } from '../frame.ts';
import { drawRedirects, type RedirectView } from '../view.ts';
import { drawField } from '../../kit/form-fields.ts';
import { html } from '#kernel/text/html.ts';
import { sendOn } from '../../kit/html-page.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import { SETTINGS } from './settings-path.ts';

const PATH = '/dashboard/redirect-uris';

export function makeRedirectsRoutes({ visitors, operate, send, list, rowForm, forThose }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor, filled?: Filled): Promise<void> {
    const redirects = await list<RedirectView>(ctx, visitor, 'list_redirect_uris');
    const token = visitors.field(visitor);
    const body = html`<p>Where browsers may be sent once an account is connected. An address must match exactly.</p>
      ${drawRedirects(redirects, token, visitor.caller.workspace.timezone)}
      <h2>Add an address</h2>
      <form method="post" action="${PATH}">
        ${token}
        ${drawField({
          name: 'uri',
          label: 'Address',
          type: 'url',
          hint: 'https, or http on localhost.',
          maxlength: 2048,
          value: filled?.fields.get('uri') ?? undefined,
          wrong: isAbout(filled, 'uri'),
        })}
        ${drawField({
          name: 'label',
          label: 'Label',
          required: false,
          maxlength: 100,
          value: filled?.fields.get('label') ?? undefined,
          wrong: isAbout(filled, 'label'),
        })}
        <div class="actions"><button class="primary">Add</button></div>
      </form>`;
    await send(ctx, visitor, { path: SETTINGS, title: 'Redirect addresses', body }, filled);
  }

  async function add(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const label = fields.get('label')?.trim() || undefined;
    const { refusal } = await operate(ctx, visitor, 'create_redirect_uri', { uri: fields.get('uri') ?? '', label });
    if (refusal) await show(ctx, visitor, { refusal, fields });
    else sendOn(ctx, PATH);
  }

  return Object.freeze([
    {
      path: PATH,
      GET: forThose('list_redirect_uris', (ctx, visitor) => show(ctx, visitor)),
      POST: forThose('create_redirect_uri', add),
    },
    rowForm({ path: `${PATH}/delete`, back: PATH, operation: 'delete_redirect_uri', field: 'redirect_uri_id' }),
  ]);
}
