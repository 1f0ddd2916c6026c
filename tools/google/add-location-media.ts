import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { id, time } from '../fields.ts';
import type { Module } from '../modules.ts';
import { callerOf, PLATFORM_ERRORS } from '../platform-calls.ts';

/** Where Google displays location media. */
const CATEGORIES = [
  'ADDITIONAL',
  'COVER',
  'PROFILE',
  'LOGO',
  'EXTERIOR',
  'INTERIOR',
  'PRODUCT',
  'AT_WORK',
  'FOOD_AND_DRINK',
  'MENU',
  'COMMON_AREA',
  'ROOMS',
  'TEAMS',
] as const;

const Item = z.object({
  type: z.enum(['image', 'video']),
  source: z.string().min(1).max(4096).describe('Media id, http(s) address, or resource name of an upload to Google.'),
  source_type: z.enum(['url', 'media_id', 'platform_attachment_id']).default('url'),
});

export const addLocationMedia = defineTool({
  name: 'add_location_media',
  summary: 'Add one photo or video to a location of Google Business Profile; 10 edits a minute are allowed.',
  http: { method: 'POST', path: '/platforms/google/accounts/{account_id}/media', status: 201 },
  effect: 'create',
  act: 'post',
  openWorld: true,
  access: { scope: 'posts:write' },
  needs: 'location media',
  input: z.object({
    account_id: id('account'),
    category: z.enum(CATEGORIES).default('ADDITIONAL').describe('Where Google shows it.'),
    description: z.string().trim().max(1000).optional().describe('What it shows.'),
    media: z.array(Item).length(1).describe('Exactly one.'),
  }),
  output: z.looseObject({
    id: z.string(),
    category: z.string(),
    description: z.string(),
    created_at: time,
    height_pixels: z.int(),
    width_pixels: z.int(),
    thumbnail_url: z.string(),
    media: z.looseObject({ type: z.enum(['image', 'video']), url: z.string() }),
    attribution: z.looseObject({
      profile_name: z.string(),
      profile_photo_url: z.string(),
      profile_url: z.string(),
      takedown_url: z.string(),
    }),
  }),
  errors: [...PLATFORM_ERRORS, 'media.not_found', 'media.not_ready'],
  async run({ account_id, media, ...item }, call, { places }: Module<'places'>) {
    return places.addMedia(callerOf(call), account_id, { ...item, media: media[0]! });
  },
  async resume(begun: SendBegun, { account_id, media, ...item }, call, { places }) {
    return places.addMedia(callerOf(call), account_id, { ...item, media: media[0]! }, begun);
  },
});
