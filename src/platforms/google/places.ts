import * as z from 'zod';
import type { AddedPlaceMedia, PlaceMedia, Places } from '../business.ts';
import type { AccountCall } from '../call.ts';
import { googleCall } from '../googleapis/api.ts';
import type { Issue } from '../posts.ts';
import type { PrepareCall } from '../sending.ts';
import { unfit } from '../shared/errors.ts';
import { instant, readable } from '../shared/fields.ts';
import { isSameText, onlyMatch, secondOf } from '../shared/settle.ts';
import { request, atLocation } from './api.ts';
import { MediaItem } from './media-items.ts';

const IMAGES = Object.freeze(['image/jpeg', 'image/png']);
export const SMALLEST_IMAGE_BYTES = 10 * 1024;
export const LARGEST_IMAGE_BYTES = 5 * 1024 * 1024;
const LEAST_PIXELS = 250;
const LARGEST_VIDEO_BYTES = 75 * 1024 * 1024;
const LONGEST_VIDEO_MS = 30_000;
const LONGEST_DESCRIPTION = 1000;
const LISTED = 100;

/** A URL from which Google fetches the file, or the name of a file already uploaded. */
const Source = z.union([z.object({ sourceUrl: z.string() }), z.object({ resourceName: z.string() })]);

type File = Readonly<{ kind: string }> &
  Partial<Pick<PlaceMedia['media'], 'content_type' | 'size_bytes' | 'width' | 'height' | 'duration_ms'>>;

export function tooSmall({ size_bytes: size, width, height }: Omit<File, 'kind'>): readonly string[] {
  const short = Math.min(width ?? Infinity, height ?? Infinity);
  return [
    ...((size ?? Infinity) < SMALLEST_IMAGE_BYTES ? ['Google accepts photos of at least 10 KB.'] : []),
    ...(short < LEAST_PIXELS ? [`Google accepts photos of at least ${LEAST_PIXELS} pixels on each side.`] : []),
  ];
}

function fileIssues(file: File): readonly string[] {
  const { kind, content_type: type, size_bytes: size = 0, duration_ms: duration = 0 } = file;
  if (kind === 'image') {
    const isTaken = type === undefined || IMAGES.includes(type);
    return [
      ...(isTaken ? [] : [`Google accepts photos as JPEG or PNG (${type}).`]),
      ...(size > LARGEST_IMAGE_BYTES ? ['Google accepts photos of at most 5 MB.'] : []),
      ...tooSmall(file),
    ];
  }
  return [
    ...(type?.startsWith('video/') === false ? [`This is not a video (${type}).`] : []),
    ...(size > LARGEST_VIDEO_BYTES ? ['Google accepts videos of at most 75 MB.'] : []),
    ...(duration > LONGEST_VIDEO_MS ? ['Google accepts videos of at most 30 seconds.'] : []),
  ];
}

function check({ description = '', media }: PlaceMedia): readonly Issue[] {
  const issues = fileIssues(media).map((message) => ({ field: 'media.0', message }));
  if (description.length <= LONGEST_DESCRIPTION) return issues;
  return [...issues, { field: 'description', message: `Google accepts at most ${LONGEST_DESCRIPTION} characters.` }];
}

/** Uploads an item to Google and returns the name that Google gives it. */
async function upload(call: PrepareCall, { ref, kind }: PlaceMedia['media']): Promise<z.output<typeof Source>> {
  const file = await call.open(ref);
  const [issue] = fileIssues({ ...file, kind, size_bytes: file.size });
  if (issue !== undefined) throw unfit(issue);
  const Started = z.object({ resourceName: z.string().min(1) });
  const { resourceName } = await atLocation(call, { path: '/media:startUpload' }, { method: 'POST' }, Started);
  // The name contains slashes, which stay in the path; other special characters are refused.
  if (!/^[\w.:~=+@$!*/-]{1,1000}$/.test(resourceName) || resourceName.includes('..'))
    throw unfit('Google returned an unusable name.');
  const body = { type: file.content_type, content: { length: file.size, open: () => file.stream() } };
  const names = Object.fromEntries(resourceName.split('/').map((part, at) => [`part${at}`, part]));
  const path = `/upload/v1/media/${Object.keys(names)
    .map((name) => `{${name}}`)
    .join('/')}`;
  const options = {
    method: 'POST',
    host: 'mybusiness',
    path,
    ids: names,
    query: { upload_type: 'media' },
    body,
  } as const;
  await request(googleCall(call), options, z.unknown());
  return { resourceName };
}

const addedOf = (item: MediaItem, { category, description = '', media }: PlaceMedia, now: number): AddedPlaceMedia => {
  const { attribution, dimensions, googleUrl: url = '', thumbnailUrl } = item;
  return {
    id: item.name,
    category: item.locationAssociation?.category ?? category,
    description: item.description || description,
    created_at: item.createTime === undefined ? now : Date.parse(item.createTime),
    width_pixels: dimensions?.widthPixels,
    height_pixels: dimensions?.heightPixels,
    thumbnail_url: thumbnailUrl ?? url,
    media: { type: media.kind === 'video' ? 'video' : 'image', url },
    attribution: attribution && {
      profile_name: attribution.profileName,
      profile_photo_url: attribution.profilePhotoUrl,
      profile_url: attribution.profileUrl,
      takedown_url: attribution.takedownUrl,
    },
  };
};

const formatOf = ({ media }: PlaceMedia): string => (media.kind === 'video' ? 'VIDEO' : 'PHOTO');

const Listed = z.object({ mediaItems: z.array(z.unknown()).default([]) });
const listMedia = async (call: AccountCall): Promise<readonly MediaItem[]> => {
  const query = { pageSize: LISTED };
  const { mediaItems } = await atLocation(call, { path: '/media' }, { method: 'GET', query }, Listed);
  return readable(MediaItem.extend({ createTime: instant }), mediaItems);
};

export const places = Object.freeze<Places>({
  check,
  addMedia: {
    async prepare(call, { media }) {
      if (media.source_type === 'url') return { sourceUrl: media.ref };
      return media.source_type === 'media_id' ? upload(call, media) : { resourceName: media.ref };
    },
    async send(call, item, { prepared }) {
      const source = Source.parse(prepared);
      const json = {
        mediaFormat: formatOf(item),
        locationAssociation: { category: item.category },
        ...(item.description && { description: item.description }),
        ...('sourceUrl' in source ? source : { dataRef: source }),
      };
      return addedOf(
        await atLocation(call, { path: '/media' }, { method: 'POST', json, edit: true }, MediaItem),
        item,
        call.now(),
      );
    },
    async settle(call, item, { sentAt, taken }) {
      const found = onlyMatch(
        await listMedia(call),
        ({ name, mediaFormat, locationAssociation, description, createTime }) =>
          mediaFormat === formatOf(item) &&
          locationAssociation?.category === item.category &&
          isSameText(description, item.description ?? '') &&
          Date.parse(createTime!) >= secondOf(sentAt) &&
          !taken.has(name),
      );
      return found === 'unknown' ? found : addedOf(found, item, call.now());
    },
  },
});
