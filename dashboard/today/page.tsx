import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { blockWords, keyOf } from '../inbox/list/items.ts';
import { makeSettling } from '../lib/debounce.ts';
import { PostForm } from '../lib/forms.tsx';
import { WHO_CONNECTS } from '#kernel/people/sentences.ts';
import { canConnect } from '../lib/frame/connecting.tsx';
import type { Post, Unanswered } from '../lib/operations.ts';
import { firstAnswer } from '../lib/page.ts';
import { Icon, Mark, Time, Zone } from '../lib/parts.tsx';
import { PostRow } from '../lib/posts/post-row.tsx';
import { markOf } from '../lib/platforms.ts';
import { call, show } from '../lib/shell.tsx';
import { SetUp, type Steps } from './set-up.tsx';
import { countOf, makeToday, type TodayAccount, type TodayAnswers } from './model.ts';

const steps = firstAnswer<Steps>('steps');
const model = makeToday({
  call,
  hasPost: steps.hasPost,
  first: firstAnswer<TodayAnswers>('today'),
  clock: () => Date.now(),
  later: makeSettling(),
});
const sandbox = firstAnswer<string | null>('sandbox');

/** How many items to list. */
const MOST_LISTED = 5;
const areAllShown = signal(false);

function Page(): JSX.Element {
  const waiting = model.waiting.value;
  document.title = `${waiting === '0' ? '' : `(${waiting}) `}Today · Rostra`;
  return (
    <div class="wide today">
      <header class="bar">
        <h1>Today</h1>
        <Zone />
      </header>
      {canConnect && (
        <SetUp steps={{ ...steps, hasAccount: model.accounts.value.length > 0, hasPost: model.hasPost.value }} />
      )}
      {waiting === '0' ? (
        <div class="empty">
          <Icon name="published" />
          <p>Nothing is waiting for you.</p>
        </div>
      ) : (
        <Waiting />
      )}
      <Next />
      {sandbox !== null && (
        <p class="quiet">
          The <a href={sandbox}>sandbox console</a> simulates the social networks: there you act as other people.
        </p>
      )}
    </div>
  );
}

function Waiting(): JSX.Element {
  const { failed, lost, unanswered } = model;
  return (
    <>
      {lost.value.length > 0 && (
        <section aria-labelledby="lost">
          <h2 id="lost">
            Connect again <span class="count">{lost.value.length}</span>
          </h2>
          <ul class="rows card">
            {lost.value.map((account) => (
              <Lost key={account.id} account={account} />
            ))}
          </ul>
          {!canConnect && <p class="quiet">{WHO_CONNECTS}</p>}
        </section>
      )}
      {failed.value.items.length > 0 && (
        <section aria-labelledby="failed">
          <h2 id="failed">
            Failed <span class="count">{countOf(failed.value)}</span>
          </h2>
          <Posts posts={failed.value.items.slice(0, MOST_LISTED)} />
          {(failed.value.hasMore || failed.value.items.length > MOST_LISTED) && (
            <p>
              <a href="/dashboard/posts?view=failed">All that failed</a>
            </p>
          )}
        </section>
      )}
      {unanswered.value.items.length > 0 && <ToAnswer />}
    </>
  );
}

function ToAnswer(): JSX.Element {
  const { items } = model.unanswered.value;
  const listed = areAllShown.value ? items : items.slice(0, MOST_LISTED);
  return (
    <section aria-labelledby="unanswered">
      <h2 id="unanswered">
        To answer <span class="count">{countOf(model.unanswered.value)}</span>
      </h2>
      <ul class="rows card">
        {listed.map((item) => (
          <Item key={`${item.kind} ${item.id}`} item={item} />
        ))}
      </ul>
      {listed.length < items.length && (
        <p>
          <button type="button" class="link" onClick={() => void (areAllShown.value = true)}>
            Show {items.length - listed.length} more
          </button>
        </p>
      )}
    </section>
  );
}

const Posts = ({ posts }: Readonly<{ posts: readonly Post[] }>): JSX.Element => (
  <ul class="posts">
    {posts.map((post) => (
      <li key={post.id}>
        <PostRow post={post} />
      </li>
    ))}
  </ul>
);

function Lost({ account }: Readonly<{ account: TodayAccount }>): JSX.Element {
  const { id, name, platform, reconnect_reason: reason } = account;
  return (
    <li>
      <div>
        <Mark platform={platform} />{' '}
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        <small>{markOf(platform).title}</small>
        {reason !== null && (
          <p class="bad">
            <bdi>{reason}</bdi>
          </p>
        )}
      </div>
      {canConnect && (
        <PostForm action="/dashboard/accounts/reconnect" fields={{ account_id: id }}>
          <button class="small primary" aria-label={`Connect again: ${name}`}>
            Connect again
          </button>
        </PostForm>
      )}
    </li>
  );
}

function Item({ item }: Readonly<{ item: Unanswered }>): JSX.Element {
  const { platform, kind, id, account_id, author, text, created_at, blocked } = item;
  return (
    <li>
      <div>
        <Mark platform={platform} />{' '}
        <a href={`/dashboard/inbox?item=${encodeURIComponent(keyOf(kind, account_id, id))}`}>
          <bdi>{author.name}</bdi>
        </a>{' '}
        <small>
          {kind} on {markOf(platform).title}
        </small>
        <p>
          <bdi>{text}</bdi>
        </p>
        {blocked !== undefined && <small class="warn">{blockWords(blocked)}</small>}
      </div>
      <small>
        <Time at={created_at} />
      </small>
    </li>
  );
}

function Next(): JSX.Element {
  const { items, hasMore } = model.next.value;
  return (
    <section aria-labelledby="next">
      <h2 id="next">Next 24 hours {items.length > 0 && <span class="count">{countOf(model.next.value)}</span>}</h2>
      {items.length === 0 ? <p class="quiet">Nothing is scheduled.</p> : <Posts posts={items} />}
      {hasMore && (
        <p>
          <a href="/dashboard/posts?view=scheduled">All that is scheduled</a>
        </p>
      )}
    </section>
  );
}

show({ Page, heard: model.heard });
