import { attributes, html, type Html } from '#kernel/text/html.ts';
import { connectionIdOf, type Preset } from '#kernel/limits/leash.ts';
import { titleOfPreset } from '../kit/leash-fields.ts';
import { drawLastUse, drawTime } from '../kit/times.ts';
import { counted } from '#kernel/people/counted.ts';

/** Records as the operations return them. */
export type KeyView = Readonly<{
  id: string;
  name: string;
  preview: string;
  is_active: boolean;
  scopes: readonly string[];
  brand_ids: readonly string[];
  last_used_at: string | null;
  created_at: string;
}>;
/** The limits of what a key may do on its own. */
export type LeashView = Readonly<{ id: string; preset: Preset }>;
export type ScopeView = Readonly<{ name: string; description: string }>;
export type RedirectView = Readonly<{ id: string; uri: string; label: string | null; created_at: string }>;

export function drawKeys(keys: readonly KeyView[], leashes: readonly LeashView[], field: Html, zone: string): Html {
  const leashOf = ({ id }: KeyView) => leashes.find((one) => one.id === connectionIdOf(id));
  if (keys.length === 0) return html`<p class="quiet">There is no key yet.</p>`;
  return html`<ul class="rows">
    ${keys.map(
      (key) =>
        html`<li>
          <div>
            <strong><bdi>${key.name}</bdi></strong> <code>${key.preview}</code><br />
            <small class="quiet">
              ${limitsOf(key)}; made ${drawTime(key.created_at, zone)}, ${drawLastUse(key.last_used_at, zone)}
            </small>
            ${drawLeash(leashOf(key))}
          </div>
          ${
            key.is_active
              ? html`<div class="actions">
                  ${drawRowForm('/dashboard/keys/revoke', field, 'key_id', key.id, 'Revoke', `Revoke the key ${key.name}`)}
                  ${drawRowForm('/dashboard/keys/rotate', field, 'key_id', key.id, 'New secret', `New secret for ${key.name}`)}
                </div>`
              : html`<span class="quiet">revoked</span>`
          }
        </li>`,
    )}
  </ul>`;
}

function drawLeash(leash: LeashView | undefined): Html | undefined {
  if (leash === undefined) return undefined;
  const address = attributes({ href: `/dashboard/assistants/${leash.id}` });
  return html`<br /><small>It may: <a ${address}>${titleOfPreset(leash.preset)}</a></small>`;
}

function limitsOf({ scopes, brand_ids }: KeyView): string {
  const parts = [
    ...(scopes.length > 0 ? [scopes.join(', ')] : []),
    ...(brand_ids.length > 0 ? [counted(brand_ids.length, 'brand')] : []),
  ];
  return parts.length === 0 ? 'full access' : `limited to ${parts.join(' and ')}`;
}

/** A button for one row. Screen readers announce its full name. */
export function drawRowForm(
  action: string,
  field: Html,
  name: string,
  value: string,
  label: string,
  says: string,
): Html {
  return html`<form method="post" action="${action}">
    ${field}
    <input ${attributes({ type: 'hidden', name, value })} />
    <button ${attributes({ class: 'small', 'aria-label': says })}>${label}</button>
  </form>`;
}

export function drawRedirects(redirects: readonly RedirectView[], field: Html, zone: string): Html {
  if (redirects.length === 0) {
    return html`<div class="note" role="note">
      <strong>Open mode.</strong> No address is registered, so a connection may end at any address its caller names.
      Register the addresses of your own programs, and every other is refused.
    </div>`;
  }
  return html`<ul class="rows">
    ${redirects.map(
      ({ id, uri, label, created_at }) =>
        html`<li>
          <div>
            <code>${uri}</code><br />
            <small class="quiet"
              >${label !== null && html`<bdi>${label}</bdi>, `}added ${drawTime(created_at, zone)}</small
            >
          </div>
          ${drawRowForm('/dashboard/redirect-uris/delete', field, 'redirect_uri_id', id, 'Remove', `Remove ${uri}`)}
        </li>`,
    )}
  </ul>`;
}
