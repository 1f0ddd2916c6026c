import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import type { AccountCall } from '../call.ts';
import type { InboundEvent } from '../inbound.ts';
import type { BubbleRequest, Messages, SentMessage } from '../messages.ts';
import type { PlatformConversation } from '../inbox-types.ts';
import { refused, unfit } from '../shared/errors.ts';
import { dataOf, instant, word } from '../shared/fields.ts';
import { isNewer } from '../shared/inbox/newest.ts';
import type { RestRequest, Path } from '../shared/rest.ts';
import { clockOf, isSameText, onlyMatch } from '../shared/settle.ts';
import { request, Id, sessionOf, timeIn } from './api.ts';
import {
  type IncludedObjects,
  EXPANSIONS,
  Entities,
  filesOf,
  Keys,
  personOf,
  readPage,
  type Viewer,
  writtenText,
} from './tweets.ts';
import { files, upload } from './upload.ts';

const LONGEST_TEXT = 10_000;
const max_results = 50;

const DmEvent = z.object({
  id: Id,
  text: word,
  created_at: instant,
  dm_conversation_id: z.string().min(1),
  sender_id: Id,
  participant_ids: z.array(Id).catch([]),
  entities: Entities,
  attachments: Keys,
});
export type DmEvent = z.output<typeof DmEvent>;

const FIELDS = {
  event_types: 'MessageCreate',
  'dm_event.fields': 'id,text,event_type,created_at,dm_conversation_id,sender_id,participant_ids,attachments,entities',
  expansions: 'sender_id,attachments.media_keys,participant_ids',
  ...EXPANSIONS,
} as const;

/** Reads messages of the account or of one conversation, newest first. */
export const readEvents = (call: AccountCall, { query, ...where }: Path & Pick<RestRequest, 'query'>) =>
  readPage(call, { ...where, query: { ...FIELDS, ...query } }, DmEvent);

/** The id of a conversation between two accounts, of which the older one comes first. */
export const between = (one: string, other: string): string =>
  (isNewer(one, other) ? [other, one] : [one, other]).join('-');

/** Matches the URL of a file that needs the login; its reference consists of message, file and version. */
const OWN_FILE = /\/(?:dm|dm_conversations\/media)\/(\d+\/\d+\/[\w.-]+)$/;

/** Converts a message; a file that needs the login gets a reference in place of a URL. */
export function messageEvent(viewer: Viewer, event: DmEvent, includes: IncludedObjects): InboundEvent {
  const { me } = viewer;
  const other = [...event.participant_ids, event.sender_id, ...event.dm_conversation_id.split('-')].find(
    (id) => id !== me,
  );
  const attachments = filesOf(event, includes).map(({ type, url }) => {
    const [, ref] = OWN_FILE.exec(url) ?? [];
    return ref === undefined ? { type, url } : { type, ref };
  });
  return {
    kind: 'message',
    conversation: { platform_id: event.dm_conversation_id, participant: personOf(viewer, includes, other ?? me) },
    message: {
      platform_id: event.id,
      direction: event.sender_id === me ? 'outgoing' : 'incoming',
      text: writtenText(event),
      attachments,
      created_at: Date.parse(event.created_at),
    },
  };
}

/** The path of a conversation; one with a single person is addressed by that person, even if it is new. */
function pathOf({ platform_id, participant: { id } }: PlatformConversation, what: 'messages' | 'dm_events'): Path {
  return platform_id.includes('-')
    ? { path: `/2/dm_conversations/with/{person}/${what}`, ids: { person: id } }
    : { path: `/2/dm_conversations/{conversation}/${what}`, ids: { conversation: platform_id } };
}

const Prepared = z.object({ media_id: Id.optional() }).catch({});
const Sent = dataOf(z.object({ dm_event_id: Id }));

function textOf(bubble: BubbleRequest['bubble']): string {
  if (bubble.kind === 'text') return bubble.text;
  return bubble.kind === 'attachment' ? (bubble.caption ?? '') : '';
}

/** Messages with at most one picture or video each. */
export const messages: Messages = {
  parts: {
    text: { max: LONGEST_TEXT, counting: 'chars' },
    attachments: {
      kinds: ['image', 'video'],
      sources: ['media_id', 'url', 'platform_attachment_id'],
      max_bytes: files.max_video_size_bytes,
      captions: true,
    },
  },
  bubble: {
    maxWaitMs: HOUR,
    async prepare(call, { bubble }) {
      if (bubble.kind === 'cards') throw unfit('X has no cards.');
      if (bubble.kind === 'text') return {};
      const { type, media, platform_attachment_id: known } = bubble;
      if (known !== undefined) return { media_id: known };
      if (type !== 'image' && type !== 'video') throw unfit('X accepts pictures and videos in messages.');
      return { media_id: await upload(call, { ref: media!.ref, kind: type, use: 'dm' }) };
    },
    async send(call, { conversation, bubble }, { prepared }): Promise<SentMessage> {
      const { media_id } = Prepared.parse(prepared);
      const text = textOf(bubble).toWellFormed();
      const json = { ...(text !== '' && { text }), ...(media_id !== undefined && { attachments: [{ media_id }] }) };
      const options = { method: 'POST', ...pathOf(conversation, 'messages'), json, makes: 'message' } as const;
      const { dm_event_id: message_id } = await request(call, options, Sent);
      return { message_id };
    },
    async settle(call, { conversation, bubble }, { prepared, sentAt, taken }) {
      const { user_id: me } = sessionOf(call.session);
      const isFile = Prepared.parse(prepared).media_id !== undefined;
      const clock = clockOf(call);
      const { items } = await readEvents(clock.call, { ...pathOf(conversation, 'dm_events'), query: { max_results } });
      const found = onlyMatch(
        items,
        (one) =>
          one.sender_id === me &&
          timeIn(one.id) >= clock.at(sentAt) &&
          one.attachments.media_keys.length > 0 === isFile &&
          isSameText(writtenText(one), textOf(bubble)) &&
          !taken.has(one.id),
      );
      return found === 'unknown' ? found : { message_id: found.id, created_at: Date.parse(found.created_at) };
    },
  },
  async locate(call, ref) {
    if (!OWN_FILE.test(`/dm/${ref}`)) throw refused('not_found');
    const url = `${call.hosts['api']!}/2/dm_conversations/media/${ref}`;
    return { url, headers: { authorization: `Bearer ${sessionOf(call.session).access_token}` } };
  },
};
