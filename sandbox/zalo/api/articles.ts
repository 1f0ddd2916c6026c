/** Articles, which are the only content an official account can publish. */
import { z } from 'zod';
import { isObject } from '../../kit/api/checks.ts';
import { listOf, shape, text } from '../../kit/api/shapes.ts';
import type { Article, Fields } from '../docs.ts';
import { invalid, overLimit, ZaloError } from '../errors.ts';
import type { Articles } from '../articles.ts';
import { newId, type World } from '../world.ts';
import { makeCalls, read, type Call, type Parts, type ZaloRoute } from './calls.ts';
import { fileIn, pictureAt } from './uploads.ts';

const MOST_LISTED = 10;

const some = text(100_000);
const isShown = z.enum(['show', 'hide']).optional();
const shared = { title: text(150), status: isShown, comment: isShown };
const Cover = z.discriminatedUnion('cover_type', [
  shape({ cover_type: z.literal('photo'), photo_url: some }),
  shape({
    cover_type: z.literal('video'),
    cover_view: z.enum(['horizontal', 'vertical', 'square']),
    video_id: some,
  }),
]);
const Part = z.discriminatedUnion('type', [
  shape({ type: z.literal('text'), content: some }),
  shape({ type: z.literal('image'), url: some }),
  shape({ type: z.literal('video'), url: some.optional(), video_id: some.optional() }),
  shape({ type: z.literal('product'), id: some }),
]);
const Body = z.discriminatedUnion('type', [
  shape({
    type: z.literal('normal'),
    ...shared,
    author: text(50),
    description: text(300),
    cover: Cover,
    body: listOf(Part, 200),
  }),
  shape({ type: z.literal('video'), ...shared, description: text(300).optional(), video_id: some, avatar: some }),
]);
type Body = z.output<typeof Body>;

const missing = () => new ZaloError(-201, 'id is invalid');

function mediaOf(body: Body): Readonly<{ pictures: readonly string[]; videos: readonly string[] }> {
  if (body.type === 'video') return { pictures: [body.avatar], videos: [body.video_id] };
  const { cover, body: parts } = body;
  const inside = parts.flatMap((part) => (part.type === 'image' ? [part.url] : []));
  const films = parts.flatMap((part) => (part.type === 'video' && part.url === undefined ? [part.video_id ?? ''] : []));
  return cover.cover_type === 'photo'
    ? { pictures: [cover.photo_url, ...inside], videos: films }
    : { pictures: inside, videos: [cover.video_id, ...films] };
}

/** Checks the body of an article as Zalo does, and downloads its pictures. */
async function check(world: World, account: string, given: Fields): Promise<void> {
  const { docs, options } = world;
  const { pictures, videos } = mediaOf(read(Body, given, 'article'));
  const ready = docs.list('video', { page: account }).filter(({ ready_at }) => ready_at <= options.clock.now());
  if (videos.some((id) => !ready.some(({ video_id }) => video_id === id))) throw invalid('video_id is invalid');
  for (const url of pictures) await pictureAt(world, url, 'image');
}

/** The picture that lists show. */
function thumbOf({ body }: Article): unknown {
  const { cover, avatar = '' } = body;
  return isObject(cover) ? (cover['photo_url'] ?? '') : avatar;
}

export function articleRoutes({ world }: Pick<Parts, 'world'>, articles: Articles): readonly ZaloRoute[] {
  const { docs, options } = world;
  const call = makeCalls(world);

  const own = ({ caller }: Call, id: string): Article => {
    const found = articles.get(id);
    if (found?.page_id !== caller.person) throw missing();
    return found;
  };
  async function accept({ params, caller }: Call, id?: string): Promise<object> {
    const { id: _, ...body } = params.values;
    await check(world, caller.person, body);
    return { token: options.store.write(() => articles.begin(caller.person, body, id)) };
  }
  const listed = (article: Article) => {
    const { id, type, status, views, likes, at, changed_at, body } = article;
    const counts = { total_view: views, total_like: likes, total_share: 0, total_comment: 0 };
    const dates = { create_date: at, update_date: changed_at };
    const link_view = articles.linkOf({ id });
    return { id, type, title: body['title'], status, thumb: thumbOf(article), link_view, ...counts, ...dates };
  };

  return [
    call('POST', '/v2.0/article/create', (one) => accept(one)),
    call('POST', '/v2.0/article/update', (one) => accept(one, own(one, one.params.required('id')).id)),
    call('POST', '/v2.0/article/verify', ({ params, caller }) => {
      const job = docs.get('job', params.required('token'));
      if (job?.page_id !== caller.person) throw invalid('token is invalid');
      if (job.isDone !== true) {
        if (world.settings.get('article_refused')) throw new ZaloError(-214, 'Article is being processed');
        return {};
      }
      if (job.failure !== undefined) throw invalid(job.failure);
      return { id: job.article };
    }),
    call('POST', '/v2.0/article/remove', (one) => {
      const article = own(one, one.params.required('id'));
      options.store.write(() => articles.remove(article));
      return { id: article.id };
    }),
    call('GET', '/v2.0/article/getslice', ({ params, caller }) => {
      const [offset = 0, limit = MOST_LISTED] = [params.whole('offset'), params.whole('limit')];
      const type = params.oneOf('type', ['normal', 'video']) ?? 'normal';
      if (limit > MOST_LISTED) throw overLimit(`limit is over ${MOST_LISTED}`);
      const all = articles.of(caller.person).filter((one) => one.type === type);
      const page = all.toReversed().slice(offset, offset + limit);
      return { medias: page.map(listed), total: all.length };
    }),
    call('GET', '/v2.0/article/getdetail', (one) => {
      const article = own(one, one.params.required('id'));
      return { ...article.body, ...listed(article) };
    }),
  ];
}

/** Video uploads for articles, and their states. */
export function videoRoutes({ world }: Pick<Parts, 'world'>): readonly ZaloRoute[] {
  const { docs, settings, options } = world;
  const { clock, store } = options;
  const call = makeCalls(world);

  return [
    call('POST', '/v2.0/article/upload_video/preparevideo', async (one) => {
      const blob = await fileIn(one, world, 'video');
      const ready_at = clock.now() + settings.get('video_ms');
      const made = {
        id: newId(),
        at: clock.now(),
        page_id: one.caller.person,
        video_id: newId(),
        blob: blob.id,
        ready_at,
      };
      return { token: store.write(() => docs.put('video', made)).id };
    }),
    call('GET', '/v2.0/article/upload_video/verify', ({ ctx, caller }) => {
      const video = docs.get('video', ctx.get('token'));
      if (video?.page_id !== caller.person) throw invalid('token is invalid');
      const { at, ready_at, video_id } = video;
      const past = Math.min(1, (clock.now() - at) / Math.max(1, ready_at - at));
      const { name: video_name, size: video_size } = docs.get('blob', video.blob)!;
      const about = { video_name, video_size, convert_percent: Math.floor(past * 100), convert_error_code: 0 };
      if (past < 1) return { ...about, video_id: '', status: 3 };
      const status = settings.get('video_status');
      return status === 1 ? { ...about, video_id, status } : { ...about, video_id: '', status, convert_error_code: -1 };
    }),
  ];
}
