import { describe, expect, it } from 'vitest';
import type { ContainerPlan } from '#platforms/graph/container-making.ts';
import { graphContainers } from '#platforms/graph/containers.ts';
import { makeGraph } from '#platforms/graph/api.ts';
import { graphErrors, isGraph } from '#platforms/graph/errors.ts';
import { refused, unclear } from '#platforms/shared/errors.ts';
import { publishing } from '#platforms/graph/posts.ts';
import { repeatableComment } from '#platforms/shared/first-comment.ts';
import { postOf } from '../../harness/platforms/steps.ts';
import { answer, lost, ok, type Script, scripted } from '../../harness/platforms/script.ts';

const { errorOf } = graphErrors([
  [{ code: 9007 }, 'refused', 'invalid_request'],
  [{ code: 9004 }, 'refused', 'invalid_request', { passing: true }],
]);
const { request } = makeGraph(errorOf);
const containers = graphContainers({
  title: 'Shop',
  edges: { make: 'media', publish: 'media_publish' },
  fields: { state: 'status_code', why: 'status' },
  request,
  ownerOf: () => '1',
  failureOf: (why) => (why === 'again' ? unclear() : refused('invalid_request', why)),
  isUnready: (error) => isGraph(error, 9007),
});
const { inOne, prepare, send, settle } = containers;

const state = (status_code: string, status = '') => ok({ status_code, status });
const made = (id: string) => ok({ id });
const refusal = (code: number, error_subcode?: number) =>
  answer(400, { error: { code, error_subcode, message: 'no' } });

const post = postOf({});
const refuse = async (): Promise<never> => {
  throw new Error('this post has no media');
};

/** A post whose steps are done one after another, each as often as is said; what a step keeps stays for it alone. */
function stage(script: Script, plan: Partial<ContainerPlan> = {}) {
  const world = scripted(script, {
    hosts: { graph: 'https://graph.test' },
    nameOf: ({ method, url }, names) => {
      const asked = `${method} ${new URL(url).pathname.replace(/^\/v[\d.]+/, '')}`;
      return names.find((name) => name === asked) ?? asked;
    },
  });
  const done: Record<string, unknown> = {};
  const kept = new Map<string, unknown>();
  const whole: ContainerPlan = {
    children: [],
    whole: async (children) => ({ caption: 'Rye', children: children.join(',') || undefined }),
    listed: async () => [],
    ...plan,
  };
  const acting = (step: string) => ({
    ...world.acting,
    done,
    kept: kept.get(step),
    keep: async (value: unknown) => void kept.set(step, value),
  });
  const { run } = publishing({
    containers,
    partsOf: () => [''],
    planOf: () => whole,
    assertFits: () => {},
    comment: (postIn) => repeatableComment(async (call) => ({ id: postIn(call) })),
    metadataOf: () => ({}),
  });
  return {
    ...world,
    done,
    kept,
    whole,
    acting,

    async step(name: string) {
      done[name] = await run({ ...acting(name), post, open: refuse, link: refuse }, name);
      return done[name];
    },
  };
}

const [CONTAINER, PUBLISH, NAMED] = ['container', 'publish', 'named'] as const;
const image = (image_url: string) => async () => ({ image_url });

