import { describe, expect, it } from 'vitest';
import { askRepeatedly, NoAnswer } from '../../harness/calls/repeating-client.ts';
import type { Answer, World } from '../../harness/world.ts';
import { letTimePass } from '../../harness/worlds/social.ts';
import { SCENES, TEXT, type Name, type Scene } from './scenes.ts';

/**
 * A client that repeats every POST on 408, 409, 429, 5xx and after a timeout, without any key to know it by. Whatever
 * it met, people see once what was asked for.
 */
const NETWORKS = ['facebook', 'bluesky'] as const;
const ANSWERS = ['send_dm', 'reply_to_comment'] as const;
const SLOW_MS = 5_000;

/** Goes on asking until something is the case: every round is a request, so what is under way gets its turns. */
async function until(world: World, isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await world.rest('GET /v1/usage');
}

const isInside = ({ product }: World, method: string) =>
  product.sandbox!.requests().some((entry) => entry.method === method && entry.fault?.includes('slow'));

/** A try during which the client goes away while the platform still works; it takes `told` for the answer. */
async function giveUp({ world, deeds }: Scene, name: Name, told: number): Promise<Answer> {
  const { call, body, method: within } = deeds[name];
  const leaving = new AbortController();
  const [method, path] = call.split(' ') as [string, string];
  const headers = { Authorization: `Bearer ${world.key}`, 'Content-Type': 'application/json' };
  const init = { method, headers, body: JSON.stringify(body), signal: leaving.signal };
  const asked = fetch(world.root + path, init).then(
    () => true,
    () => false,
  );
  await until(world, () => isInside(world, within));
  leaving.abort();
  expect(await asked).toBe(false);
  // The server hears of it before it answers the last of these.
  for (let round = 0; round < 3; round += 1) await world.rest('GET /v1/usage');
  if (told === 0) throw new NoAnswer();
  return { status: told, headers: new Headers(), body: undefined };
}

/** Whether the server has brought everything to its end. */
async function isDone({ product }: World): Promise<boolean> {
  const { db } = product.store;
  const sends = await db.selectFrom('sends').select('status').execute();
  const targets = await db.selectFrom('targets').select('status').execute();
  return sends.every(({ status }) => status === 'done') && targets.every(({ status }) => status === 'published');
}

const pausing =
  ({ clock }: World) =>
  (ms: number) =>
    new Promise<void>((resolve) => void clock.after(ms, resolve));

const askFor = ({ world, deeds }: Scene, name: Name) => world.rest(deeds[name].call, deeds[name].body);

/** Asks by the client's rules until it is content or gives up. */
const persist = (scene: Scene, name: Name, first: () => Promise<Answer> = () => askFor(scene, name)) =>
  askRepeatedly((attempt) => (attempt === 0 ? first() : askFor(scene, name)), pausing(scene.world));

/** Expects people to see it once, and what the client was told in the end to be true. */
async function expectOnce({ world, deeds }: Scene, name: Name, answer: Answer | undefined): Promise<void> {
  await world.pass(SLOW_MS);
  expect(await deeds[name].seen()).toBe(1);
  if (name !== 'create_post') {
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    return;
  }
  // The guard of posts names the one there is.
  const { data } = (await world.rest(`GET /v1/posts?search=${encodeURIComponent(TEXT)}`)).body;
  expect(data).toMatchObject([{ status: 'published' }]);
  const meta = { id: data[0].id as string };
  expect(answer).toMatchObject({ status: 409, body: { error: { code: 'resource.conflict', meta } } });
}

const GIVEN_UP = [
  ['a timeout', 0],
  ['a 502 of a gateway', 502],
] as const;

describe.each(NETWORKS)('a client that repeats what it asked of %s', (network) => {
  describe.each(['send_dm', 'reply_to_comment', 'create_post'] as const)('by %s', (name) => {
    it.each(GIVEN_UP)('after %s, while the first is under way, makes no second one', async (_, told) => {
      const scene = await SCENES[network]();
      const { world, deeds, fault } = scene;
      await fault('slow', deeds[name].method, { delay_ms: SLOW_MS });
      const asking = persist(scene, name, () => giveUp(scene, name, told));
      const { answer, tries } = await letTimePass(world, asking);
      expect(tries).toEqual(name === 'create_post' ? [told, 409, 409] : [told, 200]);
      await expectOnce(scene, name, answer);
    });

    it('after a timeout, when the first has ended meanwhile, makes no second one', async () => {
      const scene = await SCENES[network]();
      const { world, deeds, fault } = scene;
      await fault('slow', deeds[name].method, { delay_ms: SLOW_MS });
      const { answer, tries } = await letTimePass(
        world,
        persist(scene, name, async () => {
          const gone = giveUp(scene, name, 0);
          await gone.catch(() => {});
          await until(world, () => isDone(world));
          return gone;
        }),
      );
      expect(tries).toEqual(name === 'create_post' ? [0, 409, 409] : [0, 200]);
      await expectOnce(scene, name, answer);
    });
  });

  it.each(ANSWERS)('by %s makes no second one after a 502, which nobody could tell the end of', async (name) => {
    const scene = await SCENES[network]();
    const { world, deeds, fault, mute } = scene;
    const { method, look } = deeds[name];
    await mute();
    // The answer is lost, and so is that of whoever looks for it: where it may be sent again, that is lost, too.
    await fault('slow', method, { delay_ms: 1 });
    await fault('lost', method, { times: look === undefined ? 3 : 1 });
    const asking = persist(scene, name);
    await until(world, () => isInside(world, method));
    if (look !== undefined) await fault('throttled', look, { times: 3 });
    const { answer, tries } = await letTimePass(world, asking);
    expect(tries).toEqual([502, 200]);
    await expectOnce(scene, name, answer);
  });

  it.each(ANSWERS)('by %s is let through after a 429, and later when it has the same to say', async (name) => {
    const scene = await SCENES[network]();
    const { world, deeds, fault } = scene;
    await fault('throttled', deeds[name].method);
    const { answer, tries } = await letTimePass(world, persist(scene, name));
    expect(tries).toEqual([429, 200]);
    await expectOnce(scene, name, answer);
    expect((await persist(scene, name)).tries).toEqual([200]);
    expect(await deeds[name].seen()).toBe(2);
  });
});

it('a comment that facebook calls a duplicate is a 409, and its repeats leave no second one', async () => {
  const scene = await SCENES.facebook();
  const order = { method: 'POST comment/comments', when: 'before', code: 506 };
  const { status } = await scene.world.rest('POST /sandbox/__control/facebook/order', order);
  expect(status).toBe(200);
  const { answer, tries } = await letTimePass(scene.world, persist(scene, 'reply_to_comment'));
  expect(tries).toEqual([409, 200]);
  await expectOnce(scene, 'reply_to_comment', answer);
});
