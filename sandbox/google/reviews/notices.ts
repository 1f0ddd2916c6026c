import type { GoogleRoute } from '../../googleapis/calls.ts';
import { badField } from '../../googleapis/errors.ts';
import { pathsIn } from '../../googleapis/masks.ts';
import { topicOf, type Published } from '../../googleapis/pubsub.ts';
import { on } from '../places/routes.ts';
import type { Places } from '../places/places.ts';
import type { Account, MediaItem, Review } from '../docs.ts';
import type { World } from '../world.ts';

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

export type Notices = ReturnType<typeof makeNotices>;

/** Sends each account of a location the notifications it has enabled, with that account's name of the location. */
export function makeNotices({ docs, settings, pushes }: World) {
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
      const item: Published = { topic, data: { name, notificationType: type, ...named } };
      pushes.add({ page_id: id, kind: 'notice', item });
    }
  }
  return Object.freeze({
    review: ({ id, page_id }: Review, type: 'NEW_REVIEW' | 'UPDATED_REVIEW') =>
      notify(page_id, type, { kind: 'review', id }),
    photo: ({ id, page_id }: MediaItem) => notify(page_id, 'NEW_CUSTOMER_MEDIA', { kind: 'media', id }),
    location: (id: string, type: NoticeType) => notify(id, type),
  });
}

const viewOf = ({ id, topic, notices = [] }: Account): object => ({
  name: `accounts/${id}/notificationSetting`,
  ...(topic !== undefined && { pubsubTopic: topic }),
  ...(notices.length > 0 && { notificationTypes: notices }),
});

export function noticeRoutes({ docs, options, settings }: World, places: Places): readonly GoogleRoute[] {
  function typesOf(given: readonly unknown[]): readonly NoticeType[] {
    const known = given.flatMap((one) => TYPES.find((type) => type === one) ?? []);
    if (known.length < given.length) throw badField('notification_setting.notification_types', 'Invalid value.');
    return known;
  }
  const path = '/v1/accounts/{account}/notificationSetting';
  return [
    on('GET', path, [], ({ caller, path: { account = '' } }) => viewOf(places.accountFor(caller, account))),
    on(
      'PATCH',
      path,
      ['updateMask', 'name', 'pubsubTopic', 'notificationTypes'],
      ({ caller, params, path: { account = '' } }) => {
        const { id } = places.accountFor(caller, account);
        const mask = pathsIn(params.text('updateMask'));
        if (mask.length === 0) throw badField('update_mask', 'The update mask is missing.');
        const change: { topic?: string | undefined; notices?: readonly NoticeType[] } = {};
        for (const field of mask)
          if (field === 'pubsubTopic') change.topic = topicOf(params.text('pubsubTopic'), { settings });
          else if (field === 'notificationTypes') change.notices = typesOf(params.list('notificationTypes') ?? []);
          else throw badField('update_mask', `Invalid field: ${field.slice(0, 80)}`);
        return viewOf(options.store.write(() => docs.change('account', id, change as Partial<Account>)));
      },
    ),
  ];
}
