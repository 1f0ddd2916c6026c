/** Posts, people, files and messages with their requested fields, and in the format of the older API. */
import { isoTime } from '#kernel/clock.ts';
import { weightedLength } from '#kernel/text/weighted.ts';
import { makeShow, nothing, present, some, type Expansion, type Kind, type Look } from '../kit/api/fields.ts';
import {
  mediaKey,
  mediaKind,
  type Fields,
  type Medium,
  type Message,
  type Post,
  type PostText,
  type User,
} from './docs.ts';
import type { Users, World } from './world.ts';

export type Views = ReturnType<typeof makeViews>;

const PRIVATE_MS = 30 * 86_400_000;
/** Fields that only the author can see, and only for a month. */
export const PRIVATE = ['non_public_metrics', 'organic_metrics'] as const;
export const SHORT = 280;
const CLICKS = { url_link_clicks: 0, user_profile_clicks: 0 };

function mediaLook({ docs, hosts }: World): Look<Medium> {
  const isPhoto = ({ category }: Medium) => mediaKind(category) === 'photo';
  /** Files of messages can be downloaded only with a login. */
  function urlOf({ id, blob = '', category }: Medium): string {
    const sent = category.startsWith('dm_') ? docs.list('message').find(({ media }) => media === id) : undefined;
    if (sent === undefined) return `${hosts.cdn()}/${blob}`;
    return `${hosts.api()}/2/dm_conversations/media/${sent.id}/${id}/${blob}`;
  }
  const film = (show: (one: Medium) => unknown) => (one: Medium) => (isPhoto(one) ? undefined : show(one));
  return {
    media_key: mediaKey,
    type: ({ category }) => mediaKind(category),
    url: (one) => (isPhoto(one) ? urlOf(one) : undefined),
    preview_image_url: film(({ id }) => `${hosts.cdn()}/picture/${id}.png`),
    variants: film((one) => [{ bit_rate: 832_000, content_type: one.mime, url: urlOf(one) }]),
    duration_ms: film(() => 3000),
    alt_text: ({ alt }) => alt,
    ...nothing('width', 'height', 'public_metrics', 'non_public_metrics', 'organic_metrics'),
  };
}

function userLook({ docs, hosts, people }: World, users: Users): Look<User> {
  const tweets = (id: string) => docs.listLive('post', { page: id }).length;
  return {
    id: ({ id }) => id,
    name: ({ name }) => name,
    username: users.nameOf,
    created_at: ({ at }) => isoTime(at),
    description: ({ name }) => `${name} of the sandbox`,
    profile_image_url: ({ id }) => `${hosts.cdn()}/picture/${id}.png`,
    protected: () => false,
    verified: ({ premium = false }) => premium,
    verified_type: ({ premium = false }) => (premium ? 'blue' : 'none'),
    subscription_type({ premium, id }, viewer) {
      if (id !== viewer) return undefined;
      return premium ? 'Premium' : 'None';
    },
    public_metrics: ({ id, owner }) => {
      const followers_count = owner ? people.followers().length : 0;
      return { followers_count, following_count: 0, tweet_count: tweets(id), listed_count: 0, like_count: 0 };
    },
    ...nothing('entities', 'location', 'pinned_tweet_id', 'url', 'withheld'),
  };
}

function postNode({ docs, options: { clock } }: World): Look<Post> {
  const counts = ({ views, likes, reposts, id }: Post) => {
    const reply_count = docs.listLive('post', { parent: id }).length;
    return { impression_count: views, like_count: likes.length, retweet_count: reposts.length, reply_count };
  };
  const own = (show: (post: Post) => Fields) => (post: Post, viewer: string) =>
    post.page_id === viewer && post.at > clock.now() - PRIVATE_MS ? show(post) : undefined;
  const isLong = ({ words }: Post) => weightedLength(words) > SHORT;
  const related = (type: string, id: string) => (id === '' ? [] : [{ type, id }]);
  return {
    id: ({ id }) => id,
    text: (post) => (isLong(post) ? post.text.slice(0, SHORT).replace(/\s+\S*$/u, '') : post.text),
    note_tweet: (post) => (isLong(post) ? { text: post.text, entities: post.entities } : undefined),
    edit_history_tweet_ids: ({ id }) => [id],
    author_id: ({ page_id }) => page_id,
    created_at: ({ at }) => isoTime(at),
    conversation_id: ({ root }) => root,
    in_reply_to_user_id: ({ parent_id }) => docs.get('post', parent_id)?.page_id,
    referenced_tweets: ({ parent_id, quoted = '' }) =>
      some([...related('quoted', quoted), ...related('replied_to', parent_id)]),
    attachments: ({ media, poll, id }) =>
      present({ media_keys: some(media.map((one) => mediaKey(docs.get('medium', one)!))), poll_ids: poll && [id] }),
    entities: ({ entities }) => present(entities),
    public_metrics: (post) => ({ ...counts(post), quote_count: post.quotes, bookmark_count: 0 }),
    non_public_metrics: own(({ views, likes }) => ({ impression_count: views, engagements: likes.length, ...CLICKS })),
    organic_metrics: own((post) => ({ ...counts(post), ...CLICKS })),
    reply_settings: ({ reply_settings }) => reply_settings,
    lang: () => 'en',
    ...nothing('promoted_metrics', 'source', 'context_annotations', 'geo', 'withheld', 'card_uri', 'edit_controls'),
    ...nothing('possibly_sensitive', 'display_text_range', 'community_id'),
  };
}

