/** What the connector asks of Pinterest is what the OpenAPI of Pinterest takes. */
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { pinterest } from '../../src/platforms/pinterest/index.ts';
import type { OutgoingPost } from '../../src/platforms/posts.ts';
import { opened } from '../harness/opened.ts';
import { png } from '../harness/media-samples.ts';
import { scripted } from '../harness/platforms/script.ts';
import { openOracle } from './oracle.ts';

const { flawsOf } = openOracle<'PinCreate' | 'MediaUploadCreate'>('pinterest-v5.json');

const REGISTERED = { media_id: '1', upload_url: 'https://upload.test/', upload_parameters: {} };
const image = { ref: 'picture', kind: 'image', content_type: 'image/png' } as const;
const video = { ref: 'film', kind: 'video', content_type: 'video/mp4' } as const;
const options = { link: 'https://example.org/rye', alt_text: 'Bread', dominant_color: '#AABBCC' };
const POST: OutgoingPost = {
  text: 'Rye',
  title: 'Bread',
  media: [image],
  segments: [],
  visibility: 'public',
  options,
  board_id: '549755885175',
};

/** The body of the request that a step sends. */
async function bodyOf(post: Partial<OutgoingPost>, step: string): Promise<unknown> {
  const { acting, asked } = scripted({ pins: { id: '2' }, media: REGISTERED } as never, {
    hosts: pinterest.hosts.real,
    session: { access_token: 'a' },
    nameOf: ({ url }) => new URL(url).pathname.split('/').at(-1)!,
  });
  const call = {
    ...acting,
    post: { ...POST, ...post },
    done: { register: REGISTERED, board: { asked_at: 0 } },
    kept: undefined,
    keep: async () => {},
    open: async () => opened(png(), 'image/png'),
    link: async () => '',
  };
  await pinterest.posts!.publish.run(call, step);
  const { body } = asked[0]!.request;
  const sent = typeof body === 'object' && 'open' in body ? await text(body.open()) : String(body);
  return JSON.parse(sent);
}

const PINS: Readonly<Record<string, Partial<OutgoingPost>>> = {
  'an image': {},
  'several images': { media: [image, image], options: { ...options, titles: ['One', 'Two'] } },
  'a video with a cover of its own': { media: [video], options: { ...options, cover_time: 2 } },
  'a video with an image for its cover': {
    media: [video],
    options: { ...options, cover: { source: 'picture', source_type: 'media_id' } },
  },
  'an image without words': { text: '', title: undefined, options: {} },
};

it.each(Object.entries(PINS))('a pin of %s is what the OpenAPI takes', async (_, post) => {
  expect(flawsOf('PinCreate', await bodyOf(post, 'pin'))).toEqual([]);
});

it('the upload of a video is registered as the OpenAPI says', async () => {
  expect(flawsOf('MediaUploadCreate', await bodyOf({ media: [video] }, 'register'))).toEqual([]);
});

it('a pin that Pinterest would not take has flaws', () => {
  expect(flawsOf('PinCreate', { board_id: 'my board', media_source: { source_type: 'image_base64' } })).not.toEqual([]);
});
