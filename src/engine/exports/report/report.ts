import { Readable } from 'node:stream';
import type { ExportPostRow, ExportRow } from '#db/exports/exports.ts';
import { html, markupOf, type Html } from '#kernel/text/html.ts';
import { cut } from '#kernel/text/length.ts';
import { viewsOf } from '../present-export.ts';
import { bars, curve, fullNumber, shortNumber } from './charts.ts';
import { STYLE, STYLE_HASH } from './style.ts';
import { interactionsOf, tallyOf, type Tally } from './tally.ts';

const WEEKDAYS = Object.freeze(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']);
const EXCERPT_LENGTH = 160;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** An export as a self-contained page: no script or network, SVG charts, light and dark, printable. */
export async function reportOf(row: ExportRow, posts: () => AsyncIterable<ExportPostRow>, platform: string) {
  const tally = await tallyOf(posts());
  const title = `${row.account_name} on ${platform}`;
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${markupOf(html`<title>${title}</title>`)}
<style>${STYLE}</style>
</head>
<body>
${markupOf(bodyOf(row, title, tally))}
</body>
</html>
`;
  return {
    content_type: 'text/html; charset=utf-8',
    inline: true,
    style: STYLE_HASH,
    body: Readable.from([Buffer.from(text)]),
  };
}

function bodyOf(row: ExportRow, title: string, tally: Tally): Html {
  const { days, all } = tally;
  return html`<main>
    <header>
      <h1>${title}</h1>
      <p class="quiet">
        ${days === undefined ? 'No posts yet' : `Posts of ${dayOf(days[0])} to ${dayOf(days[1])}`}, read on
        ${dayOf(row.completed_at ?? row.created_at)}. Days are those of UTC.
      </p>
    </header>
    ${row.warnings.length > 0 && html`<div class="notes">${row.warnings.map((warning) => html`<p>${warning}</p>`)}</div>`}
    ${tiles(tally)} ${all.posts > 0 && charts(tally)} ${all.posts > 0 && topOf(tally)}
    ${tally.categories.length > 0 && categoriesOf(tally)}
  </main>`;
}

function tiles({ all, hasViews }: Tally): Html {
  const perPost = all.posts === 0 ? 0 : all.interactions / all.posts;
  const summary: readonly (readonly [string, number])[] = [
    ['Posts', all.posts],
    ...(hasViews ? [['Views', all.views] as const] : []),
    ['Likes', all.likes],
    ['Comments', all.comments],
    ['Shares', all.shares],
    ['Saves', all.saves],
    ['Interactions per post', perPost],
  ];
  return html`<dl class="tiles">
    ${summary.map(
      ([name, value]) =>
        html`<div class="tile">
          <dt>${name}</dt>
          <dd>${fullNumber(value)}</dd>
        </div>`,
    )}
  </dl>`;
}

function charts({ buckets, every, weekdays, hasViews }: Tally): Html {
  const by = (pick: (sums: Tally['all']) => number) => buckets.map(({ label, sums }) => ({ label, value: pick(sums) }));
  const perPost = weekdays.map((sums, at) => ({
    label: WEEKDAYS[at]!,
    value: sums.posts === 0 ? 0 : sums.interactions / sums.posts,
  }));
  const drawn: readonly (readonly [string, Html])[] = [
    [
      `Posts by ${every}`,
      bars(
        `Posts by ${every}`,
        by(({ posts }) => posts),
      ),
    ],
    [
      `Interactions with the posts of each ${every}`,
      curve(
        `Interactions by ${every}`,
        by(({ interactions }) => interactions),
      ),
    ],
    ...(hasViews
      ? [
          [
            `Views of the posts of each ${every}`,
            curve(
              `Views by ${every}`,
              by(({ views }) => views),
            ),
          ] as const,
        ]
      : []),
    ['Interactions per post, by day of the week', bars('Interactions per post by day of the week', perPost)],
  ];
  return html`${drawn.map(
    ([heading, chart]) =>
      html`<section>
        <h2>${heading}</h2>
        ${chart}
      </section>`,
  )}`;
}

function topOf({ top, hasViews }: Tally): Html {
  return html`<section>
    <h2>Posts with the most interactions</h2>
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Published</th>
            <th scope="col">Post</th>
            ${hasViews && html`<th scope="col" class="number">Views</th>`}
            <th scope="col" class="number">Likes</th>
            <th scope="col" class="number">Comments</th>
            <th scope="col" class="number">Shares</th>
            <th scope="col" class="number">Interactions</th>
          </tr>
        </thead>
        <tbody>
          ${top.map((post) => topRow(post, hasViews))}
        </tbody>
      </table>
    </div>
  </section>`;
}

function topRow(post: ExportPostRow, hasViews: boolean): Html {
  const { metrics, permalink, published_at } = post;
  const title = (post.title ?? post.text).replace(/\s+/g, ' ').trim() || 'Without words';
  const words = cut(title, EXCERPT_LENGTH, '…');
  const views = viewsOf(post);
  return html`<tr>
    <td class="day">${dayOf(published_at)}</td>
    <td class="text">${permalink === null ? words : html`<a href="${permalink}" rel="noreferrer">${words}</a>`}</td>
    ${hasViews && html`<td class="number">${views === null ? '–' : shortNumber(views)}</td>`}
    <td class="number">${shortNumber(metrics?.likes ?? 0)}</td>
    <td class="number">${shortNumber(metrics?.comments ?? 0)}</td>
    <td class="number">${shortNumber(metrics?.shares ?? 0)}</td>
    <td class="number">${shortNumber(interactionsOf(post))}</td>
  </tr>`;
}

function categoriesOf({ categories }: Tally): Html {
  return html`<section>
    <h2>What the pictures show</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Category</th>
          <th scope="col" class="number">Posts</th>
        </tr>
      </thead>
      <tbody>
        ${categories.map(
          ([name, posts]) =>
            html`<tr>
              <td>${name}</td>
              <td class="number">${posts}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}
