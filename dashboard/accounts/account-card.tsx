import type { JSX } from 'preact';
import { ABILITIES } from '#kernel/people/abilities.ts';
import { ask } from '../lib/confirm.tsx';
import { PostForm } from '../lib/forms.tsx';
import { WHO_CONNECTS } from '#kernel/people/sentences.ts';
import { canConnect } from '../lib/frame/connecting.tsx';
import { may } from '../lib/frame/may.ts';
import type { Account } from '../lib/operations.ts';
import { Badge, Mark, Time } from '../lib/parts.tsx';
import { accountTitle, markOf } from '../lib/platforms.ts';
import { Details } from './details.tsx';
import { healthOf, type Accounts } from './model.ts';

type CardProps = Readonly<{ account: Account; model: Accounts; isNew: boolean }>;

/** An account with its state, and the actions on it. */
export function AccountCard({ account, model, isNew }: CardProps): JSX.Element {
  const { id, name, username, platform, status, brand_id } = account;
  const { isSandbox } = healthOf(account);
  const named = accountTitle(account);
  return (
    <article class={isNew ? 'card account new' : 'card account'} aria-label={named}>
      <header>
        <Mark platform={platform} />
        <div class="who">
          <h3>
            <bdi>{name}</bdi>
          </h3>
          <small>
            {username !== '' && username !== name && (
              <>
                <bdi>{/\s/.test(username) ? username : `@${username}`}</bdi>,{' '}
              </>
            )}
            {markOf(platform).title}, brand <bdi>{model.brandNamed(brand_id)}</bdi>
          </small>
        </div>
        <span class="states">
          {isSandbox && <span class="badge">Sandbox</span>}
          <Health isActive={status === 'active'} />
        </span>
      </header>
      <Notices account={account} />
      <div class="actions">
        {canConnect && (
          <PostForm action="/dashboard/accounts/reconnect" fields={{ account_id: id }}>
            <button class={status === 'active' ? 'small' : 'small primary'} aria-label={`Connect again: ${named}`}>
              Connect again
            </button>
          </PostForm>
        )}
        {may('sync_account') && account.capabilities.includes(ABILITIES.exports) && status === 'active' && (
          <button
            type="button"
            class="small"
            aria-label={`Sync posts: ${named}`}
            aria-disabled={model.isBusy.value}
            onClick={() => void model.sync(account)}
          >
            Sync posts
          </button>
        )}
        {may('disconnect_account') && (
          <button
            type="button"
            class="small"
            aria-label={`Disconnect: ${named}`}
            onClick={() => askToDisconnect(account, model)}
          >
            Disconnect
          </button>
        )}
      </div>
      <Details account={account} />
    </article>
  );
}

const askToDisconnect = (account: Account, model: Accounts): void =>
  ask(() => ({
    title: `Disconnect ${accountTitle(account)}?`,
    yes: 'Disconnect',
    text: 'Its tokens are deleted, and posts scheduled for it will fail. What it published stays public.',
    isBusy: model.isBusy.value,
    run: () => model.disconnect(account),
  }));

const Health = ({ isActive }: Readonly<{ isActive: boolean }>): JSX.Element =>
  isActive ? <Badge sign="published" word="Active" /> : <Badge sign="failed" word="Connect again" />;

function Notices({ account }: Readonly<{ account: Account }>): JSX.Element {
  const { status, reconnect_reason: reason } = account;
  const { notice, lacks, missing, loginEnds } = healthOf(account);
  return (
    <>
      {status !== 'active' && (
        <div class="refusal">
          <p>{reason === null ? 'The platform no longer accepts its login.' : <bdi>{reason}</bdi>}</p>
          <p>{canConnect ? 'Connect it again. It keeps its posts, conversations and id.' : WHO_CONNECTS}</p>
        </div>
      )}
      {notice !== undefined && (
        <p class="note">
          <bdi>{notice}</bdi>
        </p>
      )}
      {lacks.length > 0 && (
        <div class="note">
          <p>Some permissions were not granted:</p>
          <ul class="bullets">
            {lacks.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
          {canConnect && missing.length > 0 && <p>Connect it again, and allow {missing.join(', ')}.</p>}
        </div>
      )}
      {loginEnds !== undefined && (
        <p class="quiet">
          The login ends <Time at={loginEnds} />
          {canConnect && '; connect it again before'}.
        </p>
      )}
    </>
  );
}
