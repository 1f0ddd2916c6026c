import { mp4, png } from '../harness/media-samples.ts';
import { upload, type Seat } from '../harness/processes.ts';

/** The same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Owner = Readonly<{ platform: 'bluesky' | 'facebook' | 'threads'; person: string; account: string }>;

/** A post to be published, and the calls of its platform that it needs. */
export type Plan = Readonly<{
  text: string;
  kind: string;
  owner: Owner;
  /** What the public is to see, and how often it may: texts, or a story, which shows none. */
  parts: readonly string[] | 'story';
  comment: string | undefined;
  methods: readonly string[];
  input(seat: Seat): Promise<object>;
}>;

type Kind = Readonly<{
  methods: readonly string[];
  second?: true;
  story?: true;
  comment?: true;
  input(seat: Seat, text: string, n: number): Promise<object>;
}>;

const photo = (seat: Seat, n: number) => upload(seat, 'photo.png', 'image/png', png(3, 2, n));
const upright = { handler: 'vide', width: 720, height: 1280 } as const;
const video = (seat: Seat, n: number) =>
  upload(seat, 'video.mp4', 'video/mp4', mp4({ ms: 4000 + n, tracks: [upright] }));
const options = (facebook: object) => ({ platform_data: { facebook } });
const REEL = ['POST page/video_reels', 'POST rupload'];
const FEED = ['POST page/feed', 'POST post'];
const WRITE = 'com.atproto.repo.putRecord';
const CONTAINER = ['POST person/threads', 'GET container', 'POST person/threads_publish'];

const KINDS: Readonly<Record<Owner['platform'], Readonly<Record<string, Kind>>>> = {
  bluesky: {
    text: { methods: [WRITE], input: async () => ({}) },
    image: {
      methods: ['com.atproto.repo.uploadBlob', WRITE],
      input: async (seat, _, n) => ({ media_ids: [await photo(seat, n)] }),
    },
    thread: {
      methods: [WRITE],
      second: true,
      input: async (_, text) => ({ segments: [{ text: `${text}, continued` }] }),
    },
  },
  threads: {
    text: { methods: CONTAINER, input: async () => ({}) },
    carousel: {
      methods: CONTAINER,
      input: async (seat, _, n) => ({ media_ids: [await photo(seat, 2 * n), await video(seat, n)] }),
    },
    thread: {
      methods: [...CONTAINER, 'GET post'],
      second: true,
      input: async (_, text) => ({ segments: [{ text: `${text}, continued` }] }),
    },
    'first comment': {
      methods: CONTAINER,
      comment: true,
      input: async (_, text) => ({ first_comment: `First under ${text}` }),
    },
  },
  facebook: {
    text: { methods: FEED, input: async () => ({}) },
    link: { methods: FEED, input: async () => options({ link: 'https://example.org/news' }) },
    photo: {
      methods: ['POST page/photos', ...FEED],
      input: async (seat, _, n) => ({ media_ids: [await photo(seat, n)] }),
    },
    photos: {
      methods: ['POST page/photos', ...FEED],
      input: async (seat, _, n) => ({ media_ids: [await photo(seat, 2 * n), await photo(seat, 2 * n + 1)] }),
    },
    video: {
      methods: ['POST page/videos', 'POST video'],
      input: async (seat, _, n) => ({ media_ids: [await video(seat, n)] }),
    },
    reel: {
      methods: REEL,
      input: async (seat, _, n) => ({ media_ids: [await video(seat, n)], ...options({ media_type: 'reel' }) }),
    },
    'photo story': {
      methods: ['POST page/photos', 'POST page/photo_stories'],
      story: true,
      input: async (seat, _, n) => ({ media_ids: [await photo(seat, n)], ...options({ media_type: 'stories' }) }),
    },
    'video story': {
      methods: ['POST page/video_stories', 'POST rupload'],
      story: true,
      input: async (seat, _, n) => ({ media_ids: [await video(seat, n)], ...options({ media_type: 'stories' }) }),
    },
    'first comment': {
      methods: [...FEED, 'POST post/comments'],
      comment: true,
      input: async (_, text) => ({ first_comment: `First under ${text}` }),
    },
  },
};

/** So many posts, of every owner and every kind in turn. */
export function plansOf(count: number, owners: readonly Owner[]): readonly Plan[] {
  const made = { bluesky: 0, facebook: 0, threads: 0 };
  return Array.from({ length: count }, (_, n) => {
    const owner = owners[n % owners.length]!;
    const kinds = Object.entries(KINDS[owner.platform]);
    const [kind, { methods, second, story, comment, input }] = kinds[made[owner.platform]++ % kinds.length]!;
    const text = `Soak ${n} of a ${kind}`;
    return {
      text,
      kind: `${owner.platform} ${kind}`,
      owner,
      parts: story ? 'story' : second ? [text, `${text}, continued`] : [text],
      comment: comment && `First under ${text}`,
      methods,
      input: async (seat) => ({ text, account_ids: [owner.account], ...(await input(seat, text, n)) }),
    };
  });
}
