/** The public site: people, posts with everything that follows them, and the consent page. */
import type { Context } from 'koa';
import type { Person } from '../../graph/docs.ts';
import { html, webAddress } from '../../html.ts';
import type { Html } from '../../html.ts';
import { drawOffers, drawPost, drawSaid } from '../../kit/drawing.ts';
import type { Said } from '../../kit/drawing.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import { showPublic } from '../../kit/public.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import { isLive, isReply } from '../docs.ts';
import { drawMedium } from '../../graph/media/medium.ts';
import type { Post } from '../docs.ts';
import type { Posts } from '../posts.ts';
import { permalinkOf } from '../world.ts';
import type { World } from '../world.ts';

/** Posts as visitors see them; the operator, who is offered what people do with them, sees what is hidden too. */
function makeDrawing(world: World, posts: Posts) {
  const { people, nodes } = world;
  const nameOf = ({ page_id }: Post) => people.byId(page_id)?.name;

  function drawQuoted(id: string | undefined): Html | false {
    const quoted = id === undefined ? undefined : nodes.get('post', id);
    return quoted !== undefined && html`<blockquote>${nameOf(quoted)}: ${quoted.text}</blockquote>`;
  }

  /** A post and the answers its author gave to it one after the other: what people call a thread. */
  function chainOf(post: Post): readonly Post[] {
    const next = posts.answers(post.id).find(({ page_id }) => page_id === post.page_id);
    return next === undefined ? [post] : [post, ...chainOf(next)];
  }

  function said(post: Post, offer: Offer | undefined, part: string | undefined, below: readonly Html[]): Said {
    const { id, text, media, link, quoted, reposted, likes } = post;
    const isShown = offer !== undefined || !post.is_hidden;
    const address = webAddress(link);
    return {
      author: nameOf(post),
      badges: [part, offer && post.by_app && 'by the app', offer && post.is_hidden && 'hidden', reposted && 'repost'],
      text: isShown ? text : 'This answer is hidden.',
      media:
        isShown &&
        html`${media.map((one) => drawMedium(world, one))} ${drawQuoted(quoted ?? reposted)}
        ${address !== undefined && html`<p><a href="${address}" rel="noopener noreferrer nofollow">${address}</a></p>`}`,
      at: post.at,
      path: permalinkOf(world, post),
      note: html`${likes.length > 0 && ` · likes ${likes.length}`} <code>${id}</code>`,
      offers: drawOffers(offer, [
        ['reply', { on: id }, 'Answer'],
        ['like', { on: id }, 'Like'],
      ]),
      below,
    };
  }

  /** The segments of a thread stand one below the other, each with what others answered to it. */
  function drawThread(post: Post, offer?: Offer, frame: (of: Said) => Html = drawPost): Html {
    const chain = chainOf(post);
    const inChain = new Set(chain.map(({ id }) => id));
    const answersTo = ({ id }: Post) =>
      posts
        .answers(id)
        .filter((one) => !inChain.has(one.id))
        .map((one) => drawThread(one, offer, drawSaid));
    const partOf = (at: number) => (chain.length > 1 ? `${at + 1}/${chain.length}` : undefined);
    const rest = chain
      .slice(1)
      .map((one, at) => drawSaid({ ...said(one, offer, partOf(at + 1), answersTo(one)), isOwn: true }));
    return frame(said(post, offer, partOf(0), [...rest, ...answersTo(post)]));
  }
  return drawThread;
}

/** Answers the public site, and draws the newest posts for the console. */
export function makeWww(world: World, posts: Posts, dialog: ConsentDialog) {
  const { nodes, people, store } = world;
  const drawThread = makeDrawing(world, posts);

  const show = (ctx: Context, title: string, body: Html) =>
    showPublic(ctx, { slug: ABOUT.slug, network: ABOUT.title }, title, body);

  function showPost(ctx: Context, post: Post): void {
    store.write(() => nodes.change('post', post.id, { views: post.views + 1 }));
    const name = people.byId(post.page_id)?.name ?? '';
    show(
      ctx,
      name,
      html`<h1>A post of ${name}</h1>
        ${drawThread(post)}`,
    );
  }
  function showPerson(ctx: Context, { id, name, handle }: Person): void {
    show(
      ctx,
      name,
      html`<h1>${name}</h1>
        <p class="quiet">@${handle}</p>
        ${posts
          .of(id)
          .toReversed()
          .map((post) => drawThread(post))}`,
    );
  }

  return Object.freeze({
    latest: (count: number, offer?: Offer) =>
      posts
        .everything()
        .filter((post) => !isReply(post))
        .slice(-count)
        .toReversed()
        .map((post) => drawThread(post, offer)),
    async answer(ctx: Context, [first = '', second, shortcode, ...more]: readonly string[]) {
      if (first === 'oauth' && second === 'authorize') {
        await dialog.answer(ctx);
        return;
      }
      const person = first.startsWith('@') ? people.all().find(({ handle }) => handle === first.slice(1)) : undefined;
      if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || more.length > 0 || person === undefined) return;
      const post = nodes.list('post', { page: person.id }).find((one) => one.shortcode === shortcode && isLive(one));
      if (second === undefined) showPerson(ctx, person);
      else if (second === 'post' && post !== undefined) showPost(ctx, post);
    },
  });
}
