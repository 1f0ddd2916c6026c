import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { handleOf } from '#kernel/text/handle.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import type { TitleOf } from '../../kit/titles.ts';
import { drawRowForm } from '../view.ts';

/** An account as its operation returns it. */
export type AccountView = Readonly<{
  id: string;
  platform: string;
  name: string;
  username: string;
  status: string;
  reconnect_reason: string | null;
  metadata: Readonly<Record<string, unknown>>;
}>;

/** The connected accounts, with buttons where there is a `field` to prove their forms. */
export function drawConnected(accounts: readonly AccountView[], titleOf: TitleOf, field: Html | undefined): Html {
  if (accounts.length === 0) return html`<p class="quiet">No account is connected yet.</p>`;
  const drawButton = (act: string, { id, name, platform }: AccountView, label: string) =>
    field &&
    drawRowForm(
      `/dashboard/accounts/${act}`,
      field,
      'account_id',
      id,
      label,
      `${label}: ${name} (${titleOf(platform)})`,
    );
  return html`<ul class="rows">
    ${accounts.map(
      (account) =>
        html`<li>
          <div>
            ${drawName(account, titleOf)}<br />
            <small class="quiet"><code>${account.id}</code></small>
          </div>
          ${
            account.status === 'active'
              ? html`<span class="good">active</span>`
              : html`<span class="bad"
                  >must be connected
                  again${account.reconnect_reason !== null && html`: ${account.reconnect_reason}`}</span
                >`
          }
          ${drawButton('reconnect', account, 'Connect again')} ${drawButton('disconnect', account, 'Disconnect')}
        </li>`,
    )}
  </ul>`;
}

/** Links to the pages before and after this one, if there are several. */
export function drawPager(path: string, page: number, last: number): Html | undefined {
  if (last === 1) return undefined;
  const link = (to: number, title: string) => html`<a ${attributes({ href: `${path}?page=${to}` })}>${title}</a>`;
  return html`<p>
    ${page > 1 && link(page - 1, 'Previous page')} Page ${page} of ${last} ${page < last && link(page + 1, 'Next page')}
  </p>`;
}

const drawName = ({ name, username, platform, metadata }: AccountView, titleOf: TitleOf): Html =>
  html`<strong><bdi>${name}</bdi></strong> <bdi>${handleOf(username)}</bdi>,
    ${titleOf(platform)}${metadata['sandbox'] === true && ', sandbox'}`;

/** For each platform a button, or the settings it still needs. */
export function drawConnectForms(setups: readonly PlatformSetup[], field: Html): Html {
  return html`<ul class="rows">
    ${setups.map(
      ({ platform, title, isReady, ownApp, apps }) =>
        html`<li>
          <div><strong>${title}</strong></div>
          ${
            isReady || ownApp
              ? drawRowForm('/dashboard/accounts/connect', field, 'platform', platform, 'Connect', `Connect ${title}`)
              : html`<small class="quiet"
                  >needs
                  ${apps.map(
                    ({ settings }, at) =>
                      html`${at > 0 && ' or '}${settings.map((name, nth) => html`${nth > 0 && ' and '}<code>${name}</code>`)}`,
                  )}</small
                >`
          }
        </li>`,
    )}
  </ul>`;
}

/** Asks for confirmation before an account is disconnected. */
export function drawDisconnect(account: AccountView, titleOf: TitleOf, field: Html): Html {
  return html`<p>${drawName(account, titleOf)}</p>
    <p>Its tokens are deleted, and posts scheduled for it will fail. What it published stays public.</p>
    <form method="post" action="/dashboard/accounts/disconnect" class="actions">
      ${field}
      <input ${attributes({ type: 'hidden', name: 'account_id', value: account.id })} />
      <input type="hidden" name="confirmed" value="yes" />
      <button class="primary">Disconnect</button>
      <a class="button" href="/dashboard/accounts">Cancel</a>
    </form>`;
}
