import { expect } from 'vitest';
import { withValue, type Path } from '#test/harness/calls/inputs.ts';
import type { Push, PushRequest } from '#platforms/push.ts';
import { openStage, setUp } from '../stage.ts';
import type { Subject } from '../subject.ts';

/** What a plain object answers to without having been given it. */
const WORDS = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];
/** So many places of texts are tried; the soak tries them all. */
const MOST = 120;
/** Has a push count as signed by its platform, whatever its body is. */
const SIGNED = 'x-as-signed';

/** A text in the body of a push, and the body with a word in its place. */
type Spot = Readonly<{ name: string; put(word: string): string }>;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Every text in what is JSON or XML, also in JSON that stands in a text as it is or in base64. */
function spotsOf(text: string): readonly Spot[] {
  if (text.startsWith('<')) return elementsOf(text);
  if (text.startsWith('{') || text.startsWith('[')) return leavesOf(parsed(text));
  const plain = Buffer.from(text, 'base64').toString('utf8');
  if (!plain.startsWith('{')) return [];
  return spotsOf(plain).map(({ name, put }) => ({ name, put: (word) => Buffer.from(put(word)).toString('base64') }));
}

const elementsOf = (xml: string): readonly Spot[] =>
  [...xml.matchAll(/<([^<>\s]+)[^<>]*>([^<>]*[^<>\s][^<>]*)(?=<)/g)].map(({ index, 0: whole, 1: name, 2: text }) => {
    const end = index + whole.length;
    return { name: name!, put: (word) => xml.slice(0, end - text!.length) + word + xml.slice(end) };
  });

function leavesOf(value: unknown, root = value, path: Path = []): readonly Spot[] {
  if (typeof value === 'object' && value !== null) {
    const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    return inner.flatMap(([key, one]) => leavesOf(one, root, [...path, key]));
  }
  if (typeof value !== 'string') return [];
  const name = path.filter((key) => typeof key === 'string').join('.');
  const put = (word: string) => JSON.stringify(withValue(root, path, word));
  return [
    { name, put },
    ...spotsOf(value).map((inner) => ({ name: `${name}.${inner.name}`, put: (word: string) => put(inner.put(word)) })),
  ];
}

/** The platform of a subject, which keeps what is pushed to it, and where an account of it has its pushes. */
function listening(subject: Subject, push: Push) {
  const pushed: PushRequest[] = [];
  let address: string | undefined;
  const { subscribe } = push;
  const kept: Push = {
    ...push,
    ...(subscribe && {
      subscribe(call, target) {
        if (push.scope === 'account') address = target.callback;
        return subscribe(call, target);
      },
    }),
    async verify(request, trust) {
      if (request.headers[SIGNED] !== undefined) return true;
      const isRight = await push.verify(request, trust);
      if (isRight) pushed.push(request);
      return isRight;
    },
  };
  return { pushed, address: () => address, subject: { ...subject, platform: { ...subject.platform, push: kept } } };
}

/** Pushes what people do with a word that every object has in the place of each text, and expects it to be taken. */
export async function takeWords(of: Subject, push: Push): Promise<number> {
  const { pushed, address, subject } = listening(of, push);
  const stage = await openStage(subject);
  const scene = await setUp(stage, subject);
  for (const { before, send } of Object.values(subject.inbound ?? {})) {
    await before?.(scene);
    await send(scene);
  }
  await stage.hear();
  const spots = new Map<string, Spot & Readonly<{ request: PushRequest }>>();
  for (const request of pushed)
    for (const spot of spotsOf(Buffer.from(request.body).toString('utf8'))) spots.set(spot.name, { ...spot, request });
  const own = `${stage.world.root}/push/${subject.platform.slug}`;
  const heard = stage.world.log.length;
  const every = Math.ceil(spots.size / MOST);
  const tried = [...spots.values()].filter((_, at) => at % every === 0);
  for (const [at, { name, put, request }] of tried.entries()) {
    const word = WORDS[at % WORDS.length]!;
    const url = address() ?? `${own}${request.path && `/${request.path}`}`;
    const kept = Object.entries(request.headers).filter(([header]) => /^(?:content-type$|x-)/.test(header));
    const headers = { ...Object.fromEntries(kept), [SIGNED]: 'yes' };
    const { status } = await fetch(url, { method: 'POST', headers, body: put(word) });
    expect([name, word, status]).toEqual([name, word, 200]);
  }
  await stage.hear();
  expect(stage.world.log.slice(heard).filter((line) => line.startsWith('{"level":"error"'))).toEqual([]);
  return tried.length;
}
