import { mp4, png } from '../harness/media-samples.ts';
import type { Json } from '../harness/world.ts';
import type { Door, PostCase, Seen, Subject } from '../platforms/conformance/subject.ts';
import { SLUG } from './slug.ts';

const PEOPLE = ['ada', 'ben'] as const;

export const act = ({ control }: Door, name: string, input: object): Promise<Json> => control(`${SLUG}/${name}`, input);
export const list = ({ control }: Door, name: string): Promise<readonly Json[]> => control(`${SLUG}/${name}`);

/** Goes through consent as a browser does; answers where it ends. */
export async function consent(door: Door, person: string, ask: object = {}): Promise<URLSearchParams> {
  const redirect_uri = 'https://app.example.org/done';
  const begun = await door.rest('POST /v1/accounts/connect', { platform: SLUG, redirect_uri, ...ask });
  const page = await fetch(begun.body.auth_url);
  const url = /href="([^"]*\/www\?[^"]*)"/.exec(await page.text())![1]!.replaceAll('&amp;', '&');
  const { location } = await act(door, 'consent', { url, person });
  const cookie = page.headers.get('set-cookie')!.split(';')[0]!;
  const back = await fetch(location, { redirect: 'manual', headers: { Cookie: cookie } });
  return new URL(back.headers.get('location')!).searchParams;
}

export async function connect(door: Door, nth: number) {
  const person = PEOPLE[nth]!;
  const end = await consent(door, person);
  if (end.get('status') !== 'success') throw new Error(end.toString());
  return { account: end.get('account_id')!, person };
}

export const partOf = (all: readonly Json[], text: string): Seen => {
  const found = all.filter((one) => one.text === text);
  return { now: found.filter(({ gone }) => gone !== true).length, ever: found.length };
};
const seen: PostCase['seen'] = async (door, text) => [partOf(await list(door, 'post'), text)];

const numberIn = (text: string) => Number(/\d+$/.exec(text)![0]);
export const posts: Subject['posts'] = {
  text: { input: () => ({}), seen },
  photo: {
    input: async (door, text) => ({
      media_ids: [await door.upload('a.png', 'image/png', png(3, 2, numberIn(text)))],
    }),
    seen,
  },
  images: {
    input: async (door, text) => ({
      media_ids: [
        await door.upload('a.png', 'image/png', png(3, 2, 70_000 + numberIn(text))),
        await door.upload('b.png', 'image/png', png(3, 2, numberIn(text))),
      ],
    }),
    seen,
    cutIn: 2,
  },
  video: {
    input: async (door, text) => ({
      media_ids: [
        await door.upload(
          'a.mp4',
          'video/mp4',
          mp4({ ms: 1000 + numberIn(text), tracks: [{ handler: 'vide', width: 9, height: 9 }] }),
        ),
      ],
    }),
    seen,
  },
  'thread with a first comment': {
    input: (_door, text) => ({ segments: [{ text: `Below ${text}` }], first_comment: `First below ${text}` }),
    seen: async (door, text) => [
      ...(await seen(door, text)),
      ...(await seen(door, `Below ${text}`)),
      { ...partOf(await list(door, 'comment'), `First below ${text}`), optional: true },
    ],
  },
};
