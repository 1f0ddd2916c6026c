import type { JSX } from 'preact';
import { messageForPeople, pressKey } from '../lib/call.ts';
import { Confirm } from '../lib/confirm.tsx';
import { makeSettling } from '../lib/debounce.ts';
import { canConnect } from '../lib/frame/connecting.tsx';
import { may } from '../lib/frame/may.ts';
import type { Analytics, LogEntry, NamedAccount, OperationName, Post, Target } from '../lib/operations.ts';
import { firstAnswer, ZONE } from '../lib/page.ts';
import { Mark, State, Time, Zone } from '../lib/parts.tsx';
import { markOf } from '../lib/platforms.ts';
import { call, show } from '../lib/shell.tsx';
import { say, sayNext } from '../lib/toasts.tsx';
import { Content, OwnContent } from './content.tsx';
import { Gained } from './gained.tsx';
import { cureOf, makePost, type Question } from './model.ts';

const names = new Map(
  firstAnswer<Readonly<{ data: readonly Pick<NamedAccount, 'id' | 'name'>[] }>>('list_accounts').data.map(
    ({ id, name }) => [id, name],
  ),
);
const model = makePost({
  call,
  post: firstAnswer<Post>('get_post'),
  logs: firstAnswer<Readonly<{ data: readonly LogEntry[] }>>('list_post_logs').data,
  gained: firstAnswer<Analytics | null>('get_analytics'),
  zone: ZONE,
  clock: () => Date.now(),
  newKey: pressKey,
  later: makeSettling(),
  say,
  leave(words) {
    sayNext(words);
    location.assign('/dashboard/posts');
  },
});

const nameOf = (target: Target) => names.get(target.account_id) ?? target.account_id;

function Page(): JSX.Element {
  const post = model.post.value;
  const at = post.published_at ?? post.scheduled_at;
  const gained = model.gained.value;
  const failed = post.targets.some(({ status }) => status === 'failed');
  document.title = `${failed ? 'Failed: ' : ''}Post · Rostra`;
  return (
    <div class="one">
      <p>
        <a href="/dashboard/posts">All posts</a>
      </p>
      <header class="bar">
        <h1>Post</h1>
        <State status={post.status} />
        {at !== null && <Time at={at} />}
        <Zone />
      </header>
      <Content post={post} />
      <Actions />
      <section class="targets" aria-label="Accounts">
        <h2>Accounts</h2>
        {post.targets.length === 0 && <p class="quiet">No account is chosen yet.</p>}
        {post.targets.map((target) => (
          <TargetCard key={`${target.account_id} ${target.page_id}`} target={target} />
        ))}
      </section>
      {gained !== null && <Gained analytics={gained} />}
      <Attempts />
      {model.question.value !== undefined && <Ask question={model.question.value} />}
    </div>
  );
}

function Actions(): JSX.Element {
  const isBusy = model.isBusy.value;
  const button = (needs: OperationName, title: string, run: () => unknown, kind = '') =>
    may(needs) && (
      <button type="button" class={kind} aria-disabled={isBusy} onClick={() => void run()}>
        {title}
      </button>
    );
  return (
    <div class="actions">
      {model.canRetry.value && button('retry_post', 'Publish again', model.retry, 'primary')}
      {model.canPublish.value && button('publish_post', 'Publish now', () => model.ask('publish'), 'primary')}
      {model.canUnpublish.value && button('unpublish_post', 'Take down', () => model.ask('unpublish'))}
      {model.canEdit.value && may('update_post') && (
        <a class="button" href={`/dashboard/compose?post=${model.post.value.id}`}>
          Edit
        </a>
      )}
      {may('create_post') && (
        <a class="button" href={`/dashboard/compose?copy=${model.post.value.id}`}>
          Write one like it
        </a>
      )}
      {button('delete_post', 'Delete', () => model.ask('delete'))}
    </div>
  );
}

