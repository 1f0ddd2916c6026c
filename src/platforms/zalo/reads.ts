import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { ListedPost } from '../posts.ts';
import { LongId, text, UnixTime, counted } from '../shared/fields.ts';
import { mergedPage } from '../shared/merged.ts';
import { callApi } from './api.ts';

type Type = 'normal' | 'video';
const MOST_PER_PAGE = 10;

const Article = z.object({
  id: LongId,
  title: z.string().default(''),
  thumb: text,
  link_view: text,
  total_view: counted,
  total_like: counted,
  total_share: counted,
  total_comment: counted,
  create_date: UnixTime,
  status: text,
});
type Article = z.output<typeof Article>;

const Slice = z.object({ medias: z.array(z.unknown()) });

/** Reads an article; Zalo refuses a missing one as an invalid request. */
export function readArticle(call: AccountCall, id: string) {
  const request = { method: 'GET', path: '/v2.0/article/getdetail', query: { id } } as const;
  return callApi(call, request, z.object({ link_view: text }));
}

async function slice(call: AccountCall, type: Type, offset: number) {
  const query = { offset, limit: MOST_PER_PAGE, type };
  const { medias } = await callApi(call, { method: 'GET', path: '/v2.0/article/getslice', query }, Slice);
  return { items: medias.map((media) => Article.safeParse(media).data), isLast: medias.length < MOST_PER_PAGE };
}

/** The public URL of an article, which Zalo may return only in lists. */
export async function linkOf(call: AccountCall, id: string, type: Type): Promise<string | undefined> {
  const { link_view: link } = await readArticle(call, id);
  return link ?? (await slice(call, type, 0)).items.find((one) => one?.id === id)?.link_view;
}

/** Lists visible articles of both kinds, newest first. */
export async function list(call: AccountCall, page: Readonly<{ limit: number; cursor?: string | undefined }>) {
  const listOf = (type: Type) => (offset: number) => slice(call, type, offset);
  const lists = { 'list of articles': listOf('normal'), 'list of videos': listOf('video') };
  const { items, ...rest } = await mergedPage(lists, ({ create_date }) => create_date, page);
  return { posts: items.filter(({ status }) => status !== 'hide').map(postOf), ...rest };
}

/** Converts an article; Zalo counts views in addition to the usual metrics. */
function postOf(article: Article): ListedPost {
  const { id, title, thumb, link_view, create_date } = article;
  const { total_view: views, total_like: likes, total_comment: comments, total_share: shares } = article;
  return {
    platform_post_id: id,
    permalink: link_view,
    title,
    text: title,
    created_at: create_date,
    media: thumb === undefined ? [] : [{ type: 'image', url: thumb }],
    metrics: { likes, comments, shares, saves: 0, extra: { views } },
  };
}
