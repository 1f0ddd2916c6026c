import { z } from 'zod';
import { weightedLength } from '#kernel/text/weighted.ts';
import { answer } from '../../kit/api/routes.ts';
import { mediaKind, type Fields, type Medium, type Post, type User } from '../docs.ts';
import { badValue, forbidden, invalid, notEnrolled } from '../errors.ts';
import type { Draft } from '../authoring.ts';
import { CASHTAG } from '../text.ts';
import { SHORT } from '../views.ts';
import { idOf, makeCalls, read, type Call, type Parts, type XRoute } from './calls.ts';

const DAY_MS = 86_400_000;
const LONG = 25_000;
const NOT_SUMMONED =
  'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.';

const FLAGS = ['made_with_ai', 'paid_partnership', 'share_with_followers', 'nullcast', 'for_super_followers_only'];
const WORDS = ['community_id', 'direct_message_deep_link', 'card_uri'];
const id = z.string().regex(/^\d{1,19}$/, 'does not match the regex pattern ^[0-9]{1,19}$');
const Reply = z.strictObject({
  in_reply_to_tweet_id: id,
  exclude_reply_user_ids: z.array(id).optional(),
  auto_populate_reply_metadata: z.boolean().optional(),
});
const Poll = z.strictObject({
  options: z.array(z.string().min(1).max(25)).min(2).max(4),
  duration_minutes: z.number().int().min(5).max(10_080),
  reply_settings: z.string().optional(),
});
const Body = z.strictObject({
  text: z.string().default(''),
  reply: Reply.optional(),
  media: z
    .strictObject({ media_ids: z.array(id).min(1).max(4), tagged_user_ids: z.array(id).max(10).optional() })
    .optional(),
  poll: Poll.optional(),
  quote_tweet_id: id.optional(),
  reply_settings: z.enum(['following', 'mentionedUsers', 'subscribers', 'verified']).optional(),
  // Accepted, but without any visible effect.
  ...Object.fromEntries(FLAGS.map((name) => [name, z.boolean().optional()])),
  ...Object.fromEntries(WORDS.map((name) => [name, z.string().optional()])),
  geo: z.strictObject({ place_id: z.string() }).optional(),
});
type Body = z.output<typeof Body>;
const Hidden = z.strictObject({ hidden: z.boolean() });
const Liked = z.strictObject({ tweet_id: id });

