import type { JSX } from 'preact';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { pressKey } from '../lib/call.ts';
import { Copy, Form } from '../lib/forms.tsx';
import { Mark, Time } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { call } from '../lib/shell.tsx';
import { say } from '../lib/toasts.tsx';
import { makeInvites } from './invites-model.ts';
import type { Accounts } from './model.ts';
import { QrCode } from './qr-code.tsx';

const DAYS = [7, 1, 3, 14, 30];
const model = makeInvites({ call, newKey: pressKey, say });

type InvitesProps = Readonly<{ model: Accounts; setups: readonly PlatformSetup[] }>;

/** Links with which somebody without a user here can connect an account to a brand. */
export function Invites({ model: { brands }, setups }: InvitesProps): JSX.Element | null {
  if (brands.value.length === 0) return null;
  return (
    <section class="narrow" aria-labelledby="invites">
      <h2 id="invites">Invites</h2>
      <p class="quiet">A link with which somebody without a user here connects one account to a brand.</p>
      <div class="fields">
        <div>
          <label htmlFor="invite-brand">Brand of the guest</label>
          <select
            id="invite-brand"
            value={model.brand.value}
            onChange={({ currentTarget }) => model.choose(currentTarget.value)}
          >
            <option value="">Choose a brand</option>
            {brands.value.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
        {model.brand.value !== '' && <Create setups={setups} />}
      </div>
      <ul class="rows">
        {model.invites.value.map((invite) => (
          <li key={invite.id}>
            <div>
              <Mark platform={invite.platform} /> {markOf(invite.platform).title}, until <Time at={invite.expires_at} />
              <br />
              <Copy what={`the invite to ${markOf(invite.platform).title}`} text={invite.url} />
              <QrCode text={invite.url} label={`QR code of the invite to ${markOf(invite.platform).title}`} />
            </div>
            <button
              type="button"
              class="small"
              aria-label={`Withdraw the invite to ${markOf(invite.platform).title}`}
              onClick={() => void model.withdraw(invite)}
            >
              Withdraw
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Create({ setups }: Readonly<{ setups: readonly PlatformSetup[] }>): JSX.Element {
  async function create({ platform = '', days = '' }: Readonly<Record<string, string>>): Promise<boolean> {
    await model.create(platform, Number(days));
    return false;
  }
  return (
    <Form class="fields" onFilled={create}>
      <div>
        <label htmlFor="invite-platform">Platform</label>
        <select id="invite-platform" name="platform">
          {setups
            .filter(({ isReady, ownApp }) => isReady || ownApp)
            .map(({ platform, title }) => (
              <option key={platform} value={platform}>
                {title}
              </option>
            ))}
        </select>
      </div>
      <div>
        <label htmlFor="invite-days">Days it can be used</label>
        <select id="invite-days" name="days">
          {DAYS.map((days) => (
            <option key={days}>{days}</option>
          ))}
        </select>
      </div>
      <button class="primary" aria-disabled={model.isBusy.value}>
        Create link
      </button>
    </Form>
  );
}
