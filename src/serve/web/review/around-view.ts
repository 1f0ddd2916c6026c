import { attributes, html, type Html } from '#kernel/text/html.ts';
import type { AccountView } from '../dashboard/live/accounts-view.ts';
import { drawTime } from '../kit/times.ts';
import type { Around, FileView, PostView } from './around.ts';
import { timeIn } from './local-time.ts';

/** What of a post goes out, besides its targets. */
const CONTENT = ['text', 'title', 'first_comment', 'visibility', 'segments', 'media', 'platform_data', 'scheduled_at'];
/** What a target has of its own. */
const OWN = [
  'page_id',
  'board_id',
  'text',
  'title',
  'first_comment',
  'visibility',
  'media',
  'platform_data',
  'scheduled_at',
];

/** What an action is about: what it answers, the posts that it publishes or changes, and their files. */
export function drawAround(
  { posts, said, files, isPartial }: Around,
  accounts: readonly AccountView[],
  zone: string,
): Html {
  return html`${said.length > 0 && html`<h2>What it answers</h2>`}
  ${said.map(
    ({ by, text, at }) =>
      html`<p class="said">
        <small class="quiet"><bdi>${by}</bdi>, ${drawTime(at)}</small><br /><bdi
          >${text === '' ? 'No words' : text}</bdi
        >
      </p>`,
  )}
  ${posts.map((post) => drawPost(post, accounts, zone))} ${files.length > 0 && html`<h2>Files</h2>`}
  ${files.map(drawFile)}
  ${
    isPartial &&
    html`<p class="refusal">
      Something that this is about could not be read here. Look it up in the dashboard before you decide.
    </p>`
  }`;
}

function drawPost(post: PostView, accounts: readonly AccountView[], zone: string): Html {
  const nameOf = (id: unknown) => accounts.find((one) => one.id === id);
  const content = leavesOf(Object.fromEntries(CONTENT.map((name) => [name, post[name]])));
  const targets = post.targets.flatMap((target): readonly Leaf[] => {
    const account = nameOf(target['account_id']);
    const name = account ? `${account.name} (${account.platform})` : String(target['account_id']);
    const own = leavesOf(Object.fromEntries(OWN.map((field) => [field, target[field]])));
    return [['Goes to', name], ...own.map(([field, value]): Leaf => [`${name}: ${field}`, value])];
  });
  return html`<h2>The post now</h2>
    <p><a href="/dashboard/posts/${post.id}">${post.id}</a> <small class="quiet">${post.status}</small></p>
    <dl>
      ${[...content, ...targets].map(
        ([name, value]) =>
          html`<dt><bdi>${name}</bdi></dt>
            <dd class="said"><bdi>${timeIn(value, zone)}</bdi></dd>`,
      )}
    </dl>`;
}

function drawFile({ id, filename, content_type, url }: FileView): Html {
  const picture = attributes({ src: url, alt: filename, loading: 'lazy', width: '240' });
  const link = attributes({ href: url, rel: 'noreferrer' });
  return html`<p>
    ${content_type.startsWith('image/') && html`<img ${picture} /><br />`}
    <a ${link}><bdi>${filename}</bdi></a> <small class="quiet">${content_type}, ${id}</small>
  </p>`;
}

type Leaf = readonly [name: string, value: string];

/** What something says, as names and values; what is empty is left out. */
function leavesOf(value: unknown, at = ''): readonly Leaf[] {
  if (isEmpty(value)) return [];
  if (typeof value !== 'object' || value === null) return [[at, String(value)]];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    leavesOf(inner, at === '' ? name : `${at} ${name}`),
  );
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';
