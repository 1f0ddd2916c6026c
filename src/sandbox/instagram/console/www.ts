/** The public site: accounts, posts of each kind with what was said about them, and the consent page of Instagram. */
import type { Context } from 'koa';
import type { Page } from '../../graph/docs.ts';
import { html } from '../../html.ts';
import type { Html } from '../../html.ts';
import { drawOffers, drawPost, drawSaid } from '../../kit/drawing.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import { showPublic } from '../../kit/public.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Comments } from '../comments.ts';
import { isLive } from '../docs.ts';
import { drawMedium } from '../../graph/media/medium.ts';
import type { Comment, Media } from '../docs.ts';
import type { Posts } from '../posts.ts';
import { permalinkOf } from '../world.ts';
import type { World } from '../world.ts';

type Parts = Readonly<{ posts: Posts; comments: Comments }>;

const KINDS = Object.freeze({ FEED: undefined, REELS: 'reel', STORY: 'story' });

/** The names that an option lists, whatever its form. */
const listed = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  const all = Array.isArray(value) ? value : [value];
  return all
    .map((one) =>
      typeof one === 'object' && one !== null ? String((one as { username?: unknown }).username) : String(one),
    )
    .join(', ');
};

/** Posts as visitors see them; the operator, who is offered what people do with them, sees what is hidden too. */
function makeDrawing(world: World, { comments }: Parts) {
  const { people } = world;
  const nameOf = ({ author, page_id }: Media | Comment) =>
    author === undefined ? people.page(page_id)?.username : people.byId(author)?.handle;

  function drawComment(one: Comment, offer?: Offer): Html {
    const isShown = offer !== undefined || !one.hidden;
    if (!isShown) return html``;
    return drawSaid({
      isOwn: one.author === undefined,
      author: nameOf(one),
      badges: [offer && one.by_app && 'by the app', offer && one.hidden && 'hidden'],
      text: one.text,
      at: one.at,
      note: html`${one.likes.length > 0 && ` · likes ${one.likes.length}`} <code>${one.id}</code>`,
      offers: drawOffers(offer, [
        ['comment', { on: one.id }, 'Answer'],
        ['like', { on: one.id }, 'Like'],
      ]),
      below: comments.below(one.id).map((answer) => drawComment(answer, offer)),
    });
  }

  return function drawThread(post: Media, offer?: Offer): Html {
    const { id, caption, media, product, likes, options = {} } = post;
    const more = [
      [' with ', options['collaborators']],
      [' · in the picture: ', options['user_tags']],
      [' · at ', options['location_id']],
    ] as const;
    return drawPost({
      author: html`${nameOf(post)}${more.map(([words, value]) => value !== undefined && html`${words}${listed(value)}`)}`,
      badges: [KINDS[product], media.length > 1 && `${media.length} items`, offer && post.by_app && 'by the app'],
      text: caption,
      media: html`${media.map((one) => drawMedium(world, one))}`,
      at: post.at,
      path: permalinkOf(world, post),
      note: html`${likes.length > 0 && ` · likes ${likes.length}`} <code>${id}</code>`,
      offers: drawOffers(offer, [
        ...(product === 'STORY'
          ? [['story_reply', { story: id }, 'Answer the story'] as const]
          : [['comment', { on: id }, 'Comment'] as const]),
        ['like', { on: id }, 'Like'],
      ]),
      below: comments.below(id).map((one) => drawComment(one, offer)),
    });
  };
}

/** Answers the public site, and draws the newest posts for the console. */
export function makeWww(world: World, parts: Parts, dialog: ConsentDialog) {
  const { nodes, people, store } = world;
  const { posts } = parts;
  const drawThread = makeDrawing(world, parts);

  const show = (ctx: Context, title: string, body: Html) =>
    showPublic(ctx, { slug: ABOUT.slug, network: ABOUT.title }, title, body);

  function showPost(ctx: Context, post: Media | undefined): void {
    if (post === undefined || !isLive(post)) return;
    store.write(() => nodes.change('media', post.id, { views: post.views + 1 }));
    const name = people.page(post.page_id)?.name ?? '';
    show(
      ctx,
      name,
      html`<h1>A post of ${name}</h1>
        ${drawThread(post)}`,
    );
  }
  const showAccount = (ctx: Context, { id, name, username }: Page) =>
    show(
      ctx,
      name,
      html`<h1>${name}</h1>
        <p class="quiet">@${username}</p>
        ${[...posts.stories(id), ...posts.listed(id)].map((post) => drawThread(post))}`,
    );

  return Object.freeze({
    latest: (count: number, offer?: Offer) =>
      posts
        .everything()
        .slice(-count)
        .toReversed()
        .map((post) => drawThread(post, offer)),
    async answer(ctx: Context, [first = '', second = '', third, ...more]: readonly string[]) {
      if (first === 'oauth' && second === 'authorize') {
        await dialog.answer(ctx);
        return;
      }
      if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || more.length > 0) return;
      const account = people.pages().find(({ username }) => username === first);
      if (first === 'p' || first === 'reel')
        showPost(
          ctx,
          posts.everything().find(({ shortcode }) => shortcode === second),
        );
      else if (first === 'stories') showPost(ctx, nodes.get('media', third ?? ''));
      else if (account !== undefined && second === '') showAccount(ctx, account);
    },
  });
}
