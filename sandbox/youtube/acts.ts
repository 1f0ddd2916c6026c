import type { openDailyQuota } from '../googleapis/quota.ts';
import {
  actsIn,
  byName,
  flag,
  long,
  maybe,
  number,
  oneOf,
  optional,
  pick,
  short,
  text,
  type Act,
  type Acts,
  type ActTable,
} from '../kit/acts.ts';
import { pickPerson } from '../kit/action-fields.ts';
import { worldActs } from '../kit/world.ts';
import type { Parts } from './api/calls.ts';
import type { Comments } from './api/comments.ts';
import { ENDINGS, MODERATION, PRIVACY, type Moderation, type Privacy } from './docs.ts';
import { newVideoId, type Login } from './world.ts';

type Quota = ReturnType<typeof openDailyQuota>;
const BUCKETS = ['units', 'inserts'] as const;

function makeActionFields({ world, channels }: Parts) {
  const { people, pickDoc } = world;
  return {
    act: actsIn(world.options.store),
    person: pickPerson('Who', people.find, people.followers),
    channel: pick('Channel', 'channel', channels.find, () =>
      byName(channels.all().map(({ id, title }) => ({ id, name: title }))),
    ),
    owner: pickPerson('Google user', people.find, people.owners),
    video: pickDoc('video', ({ about }) => short(about.title)),
    comment: pickDoc('comment', ({ text: words }) => short(words)),
  };
}
type ActionFields = ReturnType<typeof makeActionFields>;

function viewerActs({ world, channels }: Parts, comments: Comments, { act, ...actionFields }: ActionFields): Acts {
  const { docs } = world;
  const { person, video, comment, channel } = actionFields;
  const state = optional(oneOf('Held for review or taken for spam', MODERATION.slice(0, 3)));
  const count = (label: string) => optional(number(label));
  return {
    comment: act(
      'viewer',
      'Comment on a video',
      { person, video, text: long('Text'), image: maybe('Address of a picture'), state },
      (form) => {
        const how = (form.state ?? 'published') as Moderation;
        const { id } = comments.say(form.video, channels.commenting(form.person), form.text, how);
        return comments.change(id, { image: form.image }).id;
      },
    ),
    reply: act('viewer', 'Reply to a comment', { person, comment, text: long('Text'), state }, (form) => {
      const parent = comments.get(form.comment.parent_id ?? form.comment.id)!;
      const on = comments.videoOf(parent)!;
      const how = (form.state ?? 'published') as Moderation;
      return comments.say(on, channels.commenting(form.person), form.text, how, parent).id;
    }),
    edit_comment: act(
      'viewer',
      'Edit a comment',
      { comment, text: long('Text') },
      (form) => comments.change(form.comment.id, { text: form.text, changed_at: world.options.clock.now() }).id,
    ),
    delete_comment: act('viewer', 'Delete a comment', { comment }, (form) => comments.remove(form.comment.id)),
    like_comment: act(
      'viewer',
      'Like a comment',
      { comment },
      (form) => void comments.change(form.comment.id, { likes: form.comment.likes + 1 }),
    ),
    watch: act(
      'viewer',
      'Watch a video',
      { video, views: count('Views'), likes: count('Likes') },
      ({ video: seen, views = '1', likes = '0' }) =>
        docs.change('video', seen.id, { views: seen.views + Number(views), likes: seen.likes + Number(likes) }),
    ),
    subscribe: act(
      'viewer',
      'Subscribe to a channel',
      { channel, count: count('How many') },
      (to) =>
        void docs.change('channel', to.channel.id, { subscribers: to.channel.subscribers + Number(to.count ?? '1') }),
    ),
  };
}

function ownerActs({ world, channels, hub }: Parts, { act, ...actionFields }: ActionFields): Acts {
  const { docs, files, options } = world;
  const { owner, channel, video } = actionFields;
  const upload: Act = act(
    'owner',
    'Upload a video without the app',
    { channel, title: text('Title'), privacy: optional(oneOf('Who sees it', PRIVACY)) },
    (form) => {
      const at = options.clock.now();
      const about = {
        title: form.title,
        description: '',
        tags: [],
        categoryId: '22',
        madeForKids: false,
        embeddable: true,
        license: 'youtube',
        publicStatsViewable: true,
        containsSyntheticMedia: false,
        privacyStatus: (form.privacy ?? 'public') as Privacy,
      };
      const { id: blob } = files.open('video');
      const versions = [{ action: 'create', at, record: about } as const];
      const made = { id: newVideoId(), at, page_id: form.channel.id, about, blob, ready_at: at, ending: 'processed' };
      const video = docs.put('video', { ...made, views: 0, likes: 0, versions });
      hub.changed(video);
      return video.id;
    },
  );
  return {
    upload,
    delete_video: act('owner', 'Delete a video without the app', { video }, (form) => hub.removed(form.video)),
    set_video: act(
      'owner',
      'Hide likes or close comments',
      { video, hidden_likes: optional(flag('Likes are hidden')), closed: optional(flag('Comments are closed')) },
      (form) =>
        void docs.change('video', form.video.id, { hidesLikes: form.hidden_likes, commentsDisabled: form.closed }),
    ),
    make_channel: act(
      'owner',
      'Make a channel',
      { owner, title: text('Title') },
      (form) => channels.make(form.owner.id, form.title).id,
    ),
  };
}

function networkActs({ world }: Parts, quota: Quota, { act, video }: ActionFields): Acts {
  const { docs, options } = world;
  return {
    process: act(
      'twin',
      'End the processing of a video',
      { video, ending: oneOf('How', ENDINGS) },
      (form) => void docs.change('video', form.video.id, { ready_at: options.clock.now(), ending: form.ending }),
    ),
    spend_quota: act(
      'twin',
      'Spend the quota of the day',
      { bucket: optional(oneOf('Bucket', BUCKETS)), used: number('Used') },
      (form) => quota.set(form.bucket ?? 'units', Number(form.used)),
    ),
  };
}

export function youtubeActs(parts: Parts, comments: Comments, login: Login, quota: Quota, order: Act): ActTable {
  const { world } = parts;
  const actionFields = makeActionFields(parts);
  return {
    acts: {
      ...viewerActs(parts, comments, actionFields),
      ...ownerActs(parts, actionFields),
      ...networkActs(parts, quota, actionFields),
      ...login.acts,
      order,
      ...worldActs(world),
    },
    groups: { viewer: 'What viewers do', owner: 'What owners of channels do', twin: 'How YouTube behaves' },
  };
}