const messageLook = ({ docs }: World): Look<Message> => ({
  id: ({ id }) => id,
  text: ({ text }) => text,
  event_type: () => 'MessageCreate',
  created_at: ({ at }) => isoTime(at),
  sender_id: ({ by }) => by,
  dm_conversation_id: ({ page_id }) => page_id,
  attachments: ({ media }) => media && { media_keys: [mediaKey(docs.get('medium', media)!)] },
  entities: ({ entities }) => present(entities),
  ...nothing('participant_ids', 'referenced_tweets'),
});

const POLL: Look<Post> = {
  id: ({ id }) => id,
  options: ({ poll }) => poll?.options.map((label, at) => ({ position: at + 1, label, votes: 0 })),
  duration_minutes: ({ poll }) => poll?.minutes,
  end_datetime: ({ poll, at }) => isoTime(at + (poll?.minutes ?? 0) * 60_000),
  ...nothing('voting_status'),
};

/** What posts and messages can include. */
const expansionsOf = ({ docs }: World): Readonly<Record<string, Expansion>> => ({
  author_id: { to: 'user', ids: ({ page_id }: Post) => page_id },
  in_reply_to_user_id: { to: 'user', ids: ({ parent_id }: Post) => docs.get('post', parent_id)?.page_id },
  'entities.mentions.username': { to: 'user', ids: ({ entities }: Post) => entities.mentions?.map(({ id }) => id) },
  'referenced_tweets.id': { to: 'tweet', ids: ({ parent_id, quoted = '' }: Post) => [parent_id, quoted] },
  'referenced_tweets.id.author_id': { to: 'user', of: 'referenced_tweets.id', ids: ({ page_id }: Post) => page_id },
  'attachments.media_keys': { to: 'media', ids: ({ media }: Post | Message) => media },
  'attachments.poll_ids': { to: 'poll', ids: ({ poll, id }: Post) => poll && id },
  sender_id: { to: 'user', ids: ({ by }: Message) => by },
  participant_ids: { to: 'user', ids: ({ participants }: Message) => participants },
  ...Object.fromEntries(
    ['edit_history_tweet_ids', 'geo.place_id'].map((name) => [name, { to: 'tweet', ids: () => [] }]),
  ),
});

/** Makes messages for events, as the account `viewer` sees them. */
function makeMessageEvent({ docs }: World, urlOf: (file: Medium) => unknown) {
  const at = <T extends Readonly<{ start: number; end: number }>>({ start, end, ...rest }: T) => {
    return { ...rest, indices: [start, end] };
  };
  const entitiesOf = ({ entities: { urls = [], mentions = [], hashtags = [] } }: PostText) => ({
    urls: urls.map(at),
    user_mentions: mentions.map(({ id, username, ...span }) => ({ ...at(span), screen_name: username, id_str: id })),
    hashtags: hashtags.map(({ tag, ...span }) => ({ ...at(span), text: tag })),
  });
  return (message: Message, viewer: string): Fields => {
    const { id, by, participants, text, media = '' } = message;
    const file = docs.get('medium', media);
    const recipient_id = by === viewer ? participants.find((one) => one !== by) : viewer;
    const medium = file && { id_str: media, media_url_https: urlOf(file), type: mediaKind(file.category) };
    const attachment = medium && { attachment: { type: 'media', media: medium } };
    const message_data = { text, entities: entitiesOf(message), ...attachment };
    const message_create = { target: { recipient_id }, sender_id: by, message_data };
    return { type: 'message_create', id, created_timestamp: String(message.at), message_create };
  };
}

const WHOLE = `author_id created_at conversation_id in_reply_to_user_id referenced_tweets attachments entities
  public_metrics`.split(/\s+/);

const WHOLE_USER = ['created_at', 'description', 'profile_image_url', 'protected', 'public_metrics', 'verified'];

export function makeViews(world: World, users: Users) {
  const { docs } = world;
  const post = (id: string): Post | undefined => docs.getLive('post', id);
  const tweet: Kind<Post> = {
    look: postNode(world),
    usual: ['id', 'text', 'edit_history_tweet_ids'],
    list: 'tweets',
    get: post,
  };
  const user: Kind<User> = {
    look: userLook(world, users),
    usual: ['id', 'name', 'username'],
    list: 'users',
    get: users.get,
  };
  const media = mediaLook(world);
  const kinds = {
    tweet,
    user,
    media: { look: media, usual: ['media_key', 'type'], get: (id: string) => docs.get('medium', id) },
    dm_event: { look: messageLook(world), usual: ['id', 'text', 'event_type'] },
    poll: { look: POLL, usual: ['id', 'options'], list: 'polls', get: post },
  };
  const show = { tweet: makeShow(tweet), user: makeShow(user) };
  return Object.freeze({
    kinds,
    expansions: expansionsOf(world),
    ...show,
    wholePost: (one: Post): Fields => show.tweet(one, WHOLE),
    wholeUser: (id: string): Fields => show.user(users.get(id)!, WHOLE_USER),
    messageEvent: makeMessageEvent(world, (file) => media['url']?.(file, '')),
  });
}