function TargetCard({ target }: Readonly<{ target: Target }>): JSX.Element {
  const { error, metrics, permalink, platform, published_at, scheduled_at, status } = target;
  const { title } = markOf(platform);
  const cure = cureOf(target, { title, canConnect });
  return (
    <article class="card target">
      <header>
        <Mark platform={platform} />
        <strong>
          <bdi>{nameOf(target)}</bdi>
        </strong>
        <span class="quiet">{title}</span>
        <State status={status} />
      </header>
      {published_at === null && scheduled_at !== null && (
        <p class="quiet">
          Goes out at a time of its own: <Time at={scheduled_at} />
        </p>
      )}
      <OwnContent post={model.post.value} target={target} />
      {error !== null && (
        <div class="refusal">
          <p>{messageForPeople(error.message, ZONE)}</p>
          {error.platform_message !== undefined && (
            <p>
              {title} said: <bdi>{error.platform_message}</bdi>
            </p>
          )}
          {cure !== undefined && may('retry_post') && <p>{cure}</p>}
          <small class="bad">
            Code <code>{error.code}</code>
            {error.platform_code !== undefined && (
              <>
                , of the platform <code>{error.platform_code}</code>
              </>
            )}
          </small>
        </div>
      )}
      {permalink !== null && (
        <p>
          <a href={permalink} rel="noreferrer" target="_blank">
            See it on {title}
          </a>
        </p>
      )}
      {metrics !== null && (
        <p class="numbers">
          {(['like', 'comment', 'share', 'save'] as const).map((one) => (
            <span key={one}>
              <b>{metrics[`${one}s`]}</b> {metrics[`${one}s`] === 1 ? one : `${one}s`}
            </span>
          ))}
        </p>
      )}
    </article>
  );
}

function Attempts(): JSX.Element {
  const logs = model.logs.value;
  return (
    <section aria-label="What was tried">
      <h2>What was tried</h2>
      {logs.length === 0 ? (
        <p class="quiet">Nothing in the last seven days.</p>
      ) : (
        <ul class="rows card">
          {logs.map((entry) => (
            <li key={entry.id}>
              <div>
                <Mark platform={entry.platform} /> {markOf(entry.platform).title}, {entry.action}
                {entry.attempt > 1 && `, attempt ${entry.attempt}`}: {entry.status}
                {entry.platform_code !== undefined && <> ({entry.platform_code})</>}
                {entry.error_message !== null && (
                  <p class="bad">
                    <bdi>{messageForPeople(entry.error_message, ZONE)}</bdi>
                  </p>
                )}
                <div>
                  <small>
                    <Time at={entry.created_at} />, took {(entry.duration_ms / 1000).toFixed(1)} s
                  </small>
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Asked = Readonly<{ title: string; text: string; yes: string; no?: string; run(): Promise<void> }>;

function askedBy(question: Question): Asked {
  const names = model.post.value.targets.map(nameOf).join(', ');
  switch (question) {
    case 'doubt':
      return {
        title: 'Is it there already?',
        text: model.doubt.value,
        yes: 'It is not there: publish again',
        no: 'It is there: leave it',
        run: model.retryAnyway,
      };
    case 'publish':
      return {
        title: 'Publish now?',
        text: `It goes out at once on ${names}.`,
        yes: 'Publish',
        run: model.publish,
      };
    case 'unpublish':
      return {
        title: 'Take this post down?',
        text: `It is deleted on ${names}, where the platform allows it. This cannot be undone.`,
        yes: 'Take down',
        run: model.unpublish,
      };
    case 'delete':
      return {
        title: 'Delete this post?',
        text: 'What is public is taken down where the platform allows it. This cannot be undone.',
        yes: 'Delete',
        run: model.remove,
      };
  }
}

function Ask({ question }: Readonly<{ question: Question }>): JSX.Element {
  const { title, text, yes, no, run } = askedBy(question);
  return (
    <Confirm
      title={title}
      yes={yes}
      no={no}
      isSafe={question === 'publish'}
      isBusy={model.isBusy.value}
      onYes={run}
      onNo={model.dismiss}
    >
      <p>{text}</p>
    </Confirm>
  );
}

show({
  Page,
  heard: model.heard,
  shortcuts: [
    { keys: 'u', does: 'Back to all posts', run: () => location.assign('/dashboard/posts') },
    {
      keys: 'e',
      does: 'Edit',
      run: () => void (model.canEdit.value && location.assign(`/dashboard/compose?post=${model.post.value.id}`)),
    },
    { keys: 'r', does: 'Publish again', run: () => void (model.canRetry.value && model.retry()) },
  ],
});
