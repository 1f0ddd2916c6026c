import { isOnlyNamed, wordsOfPost } from '#kernel/people/known-post.ts';
import { wordOf } from '#kernel/people/post-states.ts';
import { partsOf, type Leaf, type PageWords } from '#kernel/people/preview.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import type { Around, Below, FileView, PostView } from './around.ts';

/** The context of an action: the item it replies to, the posts it publishes or changes, and their files. */
export function drawAround({ posts, said, below, files, isPartial }: Around, words: PageWords): Html {
  return html`${said.length > 0 && html`<h2>What it is about</h2>`}
  ${said.map(
    ({ by, text, at }) =>
      html`<p class="said">
        <small class="quiet"><bdi>${by}</bdi>, ${words.timeOf(at)}</small><br /><bdi
          >${text === '' ? 'No text' : text}</bdi
        >
      </p>`,
  )}
  ${below !== undefined && drawBelow(below)} ${posts.map((post) => drawPost(post, words))}
  ${files.length > 0 && html`<h2>Files</h2>`} ${files.map(drawFile)}
  ${
    isPartial &&
    html`<p class="refusal">
      Part of what this is about could not be read here. Look it up in the dashboard before you decide.
    </p>`
  }`;
}

function drawBelow(below: Below | null): Html {
  if (below === null || isOnlyNamed(below)) {
    return html`<h2>The post with this comment</h2>
      <p class="refusal">Its text is not known here. Look it up on the platform before you decide.</p>`;
  }
  const address = /^https?:\/\//i.test(below.permalink ?? '') ? below.permalink : null;
  const link =
    address !== null && html`<a ${attributes({ href: address, rel: 'noreferrer' })}>See the post on the platform</a>`;
  return html`<h2>The post with this comment</h2>
    <p class="said"><bdi>${wordsOfPost(below)}</bdi> ${link}</p>`;
}

const drawPost = (post: PostView, words: PageWords): Html =>
  html`<h2>The post now</h2>
    <p>
      <a href="/dashboard/posts/${post.id}"><bdi>${words.nameOf(post.id)}</bdi></a>
      <small class="quiet">${wordOf(post.status)}</small>
    </p>
    <dl>${drawLeaves(partsOf(post, words))}</dl>`;

/** The terms and descriptions of a list. */
export const drawLeaves = (leaves: readonly Leaf[]): readonly Html[] =>
  leaves.map(
    ([name, value]) =>
      html`<dt><bdi>${name}</bdi></dt>
        <dd class="said"><bdi>${value}</bdi></dd>`,
  );

function drawFile({ filename, content_type, url }: FileView): Html {
  const picture = attributes({ src: url, alt: filename, loading: 'lazy', width: '240' });
  const link = attributes({ href: url, rel: 'noreferrer' });
  return html`<p>
    ${content_type.startsWith('image/') && html`<img ${picture} /><br />`}
    <a ${link}><bdi>${filename}</bdi></a> <small class="quiet">${content_type}</small>
  </p>`;
}
