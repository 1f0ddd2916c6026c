import { accountNamed } from '#db/access/accounts.ts';
import type { MediaRef } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import { refuseDead } from '#call/accounts.ts';
import type { MediaSource } from '#call/ports.ts';
import { partOf, type SendBegun, type SendContext, type Sends } from '#call/sends.ts';
import { isoTime } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { AddedPlaceMedia, PlaceMedia, Places as PlaceCalls } from '#platforms/business.ts';
import { capabilityOf, type Platforms } from '#platforms/lookup.ts';

type PlaceDeps = Readonly<{
  store: Store;
  platforms: Platforms;
  media: Pick<MediaSource, 'describe'>;
  sends: Sends;
}>;

/** A photo or video for a place of business. */
export type PlaceMediaRequest = Readonly<{ category: string; description?: string | undefined; media: MediaRef }>;

export function makePlaces({ store, platforms, media, sends }: PlaceDeps) {
  async function add(
    { authority, workspace, signal }: SendContext,
    id: string,
    request: PlaceMediaRequest,
    begun?: SendBegun,
  ) {
    const account = await accountNamed(store.db, authority, id);
    const places = capabilityOf(platforms, account, 'places.add_media', (platform) => platform.places);
    refuseDead(account);
    const [described] = await media.describe(account.workspace_id, [request.media], () => 'media.0');
    const item: PlaceMedia = { ...request, media: { ...described!, source_type: request.media.source_type } };
    refuseUnfit(places, item);
    return sends.send<AddedPlaceMedia>(
      {
        kind: 'place_media',
        account,
        workspace,
        metered: false,
        begun,
        request: { place: request.category, content: request },
        parts: [partOf(places.addMedia, item)],
        idOf: (made) => made.id,
      },
      signal,
    );
  }

  return Object.freeze({
    async addMedia(call: SendContext, accountId: string, request: PlaceMediaRequest, begun?: SendBegun) {
      const { made } = await sends.settle(begun, call.signal, () => add(call, accountId, request, begun));
      return presentMedia(made[0]!);
    },
  });
}

/** Refuses an item with the first reason for which the platform would refuse it. */
function refuseUnfit(places: PlaceCalls, item: PlaceMedia): void {
  const { kind } = item.media;
  if (kind !== 'image' && kind !== 'video') invalid('media.0', `A place shows photos and videos (${kind}).`);
  const [issue] = places.check(item);
  if (issue !== undefined) invalid(issue.field, issue.message);
}

function invalid(field: string, message: string): never {
  fail('validation.field_invalid', { message: `${field}: ${message}`, meta: { field } });
}

function presentMedia({ created_at, width_pixels, height_pixels, attribution, ...item }: AddedPlaceMedia) {
  const { profile_name = '', profile_photo_url = '', profile_url = '', takedown_url = '' } = attribution ?? {};
  return {
    ...item,
    created_at: isoTime(created_at),
    width_pixels: width_pixels ?? 0,
    height_pixels: height_pixels ?? 0,
    attribution: { profile_name, profile_photo_url, profile_url, takedown_url },
  };
}

export type Places = ReturnType<typeof makePlaces>;
