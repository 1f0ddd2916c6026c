/** What Google publishes to Pub/Sub, and how Pub/Sub pushes it to the app. */
import { ISSUER } from '../../googleapis/keys.ts';
import type { GoogleKeys } from '../../googleapis/keys.ts';
import type { GoogleRoute } from '../../googleapis/calls.ts';
import { badRequest, errorInfo, refusal } from '../../googleapis/errors.ts';
import { digits } from '../../kit/ids.ts';
import type { Pushes } from '../../kit/push/pushes.ts';
import { wordsIn } from '../../kit/acts.ts';
import { on } from '../places/routes.ts';
import type { Places } from '../places/places.ts';
import type { Account, MediaItem, Review } from '../docs.ts';
import { badField } from '../refusals.ts';
import { googleTime } from '../world.ts';
import type { World } from '../world.ts';

/** What an account may be notified of. */
const TYPES = Object.freeze([
  'GOOGLE_UPDATE',
  'NEW_REVIEW',
  'UPDATED_REVIEW',
  'NEW_CUSTOMER_MEDIA',
  'NEW_QUESTION',
  'UPDATED_QUESTION',
  'NEW_ANSWER',
  'UPDATED_ANSWER',
  'DUPLICATE_LOCATION',
  'LOSS_OF_VOICE_OF_MERCHANT',
  'VOICE_OF_MERCHANT_UPDATED',
] as const);
type NoticeType = (typeof TYPES)[number];

/** Who pushes. */
export const SERVICE_ACCOUNT = 'pubsub-push@sandbox.iam.gserviceaccount.com';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const HOUR_S = 3600;
/** Pub/Sub waits longer after each failure, and keeps a message for a week. */
const WAITS = Object.freeze([10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 10 * MINUTE]);

/** Where the subscription of every topic pushes to. */
function endpointOf({ settings, options }: World): string {
  return settings.get('push_endpoint') || `${options.productUrl().replace(/\/+$/, '')}/push/google`;
}

/** Begins the pushes of a twin: each a message of Pub/Sub with a JWT that says who pushes to whom. */
export function startPushes(world: World, pushes: Pushes, keys: GoogleKeys): void {
  const { settings, options } = world;
  function claims(url: string): object {
    const iat = Math.floor(options.clock.now() / 1000) - (settings.get('push_expired') ? 2 * HOUR_S : 0);
    const aud = settings.get('push_wrong_audience')
      ? 'https://elsewhere.example'
      : settings.get('push_audience') || url;
    const who = { azp: digits(21), email: SERVICE_ACCOUNT, email_verified: true };
    return { iss: ISSUER, aud, ...who, sub: who.azp, iat, exp: iat + HOUR_S };
  }
  pushes.start({
    bundle: (updates) =>
      updates.map(({ item, at }) => {
        const data = Buffer.from(JSON.stringify((item as { data: object }).data)).toString('base64');
        const { topic } = item as { topic: string };
        const [id, time] = [digits(16), googleTime(at)];
        const message = { data, attributes: {}, messageId: id, message_id: id, publishTime: time, publish_time: time };
        const subscription = topic.replace(/\/topics\/.*/, '/subscriptions/rostra');
        return { url: endpointOf(world), body: JSON.stringify({ message, subscription }) };
      }),
    request({ url, body }, isWrong) {
      const jwt = { authorization: `Bearer ${keys.sign(claims(url), isWrong)}` };
      const proof = settings.get('push_unsigned') ? {} : jwt;
      return { url, body, headers: { ...proof, 'content-type': 'application/json', from: 'noreply@google.com' } };
    },
    waits: WAITS,
    lastTry: 7 * DAY,
  });
}

export type Notices = ReturnType<typeof makeNotices>;

