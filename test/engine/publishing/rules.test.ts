import { describe, expect, it } from 'vitest';
import type { Platform } from '#platforms/platform.ts';
import type { OutgoingPost, PostRules } from '#platforms/posts.ts';
import { supportOf } from '#platforms/support.ts';
import { byToken } from '../../harness/platforms/fake.ts';
import { makePostNetwork, publishingPlatform } from '../../harness/platforms/publishing.ts';
import { makeWorld } from '../../harness/world.ts';

const SLUG = 'pinterest';

/** A platform whose posts have a title and a board, and may be a document; its rules with some changed. */
function ruledPlatform(rules: Partial<PostRules> = {}) {
  const { posts, ...rest } = publishingPlatform(makePostNetwork(), SLUG, { offline: true });
  const published: OutgoingPost[] = [];
  const platform: Platform = {
    ...rest,
    connect: byToken,
    posts: {
      ...posts!,
      rules: { ...posts!.rules, ...rules },
      publish: {
        ...posts!.publish,
        run(call, step) {
          published.push(call.post);
          return posts!.publish.run(call, step);
        },
      },
    },
  };
  return { platform, published };
}

async function scene(rules?: Partial<PostRules>) {
  const { platform, published } = ruledPlatform(rules);
  const world = await makeWorld({ surroundings: { platforms: new Map([[SLUG, platform]]) } });
  const connected = await world.rest('POST /v1/accounts/connect', { platform: SLUG, metadata: { token: 't' } });
  const account_id: string = connected.body.account_id;
  const post = (own: object, whole: object = {}) =>
    world.rest('POST /v1/posts', { text: 'Hi', publish_now: true, ...whole, targets: [{ account_id, ...own }] });
  const issues = async (ask: object): Promise<readonly string[]> => {
    const { body } = await world.rest('POST /v1/posts/validate', { text: 'Hi', platforms: [SLUG], ...ask });
    return body.errors.map(({ field, message }: { field: string; message: string }) => `${field} ${message}`);
  };
  const constraints = async () => (await world.rest('GET /v1/posts/validate')).body.data[SLUG];
  return { world, post, issues, published, constraints };
}

describe('the board of a post', () => {
  it('reaches the connector, and is asked for where the platform needs one', async () => {
    const { post, published, constraints, issues } = await scene({ board: 'required' });
    expect((await constraints()).board).toEqual({ required: true });
    expect(await issues({})).toEqual([`board_id is required on ${SLUG}`]);
    const error = { code: 'validation.field_invalid', meta: { field: 'board_id' } };
    expect((await post({})).body.error).toMatchObject(error);
    expect(published).toEqual([]);
    expect((await post({ board_id: 'b1' })).status).toBe(201);
    expect(published[0]).toMatchObject({ board_id: 'b1' });
  });

  it('makes another post of the same content', async () => {
    const { post } = await scene();
    const statuses: number[] = [];
    for (const board_id of ['b1', 'b2', 'b1', undefined, undefined]) statuses.push((await post({ board_id })).status);
    expect(statuses).toEqual([201, 201, 409, 201, 409]);
  });
});

describe('the title of a post', () => {
  const title = { max: 5, counting: 'chars', required: true } as const;

  it('is asked for and not longer than the platform takes', async () => {
    const { issues, constraints, post } = await scene({ title });
    const rule = { supported: true, required: true, max_length: 5, counting_mode: 'chars' };
    expect((await constraints()).title).toEqual(rule);
    for (const none of [{}, { title: ' ' }]) expect(await issues(none)).toEqual([`title is required on ${SLUG}`]);
    expect(await issues({ title: 'Longer' })).toEqual(['title exceeds 5 character limit (6/5)']);
    expect(await issues({ title: 'Short' })).toEqual([]);
    expect((await post({}, { title: 'Whole' })).status).toBe(201);
  });

  it('is no matter where a platform has none', async () => {
    const { issues, constraints } = await scene();
    expect((await constraints()).title).toEqual({ supported: false });
    expect(await issues({ title: 'Anything at all' })).toEqual([]);
  });
});

describe('the first comment', () => {
  it('has a rule of its own', async () => {
    const { issues, constraints } = await scene({ first_comment: { max: 4, counting: 'chars', max_bytes: 6 } });
    const rule = { supported: true, max_length: 4, counting_mode: 'chars', max_bytes: 6 };
    expect((await constraints()).first_comment).toEqual(rule);
    expect(await issues({ first_comment: 'four' })).toEqual([]);
    expect(await issues({ first_comment: 'five!' })).toEqual(['first_comment exceeds 4 character limit (5/4)']);
    expect(await issues({ first_comment: 'äöüß' })).toEqual(['first_comment exceeds 6 byte limit (8/6)']);
  });
});

describe('the text of a post', () => {
  it.each([
    ['weighted', 10, 'https://example.com/x', 'text exceeds 10 character limit (23/10)'],
    ['weighted', 10, '日本語日本語', 'text exceeds 10 character limit (12/10)'],
    ['weighted', 23, 'https://example.com/a/long/path', undefined],
    ['emoji_bytes', 10, '😀😀😀', 'text exceeds 10 character limit (12/10)'],
    ['emoji_bytes', 10, 'ten chars!', undefined],
  ] as const)('is counted %s', async (counting_mode, max_length, text, issue) => {
    const { issues, constraints } = await scene({ text: { max_length, counting_mode } });
    expect((await constraints()).text).toMatchObject({ max_length, counting_mode });
    expect(await issues({ text })).toEqual(issue === undefined ? [] : [issue]);
  });

  it('has so many links at most', async () => {
    const text = { max_length: 100, counting_mode: 'graphemes', max_links: 1 } as const;
    const { issues, constraints } = await scene({ text });
    expect((await constraints()).text.max_links).toBe(1);
    const two = await issues({ text: 'See https://a.example.com and example.org.' });
    expect(two).toEqual(['text has more than 1 links (2)']);
    expect(await issues({ text: 'See https://a.example.com, and https://a.example.com again.' })).toEqual([]);
  });
});

describe('a document', () => {
  const media = (rules: PostRules['media']): PostRules['media'] => ({
    ...rules,
    documents: ['application/pdf'],
    max_document_size_bytes: 100,
  });
  const pdf = { source: 'https://a.example.com/a.pdf', source_type: 'url', type: 'file' };
  const png = { source: 'https://a.example.com/a.png', source_type: 'url', type: 'image' };

  it('is media where the platform takes some, alone', async () => {
    const { platform } = ruledPlatform();
    const { issues, constraints } = await scene({ media: media(platform.posts!.rules.media) });
    expect((await constraints()).media.supported_document_types).toEqual(['application/pdf']);
    expect(await issues({ media: [pdf] })).toEqual([]);
    expect(await issues({ media: [pdf, png] })).toEqual(['media documents and other media cannot be mixed']);
  });

  it('is refused where it takes none', async () => {
    const { issues, constraints } = await scene();
    expect((await constraints()).media.supported_document_types).toEqual([]);
    expect(await issues({ media: [pdf] })).toEqual(['media.0 documents are not supported']);
  });

  it('is a word of the support matrix', () => {
    const { platform } = ruledPlatform();
    const { rules } = platform.posts!;
    const able = { ...platform, posts: { ...platform.posts!, rules: { ...rules, media: media(rules.media) } } };
    expect([supportOf(platform)['post document'], supportOf(able)['post document']]).toEqual([false, true]);
  });
});
