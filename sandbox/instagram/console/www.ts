/** The public website: accounts, posts, comments and Instagram's consent page. */
import { drawMedium } from '../../graph/media/medium.ts';
import { makeShowing } from '../../graph/parts.ts';
import { isLive } from '../../graph/authored.ts';
import { html, type Html } from '../../html.ts';
import { drawOffers, drawPost, drawContentWithAuthor, likesNote } from '../../kit/drawing.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import { makeSite } from '../../kit/site.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Comments } from '../comments.ts';
import type { Comment, Media } from '../docs.ts';
import { accountOf } from '../logins.ts';
import type { Posts } from '../posts.ts';
import { permalinkOf, type World } from '../world.ts';

type Parts = Readonly<{ posts: Posts; comments: Comments }>;

const KINDS = Object.freeze({ FEED: undefined, REELS: 'reel', STORY: 'story' });

/** The names in an option, which can have several forms. */
function listed(value: unknown): string {
  const nameOf = (one: unknown) =>
    String(typeof one === 'object' && one !== null ? (one as { username?: unknown }).username : one);
  return (Array.isArray(value) ? value : [value]).map(nameOf).join(', ');
}

/** Posts as visitors see them. The operator also sees hidden comments and actions. */
function makeDrawing(world: World, { comments }: Parts) {
  const { people } = world;
  const nameOf = ({ author, page_id }: Media | Comment) =>
    author === undefined ? people.page(page_id)?.username : people.byId(author)?.handle;

  const drawComments = (parent: string, offer?: Offer): readonly Html[] =>
    comments
      .below(parent)
      .filter(({ hidden }) => offer !== undefined || !hidden)
      .map((one) =>
        drawContentWithAuthor({
          isOwn: one.author === undefined,
          author: nameOf(one),
          badges: [offer && one.by_app && 'by the app', offer && one.hidden && 'hidden'],
          text: one.text,
          at: one.at,
          note: likesNote(one),
          offers: drawOffers(offer, { on: one.id }, { comment: 'Answer', like: 'Like' }),
          below: drawComments(one.id, offer),
        }),
      );

  return function drawThread(post: Media, offer?: Offer): Html {
    const { id, caption, media, product, options = {} } = post;
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
      note: likesNote(post),
      offers:
        product === 'STORY'
          ? drawOffers(offer, { on: id }, { like: 'Like' }, [['story_reply', { story: id }, 'Answer the story']])
          : drawOffers(offer, { on: id }, { comment: 'Comment', like: 'Like' }),
      below: drawComments(id, offer),
    });
  };
}

export function openSite(world: World, parts: Parts, dialog: ConsentDialog) {
  const { nodes, people, store } = world;
  const { posts } = parts;
  const draw = makeDrawing(world, parts);
  return makeSite<Media>({
    about: ABOUT,
    dialog,
    isDialog: (path) => path === 'oauth/authorize',
    at([first = '', second = '', third = '', ...more]) {
      if (more.length > 0) return undefined;
      if (first === 'p' || first === 'reel')
        return { post: posts.list().find(({ shortcode }) => shortcode === second) };
      if (first === 'stories') return { post: nodes.get('media', third) };
      const account = second === '' ? people.pages().find(({ username }) => username === first) : undefined;
      if (account === undefined) return undefined;
      const all = [...posts.stories(account.id), ...posts.listed(account.id)];
      return { name: account.name, about: `@${account.username}`, posts: all };
    },
    isPublic: isLive,
    nameOf: ({ page_id }) => people.page(page_id)?.name,
    seen: ({ id }) => store.write(() => posts.view(id)),
    draw,
    posts: () => posts.list(),
  });
}

/** People and posts as the console lists them. People of Facebook log in with their Pages. */
export function makeView(world: World) {
  const { nodes, people } = world;
  return makeShowing<Media>(world, {
    of: ({ id }) =>
      people
        .rolesOf(id)
        .flatMap(({ page_id: page }) => nodes.list('media', { page }))
        .filter(({ author }) => author === undefined),
    isPublic: isLive,
    textOf: ({ caption }) => caption,
    permalinkOf: (one) => permalinkOf(world, one),
    partOf(person) {
      const { id, owner } = person;
      if (!owner) return html`Follower: comments, mentions and writes.`;
      const connected = nodes.get('grant', id) !== undefined && ' Uses the app.';
      if (accountOf(world, person) !== undefined) return html`Account: connect it by the Instagram log-in.${connected}`;
      const pages = people.rolesOf(id).flatMap(({ page_id }) => people.page(page_id)?.name ?? []);
      return html`Logs in on Facebook, with ${pages.length === 0 ? 'no Page' : pages.join(', ')}.${connected}`;
    },
    pathOf: (person) => (accountOf(world, person) === undefined ? undefined : `/${person.handle}`),
  });
}