/** Tells each account of a location what it asked to be told, under its own name for the location. */
export function makeNotices({ docs, settings }: World, pushes: Pushes) {
  function notify(
    location: string,
    type: NoticeType,
    thing?: Readonly<{ kind: 'review' | 'media'; id: string }>,
  ): void {
    for (const id of docs.get('location', location)?.accounts ?? []) {
      const { topic, notices = [] } = docs.get('account', id)!;
      if (topic === undefined || !notices.includes(type)) continue;
      const name = `accounts/${id}/locations/${location}`;
      const isCamel = settings.get('push_camel_case');
      const below =
        thing === undefined
          ? undefined
          : `${name}/${thing.kind === 'review' ? 'reviews' : 'media/customers'}/${thing.id}`;
      const named = {
        [isCamel ? 'locationName' : 'location_name']: name,
        ...(thing?.kind === 'review' && { [isCamel ? 'reviewName' : 'review_name']: below }),
        ...(thing?.kind === 'media' && { [isCamel ? 'mediaItemName' : 'media_item_name']: below }),
      };
      pushes.add({ page_id: id, kind: 'notice', item: { topic, data: { name, notificationType: type, ...named } } });
    }
  }
  return Object.freeze({
    review: ({ id, page_id }: Review, type: 'NEW_REVIEW' | 'UPDATED_REVIEW') =>
      notify(page_id, type, { kind: 'review', id }),
    photo: ({ id, page_id }: MediaItem) => notify(page_id, 'NEW_CUSTOMER_MEDIA', { kind: 'media', id }),
    location: (id: string, type: NoticeType) => notify(id, type),
  });
}

const shown = ({ id, topic, notices = [] }: Account): object => ({
  name: `accounts/${id}/notificationSetting`,
  ...(topic !== undefined && { pubsubTopic: topic }),
  ...(notices.length > 0 && { notificationTypes: notices }),
});

/** The routes of `mybusinessnotifications.googleapis.com`. */
export function noticeRoutes({ docs, options, settings }: World, places: Places): readonly GoogleRoute[] {
  function refused(reason: string, message: string) {
    const violation = badRequest([{ field: 'notification_setting.pubsub_topic', description: message }]);
    return refusal('INVALID_ARGUMENT', message, [errorInfo(reason), violation]);
  }
  function topicOf(given: string | undefined): string | undefined {
    if (given === undefined || given === '') return undefined;
    if (!/^projects\/[a-z][\w.:-]{3,}\/topics\/[A-Za-z][\w.~+%-]{2,254}$/.test(given))
      throw refused('INVALID_PUBSUB_TOPIC', 'The Pub/Sub topic is not valid.');
    if ((wordsIn(settings.get('closed_topics')) ?? []).includes(given))
      throw refused('PUBLISH_PERMISSIONS_MISSING_FOR_PUBSUB_TOPIC', 'Google may not publish to the Pub/Sub topic.');
    return given;
  }
  function typesOf(given: readonly unknown[]): readonly NoticeType[] {
    const known = given.flatMap((one) => TYPES.find((type) => type === one) ?? []);
    if (known.length < given.length) throw badField('notification_setting.notification_types', 'Invalid value.');
    return known;
  }
  const path = '/v1/accounts/{account}/notificationSetting';
  return [
    on('GET', path, [], ({ caller, path: { account = '' } }) => shown(places.accountFor(caller, account))),
    on(
      'PATCH',
      path,
      ['updateMask', 'name', 'pubsubTopic', 'notificationTypes'],
      ({ caller, params, path: { account = '' } }) => {
        const { id } = places.accountFor(caller, account);
        const mask = wordsIn(params.text('updateMask')) ?? [];
        if (mask.length === 0) throw badField('update_mask', 'The update mask is missing.');
        const change: { topic?: string | undefined; notices?: readonly NoticeType[] } = {};
        for (const field of mask)
          if (/^pubsub_?[tT]opic$/.test(field)) change.topic = topicOf(params.text('pubsubTopic'));
          else if (/^notification_?[tT]ypes$/.test(field))
            change.notices = typesOf(params.list('notificationTypes') ?? []);
          else throw badField('update_mask', `Invalid field: ${field.slice(0, 80)}`);
        return shown(options.store.write(() => docs.change('account', id, change as Partial<Account>)));
      },
    ),
  ];
}