describe('publishing through containers', () => {
  it('makes one, publishes it when it is finished, and names the post', async () => {
    const { step, calls, done, asked } = stage({
      'POST /1/media': made('c'),
      'GET /c': [state('IN_PROGRESS'), state('FINISHED')],
      'POST /1/media_publish': made('m'),
      'GET /m': ok({ permalink: 'https://shop.test/m' }),
    });
    await step(CONTAINER);
    await expect(step(PUBLISH)).rejects.toMatchObject({ kind: 'pending' });
    expect(await step(PUBLISH)).toEqual({ id: 'm' });
    await step(NAMED);
    expect(done[NAMED]).toEqual({ id: 'm', permalink: 'https://shop.test/m' });
    expect(calls().filter((call) => call.startsWith('POST'))).toEqual(['POST /1/media', 'POST /1/media_publish']);
    expect(asked.at(-2)!.form).toEqual({ creation_id: 'c' });
  });

  it('makes the items of a carousel once, and the whole when all of them are finished', async () => {
    const { step, asked } = stage(
      {
        'POST /1/media': [made('a'), lost(), made('b'), made('c')],
        'GET /a': state('FINISHED'),
        'GET /b': [state('IN_PROGRESS'), state('FINISHED')],
      },
      { children: [image('https://us.test/1'), image('https://us.test/2')] },
    );
    await expect(step(CONTAINER)).rejects.toMatchObject({ kind: 'unknown' });
    await expect(step(CONTAINER)).rejects.toMatchObject({ kind: 'pending' });
    expect(await step(CONTAINER)).toBe('c');
    const forms = asked.filter(({ request: { method } }) => method === 'POST').map(({ form }) => form);
    const urls = ['https://us.test/1', 'https://us.test/2', 'https://us.test/2'];
    expect(forms).toEqual([...urls.map((image_url) => ({ image_url })), { caption: 'Rye', children: 'a,b' }]);
  });

  it('publishes none again whose answer got lost, and finds its post in the list', async () => {
    const old = { id: 'old' };
    const lists = [[old], [old, { id: 'm', permalink: 'https://shop.test/m' }]];
    const listed = async () => lists.shift()!;
    const { step, calls } = stage(
      {
        'POST /1/media': made('c'),
        'GET /c': [state('FINISHED'), state('PUBLISHED')],
        'POST /1/media_publish': lost(),
      },
      { listed },
    );
    await step(CONTAINER);
    await expect(step(PUBLISH)).rejects.toMatchObject({ kind: 'unknown' });
    expect(await step(PUBLISH)).toEqual({ others: ['old'] });
    expect(await step(NAMED)).toEqual({ id: 'm', permalink: 'https://shop.test/m' });
    expect(calls().filter((call) => call === 'POST /1/media_publish')).toHaveLength(1);
  });

  it('leaves the name open while no post, or more than one, may be it', async () => {
    const [others, posts] = [['old'], ['old', '1', '2'].map((id) => ({ id }))];
    const refuse = (): Promise<never> => Promise.reject(refused('permission_denied'));
    for (const listed of [async () => [], async () => posts, async () => posts.slice(0, 1), refuse]) {
      const { step, done } = stage({}, { listed });
      done[PUBLISH] = { others };
      await expect(step(NAMED)).rejects.toMatchObject({ kind: 'unknown' });
    }
  });

  it('takes the refusal of a second try for the success of the first', async () => {
    const { step } = stage({
      'POST /1/media': made('c'),
      'GET /c': [state('FINISHED'), state('FINISHED'), state('FINISHED'), state('PUBLISHED')],
      'POST /1/media_publish': [lost(), refusal(100)],
    });
    await step(CONTAINER);
    await expect(step(PUBLISH)).rejects.toMatchObject({ kind: 'unknown' });
    // The state of the container lags behind.
    await expect(step(PUBLISH)).rejects.toMatchObject({ kind: 'unknown' });
    expect(await step(PUBLISH)).toEqual({ others: [] });
  });

  it('waits where publishing is refused because the media are not ready, and fails where it is refused', async () => {
    for (const [code, last, kind] of [
      [9007, 'IN_PROGRESS', 'pending'],
      [100, 'FINISHED', 'refused'],
    ] as const) {
      const { step } = stage({
        'POST /1/media': made('c'),
        'GET /c': [state('FINISHED'), state(last)],
        'POST /1/media_publish': refusal(code),
      });
      await step(CONTAINER);
      await expect(step(PUBLISH)).rejects.toMatchObject({ kind });
    }
  });

  it('makes expired containers anew, children too', async () => {
    const { step, calls } = stage(
      {
        'POST /1/media': [made('a'), made('c'), made('a2'), made('c2')],
        'GET /a': state('FINISHED'),
        'GET /c': state('EXPIRED'),
        'GET /a2': state('FINISHED'),
        'GET /c2': state('FINISHED'),
        'POST /1/media_publish': made('m'),
      },
      { children: [image('https://us.test/1')] },
    );
    await step(CONTAINER);
    await expect(step(PUBLISH)).rejects.toMatchObject({ kind: 'pending' });
    expect(await step(PUBLISH)).toMatchObject({ id: 'm' });
    expect(calls().filter((call) => call === 'POST /1/media')).toHaveLength(4);
  });

  it('makes one anew that expires while it is published', async () => {
    const { step, calls } = stage({
      'POST /1/media': [made('c'), made('c2')],
      'GET /c': [state('FINISHED'), state('EXPIRED')],
      'GET /c2': state('FINISHED'),
      'POST /1/media_publish': [refusal(100, 2207008), made('m')],
    });
    await step(CONTAINER);
    await expect(step(PUBLISH)).rejects.toMatchObject({ kind: 'pending' });
    expect(await step(PUBLISH)).toEqual({ id: 'm' });
    expect(calls().filter((call) => call === 'POST /1/media')).toHaveLength(2);
  });

  it('tries again after a failure that passes, but not for ever, and ends at one that does not', async () => {
    const passing = stage({ 'POST /1/media': made('c'), 'GET /c': state('ERROR', 'again') });
    await passing.step(CONTAINER);
    for (const kind of ['pending', 'pending', 'refused']) {
      await expect(passing.step(PUBLISH)).rejects.toMatchObject({ kind });
    }
    const final = stage({ 'POST /1/media': made('c'), 'GET /c': state('ERROR', 'too wide') });
    await final.step(CONTAINER);
    await expect(final.step(PUBLISH)).rejects.toMatchObject({ kind: 'refused', message: 'too wide' });
  });

  it('waits longer each time before it makes one that was refused for a reason that may pass', async () => {
    const { step } = stage({ 'POST /1/media': refusal(9004) });
    for (const retryAfter of [5, 15, 30]) {
      await expect(step(CONTAINER)).rejects.toMatchObject({ kind: 'pending', retryAfter });
    }
    await expect(step(CONTAINER)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('makes none anew that is gone after it was to be published', async () => {
    const { step, calls } = stage({
      'POST /1/media': made('c'),
      'GET /c': [state('FINISHED'), refusal(100, 33)],
      'POST /1/media_publish': lost(),
    });
    await step(CONTAINER);
    await expect(step(PUBLISH)).rejects.toMatchObject({ kind: 'unknown' });
    expect(await step(PUBLISH)).toEqual({ others: [] });
    await expect(step(NAMED)).rejects.toMatchObject({ kind: 'unknown' });
    expect(calls().filter((call) => call === 'POST /1/media')).toHaveLength(1);
  });

  it('does all of it in one step that may be repeated', async () => {
    const lists = [[], [{ id: 'm' }]];
    const listed = async () => lists.shift()!;
    const { acting, whole, calls } = stage(
      {
        'POST /1/media': made('c'),
        'GET /c': [state('IN_PROGRESS'), state('FINISHED'), state('PUBLISHED')],
        'POST /1/media_publish': lost(),
      },
      { listed },
    );
    await expect(inOne(acting('comment'), whole)).rejects.toMatchObject({ kind: 'pending' });
    await expect(inOne(acting('comment'), whole)).rejects.toMatchObject({ kind: 'unknown' });
    expect(await inOne(acting('comment'), whole)).toMatchObject({ id: 'm' });
    expect(calls().filter((call) => call.startsWith('POST'))).toEqual(['POST /1/media', 'POST /1/media_publish']);
  });

  it('makes and awaits the container of an answer once, and publishes it', async () => {
    const { acting, whole, calls } = stage({
      'POST /1/media': made('c'),
      'GET /c': [state('IN_PROGRESS'), state('FINISHED')],
      'POST /1/media_publish': made('m'),
      'GET /m': ok({ permalink: 'https://shop.test/m' }),
    });
    await expect(prepare(acting('prepare'), whole)).rejects.toMatchObject({ kind: 'pending' });
    expect(await prepare(acting('prepare'), whole)).toEqual({ container: 'c', others: [] });
    expect(await send(acting('send'), whole, { container: 'c', others: [] })).toEqual({
      id: 'm',
      permalink: 'https://shop.test/m',
    });
    expect(calls().filter((call) => call === 'POST /1/media')).toHaveLength(1);
  });

  it('looks an answer up by the state of its container', async () => {
    const look = (found: string, listed: ContainerPlan['listed'] = async () => []) => {
      const { acting, whole } = stage({ 'GET /c': state(found) }, { listed });
      return settle(acting('settle'), whole, { container: 'c', others: ['old'] });
    };
    expect(await look('FINISHED')).toBe('absent');
    expect(await look('EXPIRED')).toBe('unknown');
    expect(await look('PUBLISHED', async () => [{ id: 'old' }, { id: 'm' }])).toMatchObject({ id: 'm' });
    await expect(look('PUBLISHED')).rejects.toMatchObject({ kind: 'unknown' });
  });
});
