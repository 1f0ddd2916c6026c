import { Fragment, type JSX } from 'preact';
import { wordsOfPost } from '#kernel/people/known-post.ts';
import { requesterOf, partsOf, postsIn, restOf, whenOf, type Leaf, type PageWords } from '#kernel/people/preview.ts';
import { isLoadable, Stars, webAddress } from '../inbox/parts.tsx';
import type { Action, MediaItem, Post } from '../lib/operations.ts';
import { inZone, Mark, State, Time } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import type { Around, Said } from './around.ts';
import { assistants } from './assistants.ts';

type ActionProps = Readonly<{ action: Action }>;

/** How the page writes the names of accounts and times. */
export const WORDS: PageWords = {
  nameOf: (account) => assistants.accounts.find(({ id }) => id === account)?.name,
  timeOf: inZone,
};

/** Everything that the action would do apart from its texts: where, to whom, when, and what it replies to. */
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
      {around.below !== undefined && <Below post={around.below} />}
      {around.posts.map((post) => (
        <PostNow key={post.id} post={post} action={action} />
      ))}
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

function Below({ post }: Readonly<{ post: NonNullable<Around['below']> }>): JSX.Element {
  const address = webAddress(post.permalink);
  return (
    <p class="about said">
      Below your post: <bdi>{wordsOfPost(post)}</bdi>
      {address !== undefined && (
        <>
          {' '}
          <a href={address} target="_blank" rel="noreferrer">
            See the post on the platform
          </a>
        </>
      )}
    </p>
  );
}

/** A post as it is before the action. */
function PostNow({ post, action }: ActionProps & Readonly<{ post: Post }>): JSX.Element {
  const ids = postsIn(action.input);
  const which = ids.length > 1 ? `Post ${ids.indexOf(post.id) + 1} now` : 'The post now';
  return (
    <>
      <p class="about">
        <a href={`/dashboard/posts/${post.id}`}>{which}</a> <State status={post.status} />
      </p>
      <dl>
        <Leaves leaves={partsOf(post, WORDS)} />
      </dl>
    </>
  );
}

const Leaves = ({ leaves }: Readonly<{ leaves: readonly Leaf[] }>): JSX.Element => (
  <>
    {leaves.map(([name, value], at) => (
      <Fragment key={`${at} ${name}`}>
        <dt>
          <bdi>{name}</bdi>
        </dt>
        <dd class="said">
          <bdi>{value}</bdi>
        </dd>
      </Fragment>
    ))}
  </>
);

function Facts({ action, around }: ActionProps & Readonly<{ around: Around }>): JSX.Element {
  const { state, expires_at, connection_id, account_ids, input, act } = action;
  const connection = assistants.connections.value.find(({ id }) => id === connection_id);
  const named = new Set([...account_ids, ...(around.account === undefined ? [] : [around.account])]);
  const accounts = assistants.accounts.filter(({ id }) => named.has(id));
  const when = act === 'post' ? whenOf(action, WORDS) : undefined;
  return (
    <dl>
      <dt>Asked by</dt>
      <dd>
        <bdi>{requesterOf(action)}</bdi> <small>{connection?.host}</small>
      </dd>
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
      {when !== undefined && (
        <>
          <dt>When</dt>
          <dd>{when}</dd>
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
      <Leaves leaves={restOf(input, WORDS)} />
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
