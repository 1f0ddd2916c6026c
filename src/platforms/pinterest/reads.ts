import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { Board, ListedPost, MeasuredPost, PostMetrics } from '../posts.ts';
import { unlessRefused } from '../shared/errors.ts';
import { count, readable, text, word } from '../shared/fields.ts';
import { metricsOfEach } from '../shared/metrics.ts';
import { path } from '../shared/rest.ts';
import { request, Page, pinUrl } from './api.ts';

const MOST_PER_PAGE = 250;
const MOST_PAGES = 8;
/** How many pins of a board are searched for a lost pin. */
const NEWEST = 50;

const Boards = z.object({ id: z.string(), name: z.string(), privacy: word });

export async function boards(call: AccountCall): Promise<readonly Board[]> {
  const found: Board[] = [];
  let bookmark: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const query = { page_size: MOST_PER_PAGE, bookmark };
    const page = await request(call, { method: 'GET', path: '/boards', query }, Page);
    found.push(...readable(Boards, page.items).map(({ id, name, privacy }) => ({ board_id: id, name, privacy })));
    bookmark = page.bookmark;
    if (bookmark === undefined) break;
  }
  return found;
}

const Lifetime = z.object({
  pin_click: count,
  impression: count,
  clickthrough: count,
  reaction: count,
  comment: count,
  save: count,
});
const Counts = z
  .object({ lifetime_metrics: Lifetime })
  .nullish()
  .catch(undefined)
  .transform((all) => all && metricsIn(all.lifetime_metrics));

function metricsIn({ reaction, comment, save, ...seen }: z.output<typeof Lifetime>): PostMetrics {
  const { impression: impressions, pin_click: pin_clicks, clickthrough: outbound_clicks } = seen;
  return {
    likes: reaction,
    comments: comment,
    shares: 0,
    saves: save,
    extra: { impressions, pin_clicks, outbound_clicks },
  };
}

/** A time; Pinterest omits the offset of times in UTC. */
const Instant = z
  .string()
  .transform((time) => Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`))
  .refine((ms) => !Number.isNaN(ms));

const images = z.record(z.string(), z.object({ url: z.string() })).catch({});
const Pin = z.object({
  id: z.string().min(1),
  created_at: Instant,
  title: word,
  description: word,
  link: text,
  alt_text: text,
  media: z
    .object({ media_type: word, images, items: z.array(z.object({ images })).catch([]) })
    .optional()
    .catch(undefined),
  pin_metrics: Counts,
});
type Pin = z.output<typeof Pin>;

/** The largest picture of a listed item. */
function pictureOf(sizes: z.output<typeof images>): readonly { type: 'image'; url: string }[] {
  const { url } = sizes['1200x'] ?? sizes['600x'] ?? Object.values(sizes)[0] ?? {};
  return url === undefined ? [] : [{ type: 'image', url }];
}

const postOf = (
  { hosts }: AccountCall,
  { id, created_at, title, description, media, pin_metrics }: Pin,
): ListedPost => ({
  platform_post_id: id,
  permalink: pinUrl(hosts, id),
  title,
  text: description || title,
  created_at,
  media: media ? [media, ...media.items].flatMap((one) => pictureOf(one.images)) : [],
  metrics: pin_metrics ?? undefined,
});

export async function list(
  call: AccountCall,
  { limit, cursor }: Readonly<{ limit: number; cursor?: string | undefined }>,
) {
  const query = { page_size: Math.min(limit, MOST_PER_PAGE), bookmark: cursor, pin_metrics: true };
  const { items, bookmark } = await request(call, { method: 'GET', path: '/pins', query }, Page);
  return { posts: readable(Pin, items).map((pin) => postOf(call, pin)), cursor: bookmark };
}

/** The newest pins of a board, newest first. */
export async function pinsOfBoard(call: AccountCall, board: string): Promise<readonly Pin[]> {
  const query = { page_size: NEWEST };
  const { items } = await request(call, { method: 'GET', ...path`/boards/${{ board }}/pins`, query }, Page);
  return readable(Pin, items);
}

/** Reads counts since a pin was created; Pinterest returns them for one pin at a time. */
export const metrics = (call: AccountCall, posts: readonly MeasuredPost[]) =>
  metricsOfEach(posts, async ({ id: pin }) => {
    const options = { method: 'GET', ...path`/pins/${{ pin }}`, query: { pin_metrics: true } } as const;
    const view = await unlessRefused(request(call, options, z.object({ pin_metrics: Counts })), 'not_found');
    return view?.pin_metrics ?? undefined;
  });