function makeChecks({ world, users, posts }: Parts) {
  const { docs, settings, options } = world;
  const yesterday = () => options.clock.now() - DAY_MS;

  function checkText({ text, media, poll, quote_tweet_id: quoted }: Body, { premium = false }: User): void {
    if (text.trim() === '' && media === undefined && poll === undefined)
      throw invalid('$.text: is missing but it is required');
    if (weightedLength(text.trim()) > (premium ? LONG : SHORT)) throw forbidden('Your Post text is too long.');
    if (poll !== undefined && (media ?? quoted) !== undefined)
      throw invalid('$.poll: cannot stand beside $.media or $.quote_tweet_id');
    if ((text.match(CASHTAG) ?? []).length > 1 && !settings.get('enterprise'))
      throw forbidden('You are not allowed to create a Post with more than one cashtag.');
  }
  /** The finished files of a post: pictures, or one video. */
  function filesOf({ media }: Body, account: string): readonly string[] {
    const given = media?.media_ids ?? [];
    const wrong = (words: string) => invalid(words, { 'media.media_ids': given });
    const isReady = ({ page_id, ready_at = Infinity, at, fails, category }: Medium) =>
      page_id === account &&
      ready_at <= options.clock.now() &&
      at > yesterday() &&
      fails !== true &&
      !category.startsWith('dm_');
    const files = given.flatMap((one) => docs.get('medium', one) ?? []);
    if (files.length < given.length || !files.every(isReady)) throw wrong('Your media IDs are invalid.');
    if (files.length > 1 && files.some(({ category }) => mediaKind(category) !== 'photo'))
      throw wrong('A Post has up to 4 photos, or 1 animated GIF, or 1 video.');
    return given;
  }
  /** Whether the author has involved the account, which makes a reply to them allowed. */
  function isSummoned({ page_id, named, quoted = '', parent_id }: Post, account: string): boolean {
    if (page_id === account || settings.get('enterprise') || named.includes(account)) return true;
    const isMine = (of: string) => docs.get('post', of)?.page_id === account;
    return isMine(quoted) || (settings.get('replies_engage') && isMine(parent_id));
  }
  function checkReply(to: Post | undefined, account: string): void {
    if (to === undefined) throw forbidden('You attempted to reply to a Post that is deleted or not visible to you.');
    if (to.reply_settings === 'mentionedUsers' && to.page_id !== account && !to.named.includes(account))
      throw forbidden('The author of the Post you are replying to has limited who can reply.');
    if (!isSummoned(to, account)) throw forbidden(NOT_SUMMONED);
  }
  /** Throws for the same text within a day, unless the post has a file or poll. */
  function checkNew({ text, reply_to = '', media = [], poll }: Draft, account: string): void {
    const isBare = (files: readonly string[], votes: unknown) => files.length === 0 && votes === undefined;
    const isSame = (post: Post) => post.words === text && post.parent_id === reply_to && isBare(post.media, post.poll);
    const recent = docs.list('post', { page: account }).filter(({ at }) => at > yesterday());
    if (isBare(media, poll) && recent.some((post) => posts.get(post.id) && isSame(post)))
      throw forbidden('You are not allowed to create a Tweet with duplicate content.');
  }

  return function check({ person, client }: Call['caller'], body: Body): Draft {
    checkText(body, users.get(person)!);
    const media = filesOf(body, person);
    const { reply, quote_tweet_id: quoted, poll, reply_settings } = body;
    if (quoted !== undefined && !settings.get('enterprise')) throw notEnrolled(client);
    if (reply !== undefined) checkReply(posts.get(reply.in_reply_to_tweet_id), person);
    const draft = {
      text: body.text.trim(),
      media,
      quoted,
      reply_settings,
      reply_to: reply?.in_reply_to_tweet_id,
      exclude: reply?.exclude_reply_user_ids,
      poll: poll && { options: poll.options, minutes: poll.duration_minutes },
    };
    checkNew(draft, person);
    return draft;
  };
}

export function postRoutes(parts: Parts): readonly XRoute[] {
  const { world, posts, views } = parts;
  const { store } = world.options;
  const call = makeCalls(world);
  const check = makeChecks(parts);
  function there(given: string | undefined): Post {
    const post = posts.get(idOf(given));
    if (post === undefined) throw forbidden();
    return post;
  }
  function like({ caller, path }: Call, given: string | undefined, liked: boolean): Fields {
    if (path['id'] !== caller.person) throw badValue('id', path['id'], 'must be the same as the authenticating user');
    if (!world.settings.get('enterprise')) throw notEnrolled(caller.client);
    store.write(() => posts.like(there(given), caller.person, liked));
    return { data: { liked } };
  }

  return [
    call('POST /2/tweets', 'write 100 10000', ({ params, caller }) => {
      const draft = check(caller, read(Body, params.values, '$'));
      const made = store.write(() => posts.create(caller.person, draft, caller.client));
      return answer({ data: views.tweet(made) }, 201);
    }),
    call('DELETE /2/tweets/{id}', 'write 50', ({ path, caller }) => {
      const post = posts.get(idOf(path['id']));
      if (post !== undefined && post.page_id !== caller.person) throw forbidden();
      // Deleting a post twice is not an error.
      if (post !== undefined) store.write(() => posts.remove(post));
      return { data: { deleted: true } };
    }),
    call('PUT /2/tweets/{id}/hidden', 'moderate 50', ({ params, path, caller: { person } }) => {
      const { hidden } = read(Hidden, params.values, '$');
      const post = there(path['id']);
      if (posts.get(post.root)?.page_id !== person || post.page_id === person) throw forbidden();
      store.write(() => posts.hide(post, hidden));
      return { data: { hidden } };
    }),
    call('POST /2/users/{id}/likes', 'like 50 1000', (one) =>
      like(one, read(Liked, one.params.values, '$').tweet_id, true),
    ),
    call('DELETE /2/users/{id}/likes/{tweet_id}', 'like 50 1000', (one) => like(one, one.path['tweet_id'], false)),
  ];
}
