import { Fragment, type JSX } from 'preact';
import { isLoadable, Stars } from '../inbox/parts.tsx';
import type { Action, MediaItem } from '../lib/operations.ts';
import { Mark, Time } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import type { Around, Said } from './around.ts';
import { assistants } from './assistants.ts';
import { restOf, timeOf } from './preview.ts';

type ActionProps = Readonly<{ action: Action }>;

/** All that would be done besides the texts: where, to whom, when, and what it answers. */
export function Details({ action }: ActionProps): JSX.Element {
  const around = assistants.arounds.of(action).value;
  return (
    <>
      <Facts action={action} around={around} />
      {around.isLoading && (
        <p class="quiet" aria-busy="true">
          Reading what it is about …
        </p>
      )}
      {around.problem !== undefined && <p class="note">{around.problem}</p>}
      {around.post !== undefined && (
        <p class="about said">
          {around.post.href === undefined ? 'Below your post: ' : <a href={around.post.href}>The post</a>}{' '}
          <bdi>{around.post.text}</bdi>
        </p>
      )}
      {around.parts.length > 0 && (
        <dl>
          {around.parts.map(([name, value], at) => (
            <Fragment key={`${at} ${name}`}>
              <dt>
                <bdi>{name}</bdi>
              </dt>
              <dd class="said">
                <bdi>{value}</bdi>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {around.said.length > 0 && (
        <ol class="messages" aria-label="What it answers">
          {around.said.map((one) => (
            <Bubble key={one.id} said={one} />
          ))}
        </ol>
      )}
      {around.media.length > 0 && (
        <div class="files">
          {around.media.map((item) => (
            <File key={item.id} item={item} />
          ))}
        </div>
      )}
    </>
  );
}

function Facts({ action, around }: ActionProps & Readonly<{ around: Around }>): JSX.Element {
  const { state, expires_at, connection_id, account_ids, input, act } = action;
  const connection = assistants.connections.value.find(({ id }) => id === connection_id);
  const named = new Set([...account_ids, ...(around.account === undefined ? [] : [around.account])]);
  const accounts = assistants.accounts.filter(({ id }) => named.has(id));
  const at = timeOf(action);
  return (
    <dl>
      {connection !== undefined && (
        <>
          <dt>Asked by</dt>
          <dd>
            <bdi>{connection.name}</bdi> <small>{connection.host}</small>
          </dd>
        </>
      )}
      {accounts.length > 0 && (
        <>
          <dt>{accounts.length === 1 ? 'Account' : 'Accounts'}</dt>
          <dd>
            {accounts.map(({ id, name, platform }) => (
              <div key={id}>
                <Mark platform={platform} /> <bdi>{name}</bdi> <small>{markOf(platform).title}</small>
              </div>
            ))}
          </dd>
        </>
      )}
      {around.to !== undefined && (
        <>
          <dt>To</dt>
          <dd>
            <bdi>{around.to}</bdi>
          </dd>
        </>
      )}
      {act === 'post' && (
        <>
          <dt>When</dt>
          <dd>{at === undefined ? 'As soon as you approve' : <Time at={at} />}</dd>
        </>
      )}
      {state === 'held' && (
        <>
          <dt>Open until</dt>
          <dd>
            <Time at={expires_at} />
          </dd>
        </>
      )}
      {restOf(input).map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{assistants.accounts.find(({ id }) => id === value)?.name ?? value}</bdi>
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Bubble({ said: { by, isOurs, text, at, stars } }: Readonly<{ said: Said }>): JSX.Element {
  return (
    <li class={isOurs ? 'bubble ours' : 'bubble'}>
      <small>
        <bdi>{by}</bdi>, <Time at={at} />
      </small>
      {stars !== undefined && <Stars rating={stars} />}
      <p class="said">
        <bdi>{text}</bdi>
      </p>
    </li>
  );
}

function File({ item: { url, filename, content_type } }: Readonly<{ item: MediaItem }>): JSX.Element {
  if (content_type.startsWith('image/') && isLoadable(url)) return <img src={url} alt={filename} loading="lazy" />;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <bdi>{filename}</bdi>
    </a>
  );
}
