import type { Context } from 'koa';
import { html, plain, webAddress, type Html } from '../../html.ts';
import { drawOffers, drawPicture, drawPost, drawContentWithAuthor, type Drawing } from '../../kit/drawing.ts';
import { showPublic } from '../../kit/public.ts';
import type { Offer } from '../../twin.ts';
import { asText, isObject } from '../../kit/api/checks.ts';
import { blobPath, picturesIn } from '../reading/embeds.ts';
import type { Gates } from '../reading/gates.ts';
import type { People, Person } from '../../atproto/people.ts';
import type { RecordRow, Records } from '../../atproto/records.ts';
import { POST } from '../uris.ts';
import type { Views } from '../reading/views.ts';

const ROOT = '/sandbox/bluesky';

export const postPath = (who: string, rkey: string): string =>
  `${ROOT}/profile/${encodeURIComponent(who)}/post/${encodeURIComponent(rkey)}`;
export const profilePath = (who: string): string => `${ROOT}/profile/${encodeURIComponent(who)}`;

export type PagesWorld = Readonly<{ people: People; records: Records; views: Views; gates: Gates }>;

type Facet = { from: number; to: number; feature: Record<string, unknown> };

function facetsOf(record: Record<string, unknown>): readonly Facet[] {
  const facets = Array.isArray(record['facets']) ? record['facets'].filter(isObject) : [];
  return facets
    .flatMap(({ index, features }) => {
      const feature = Array.isArray(features) ? features.find(isObject) : undefined;
      return isObject(index) && feature !== undefined
        ? [{ from: Number(index['byteStart']), to: Number(index['byteEnd']), feature }]
        : [];
    })
    .toSorted((a, b) => a.from - b.from);
}

function drawFacet(text: string, feature: Record<string, unknown>): Html {
  const link = webAddress(feature['uri']);
  if (link !== undefined) return html`<a href="${link}" rel="noopener noreferrer nofollow">${text}</a>`;
  if (typeof feature['did'] === 'string') return html`<a href="${profilePath(feature['did'])}">${text}</a>`;
  return html`<strong>${text}</strong>`;
}

/** Draws a text with its links, mentions and tags, which are given as byte ranges. */
function drawText(record: Record<string, unknown>): readonly Html[] {
  const bytes = Buffer.from(asText(record['text']));
  const drawn: Html[] = [];
  let done = 0;
  for (const { from, to, feature } of facetsOf(record)) {
    // Ignore overlapping and invalid ranges, as apps do.
    if (!(from >= done && to > from && to <= bytes.length)) continue;
    drawn.push(html`${bytes.subarray(done, from).toString()}`, drawFacet(bytes.subarray(from, to).toString(), feature));
    done = to;
  }
  return [...drawn, html`${bytes.subarray(done).toString()}`];
}

function drawEmbed(did: string, record: Record<string, unknown>): readonly Html[] {
  const pictures = picturesIn(record).map(({ cid, alt }) => drawPicture(ROOT + blobPath(did, cid), alt));
  const embed = record['embed'];
  const media = isObject(embed) && isObject(embed['media']) ? embed['media'] : embed;
  const card = isObject(media) && isObject(media['external']) ? media['external'] : undefined;
  const link = webAddress(card?.['uri']);
  return card === undefined
    ? pictures
    : [
        ...pictures,
        html`<p>
          <a href="${link ?? '#'}" rel="noopener noreferrer nofollow">${plain(card['title'])}</a>
          <small>${plain(card['description'])}</small>
        </p>`,
      ];
}

const MOST_REPLIES = 100;

/** A post as readers see it. The operator also sees the followers' actions. */
function contentOf(person: Person, row: RecordRow, views: Views, offer?: Offer): Drawing {
  const { replyCount, likeCount, repostCount, quoteCount } = views.tally(views.uri(row));
  const record = JSON.parse(row.shown_json) as Record<string, unknown>;
  const post = views.uri(row);
  const edited = row.cid === row.shown_cid ? '' : 'edited since; readers still see this version · ';
  return {
    author: html`${person.display_name} <a href="${profilePath(person.handle)}">@${person.handle}</a>`,
    text: drawText(record),
    media: drawEmbed(row.did, record),
    at: row.sort_at,
    path: postPath(person.handle, row.rkey),
    note: ` · ${edited}replies ${replyCount}, likes ${likeCount}, reposts ${repostCount}, quotes ${quoteCount}`,
    offers: drawOffers(offer, { post }, { reply: 'Reply', like: 'Like', repost: 'Repost' }),
  };
}

/** The replies to a post, nested. Hidden ones are marked. */
function drawReplies(uri: string, world: PagesWorld, offer?: Offer, levels = 5): readonly Html[] {
  const { people, views, gates } = world;
  return views
    .replies(uri, MOST_REPLIES)
    .toReversed()
    .flatMap((row) => {
      const person = people.byDid(row.did);
      if (person === undefined) return [];
      const isHidden = gates.hides(views.rootUri(row), views.uri(row));
      return drawContentWithAuthor({
        ...contentOf(person, row, views, offer),
        badges: [isHidden && 'hidden by the author of the thread'],
        below: levels > 1 ? drawReplies(views.uri(row), world, offer, levels - 1) : [],
      });
    });
}

export function drawThreads(newest: readonly RecordRow[], count: number, world: PagesWorld, offer?: Offer): Html[] {
  const roots = new Map(
    newest.map((row) => {
      const root = world.views.rowAt(world.views.rootUri(row)) ?? row;
      return [world.views.uri(root), root];
    }),
  );
  return [...roots].slice(0, count).flatMap(([uri, row]) => {
    const person = world.people.byDid(row.did);
    return person === undefined
      ? []
      : drawPost({ ...contentOf(person, row, world.views, offer), below: drawReplies(uri, world, offer) });
  });
}

/** Serves `/profile/<who>` and `/profile/<who>/post/<rkey>`, and ignores other paths. */
export function profilePages(world: PagesWorld): (ctx: Context, segments: readonly string[]) => void {
  const { people, records, views } = world;
  return function showProfile(ctx, [who = '', kind, rkey, ...more]) {
    const person = people.find(who);
    if (person === undefined || more.length > 0 || (kind !== undefined && kind !== 'post')) return;
    const row = rkey === undefined ? undefined : records.get(person.did, POST, rkey);
    if (kind === 'post' && row === undefined) return;
    const rows = row ? [row] : records.list(person.did, POST, { after: undefined, reverse: false, limit: 50 });
    showPublic(
      ctx,
      { slug: 'bluesky', network: 'Bluesky' },
      `${person.display_name} on the simulated Bluesky`,
      html`<h1>${person.display_name}</h1>
        <p class="quiet">@${person.handle} <code>${person.did}</code></p>
        ${rows.map((one) => drawPost({ ...contentOf(person, one, views), below: row && drawReplies(views.uri(row), world) }))}
        ${rows.length === 0 && html`<p>Nothing posted yet.</p>`}`,
    );
  };
}
