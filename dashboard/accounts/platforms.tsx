import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { PlatformSetup } from '#kernel/config/platform-setup.ts';
import { Copy, PostForm } from '../lib/forms.tsx';
import { Badge, Mark } from '../lib/parts.tsx';
import { OWN_BRAND, type Accounts } from './model.ts';
import { enterApp, isAppMissing, OwnApp } from './own-app.tsx';

type PlatformsProps = Readonly<{ setups: readonly PlatformSetup[]; model: Accounts }>;

/** The brand for the next account: an id, `own` for a new one, or empty for the oldest brand if it has room. */
const joins = signal('');

/** Whether each platform can be connected, and what is missing if not. */
export function Platforms({ setups, model }: PlatformsProps): JSX.Element {
  const brands = model.brands.value;
  return (
    <section aria-labelledby="connect">
      <header class="bar">
        <h2 id="connect">Connect an account</h2>
        {brands.length > 0 && (
          <select
            class="filter"
            aria-label="Brand of the new account"
            value={joins.value}
            onChange={({ currentTarget }) => void (joins.value = currentTarget.value)}
          >
            <option value="">In {brands.at(-1)!.name} if it has room</option>
            <option value={OWN_BRAND}>In a brand of its own</option>
            {brands.map(({ id, name }) => (
              <option key={id} value={id}>
                In {name}
              </option>
            ))}
          </select>
        )}
      </header>
      <div class="cards">
        {setups.map((setup) => (
          <PlatformCard
            key={setup.platform}
            setup={setup}
            count={model.countOn(setup.platform)}
            brand={model.brandFor(setup.platform, joins.value)}
          />
        ))}
      </div>
    </section>
  );
}

type CardProps = Readonly<{ setup: PlatformSetup; count: number; brand: string | undefined }>;

function PlatformCard({ setup, count, brand }: CardProps): JSX.Element {
  const { platform, title, isReady, isSandbox, ownApp } = setup;
  const fields = { platform, ...(brand !== undefined && { brand_id: brand }) };
  return (
    <article class="card account" aria-labelledby={`platform-${platform}`}>
      <header>
        <Mark platform={platform} />
        <div class="who">
          <h3 id={`platform-${platform}`}>{title}</h3>
          <small>{count === 0 ? 'not connected' : `${count} connected`}</small>
        </div>
        {isSandbox && <span class="badge">Sandbox</span>}
        {!isReady && !ownApp && <Badge sign="partial" word="Not set up" />}
      </header>
      {isReady || ownApp ? (
        <div class="actions">
          {ownApp && isAppMissing.value ? (
            <button type="button" onClick={enterApp}>
              Enter your app first
            </button>
          ) : (
            <PostForm action="/dashboard/accounts/connect" fields={fields}>
              <button>Connect {title}</button>
            </PostForm>
          )}
        </div>
      ) : (
        <Missing setup={setup} />
      )}
      {ownApp && <OwnApp setup={setup} />}
      <Setup setup={setup} />
    </article>
  );
}

const Settings = ({ names }: Readonly<{ names: readonly string[] }>): JSX.Element => (
  <>
    {names.map((name, at) => (
      <>
        {at > 0 && ' and '}
        <code>{name}</code>
      </>
    ))}
  </>
);

function Missing({ setup: { apps } }: Readonly<{ setup: PlatformSetup }>): JSX.Element {
  return (
    <p>
      The server needs{' '}
      {apps.map(({ settings, title }, at) => (
        <>
          {at > 0 && ', or '}
          <Settings names={settings} />
          {apps.length > 1 && ` (${title})`}
        </>
      ))}
      .
    </p>
  );
}

/** The server's settings and the URLs to enter at the platform. */
function Setup({ setup }: Readonly<{ setup: PlatformSetup }>): JSX.Element | null {
  const { platform, apps, addresses, verifyToken } = setup;
  if (apps.length === 0) return null;
  return (
    <details>
      <summary>Settings and addresses</summary>
      <dl class="stacked">
        {apps.map(({ title, settings, isSet }) => (
          <>
            <dt>App at {title}</dt>
            <dd>
              <Settings names={settings} />: <span class={isSet ? 'good' : 'bad'}>{isSet ? 'set' : 'not set'}</span>
            </dd>
          </>
        ))}
        {verifyToken !== null && (
          <>
            <dt>Verify token of the webhooks</dt>
            <dd>
              <code>{verifyToken.setting}</code>:{' '}
              <span class={verifyToken.isSet ? 'good' : 'bad'}>{verifyToken.isSet ? 'set' : 'not set'}</span>
            </dd>
          </>
        )}
        {addresses.map(({ name, address, byServer }) => (
          <>
            <dt>
              {name}
              {byServer && ', entered by the server itself'}
            </dt>
            <dd>
              <Copy what={`${name} of ${setup.title}`} text={address} />
            </dd>
          </>
        ))}
      </dl>
      <p class="quiet">
        Step by step: <code>docs/connect/{platform}.md</code>
      </p>
    </details>
  );
}
