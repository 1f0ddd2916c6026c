import { describe, expect, it } from 'vitest';
import { linkedin } from '#platforms/linkedin/index.ts';
import { commentaryOf, plainText } from '#platforms/linkedin/text.ts';
import type { Done, OutgoingPost, LookupCall } from '#platforms/posts.ts';
import { opened } from '../../harness/opened.ts';
import { answer, NOW, ok, refused, type Script } from '../../harness/platforms/script.ts';
import { linkedinOf, MEMBER, ORGANIZATION, refusal } from './script.ts';
import { postOf } from '../../harness/platforms/steps.ts';

const { publish, check, list, metrics } = linkedin.posts!;
const BEGUN: Done = { begin: { at: NOW } };
const DUPLICATE = refusal(422, 'com.linkedin.Bad: Content is a duplicate of urn:li:share:7');

const post = (more: Partial<OutgoingPost> = {}) => postOf({ text: 'Fresh bread', page_id: ORGANIZATION, ...more });

type Given = Readonly<{ post?: Partial<OutgoingPost>; done?: Done; kept?: unknown; media?: Uint8Array; type?: string }>;

function calling(script: Script, given: Given, more: Parameters<typeof linkedinOf>[1] = {}) {
  const { acting, asked, calls } = linkedinOf(script, more);
  const keeps: unknown[] = [];
  const call: LookupCall = {
    ...acting,
    sentAt: 0,
    post: post(given.post),
    done: given.done ?? BEGUN,
    kept: given.kept,
    keep: async (value) => void keeps.push(value),
    open: async () => opened(given.media ?? Buffer.from('file'), given.type ?? 'image/png', { filename: 'a.pdf' }),
  };
  return { call, asked, calls, keeps };
}

async function run(script: Script, step: string, given: Given = {}, more: Parameters<typeof linkedinOf>[1] = {}) {
  const made = calling(script, given, more);
  return { ...made, result: await publish.run(made.call, step) };
}

const shown = (more: object = {}) =>
  ok({ id: 'urn:li:share:7', author: ORGANIZATION, commentary: 'Fresh bread', createdAt: NOW, ...more });

describe('the text of a post', () => {
  it.each([
    [
      '50% (off) [today] {only} <3 ~ a_b * | \\ @me',
      String.raw`50% \(off\) \[today\] \{only\} \<3 \~ a\_b \* \| \\ \@me`,
    ],
    ['#bread, #Brötchen2 and #', String.raw`#bread, #Brötchen2 and \#`],
    ['C# and a#b', String.raw`C\# and a\#b`],
    ['#my_tag', String.raw`#my\_tag`],
    [
      'Thanks @[Harbour (Coffee)](urn:li:organization:12)!',
      String.raw`Thanks @[Harbour \(Coffee\)](urn:li:organization:12)!`,
    ],
    ['(https://a.example/#top) b.com/?#x #y', String.raw`\(https://a.example/\#top\) b.com/?\#x #y`],
    ['@[Name](https://example.org)', String.raw`\@\[Name\]\(https://example.org\)`],
  ])('%s', (text, commentary) => {
    expect(commentaryOf(text)).toBe(commentary);
  });

  it('is read back as people see it', () => {
    const commentary = String.raw`{hashtag|\#|bread} for @[Harbour \(Coffee\)](urn:li:organization:12) \(50%\)`;
    expect(plainText(commentary)).toBe('#bread for Harbour (Coffee) (50%)');
    expect(plainText(commentaryOf('a_b (c) #d'))).toBe('a_b (c) #d');
  });

  it('is counted once it is escaped', () => {
    const issuesOf = (text: string) => check!(post({ text })).map(({ field }) => field);
    expect(issuesOf('('.repeat(1500))).toEqual([]);
    expect(issuesOf('('.repeat(1501))).toEqual(['text']);
    // What is too long anyway is said by the rule itself.
    expect(issuesOf('a'.repeat(3001))).toEqual([]);
  });
});

describe('the options of a post', () => {
  const fields = (more: Partial<OutgoingPost>) => check!(post(more)).map(({ field }) => field);
  const poll = { question: 'Rye?', options: ['Yes', 'No'] };
  const picture = { ref: 'a', kind: 'image' } as const;
  const OPTION = 'platform_data.linkedin';

  it.each<readonly [string, Partial<OutgoingPost>, string]>([
    ['a poll of one', { options: { poll: { ...poll, options: ['Yes'] } } }, `${OPTION}.poll.options`],
    ['a long option', { options: { poll: { ...poll, options: ['Yes', 'N'.repeat(31)] } } }, `${OPTION}.poll.options.1`],
    ['an article and a poll', { options: { poll, article: { source: 'https://a.example' } } }, `${OPTION}.poll`],
    ['a poll with a picture', { options: { poll }, media: [picture] }, `${OPTION}.poll`],
    ['an address of files', { options: { article: { source: 'ftp://a.example' } } }, `${OPTION}.article.source`],
    ['a reshare of nothing', { options: { reshare: '7' } }, `${OPTION}.reshare`],
    ['a picture and a document', { media: [picture, { ref: 'b', kind: 'file' }] }, 'media'],
    ['a narrow video', { media: [{ ref: 'a', kind: 'video', width: 100, height: 241 }] }, 'media.0'],
    ['a tiny video', { media: [{ ref: 'a', kind: 'video', size_bytes: 74_999 }] }, 'media.0'],
  ])('refuse %s', (_, more, field) => {
    expect(fields(more)).toEqual([field]);
  });

  it('make polls, articles and reshares of a post', async () => {
    const created = { 'POST posts': answer(201, '', { 'x-restli-id': 'urn:li:share:7' }) };
    const bodyOf = async (options: object, done = BEGUN) =>
      (await run(created, 'post', { post: { options: { ...options } }, done })).asked[0]!.body;
    expect(await bodyOf({ poll })).toMatchObject({
      author: ORGANIZATION,
      visibility: 'PUBLIC',
      content: {
        poll: { question: 'Rye?', options: [{ text: 'Yes' }, { text: 'No' }], settings: { duration: 'THREE_DAYS' } },
      },
    });
    const article = { source: 'https://a.example/rye', thumbnail: { source: 'm-1', source_type: 'media_id' } };
    const done = { begin: { at: NOW, card: { title: 'Rye', description: '' } }, 'file.0': { urn: 'urn:li:image:1' } };
    expect((await bodyOf({ article }, done)).content).toEqual({
      article: { source: article.source, title: 'Rye', thumbnail: 'urn:li:image:1' },
    });
    expect(await bodyOf({ reshare: 'urn:li:share:1' })).toMatchObject({ reshareContext: { parent: 'urn:li:share:1' } });
    expect(linkedin.posts!.attached!({ article })).toEqual([{ ...article.thumbnail, type: 'image' }]);
  });

  it('read the title of an article from its page, and say when it has none', async () => {
    const options = { article: { source: 'https://a.example/rye' } };
    const page = answer(200, '<title>Rye bread</title>', { 'content-type': 'text/html' });
    const { result } = await run({ 'GET /rye': page }, 'begin', { post: { options } });
    expect(result).toEqual({ at: NOW, card: { title: 'Rye bread', description: '' } });
    const untitled = run({ 'GET /rye': answer(404) }, 'begin', { post: { options } });
    const message = expect.stringContaining('article.title');
    await expect(untitled).rejects.toMatchObject({ reason: 'invalid_request', message });
  });
});

describe('the files of a post', () => {
  it('carry their alternative texts, and documents a title', async () => {
    const created = { 'POST posts': answer(201, '', { 'x-restli-id': 'urn:li:ugcPost:7' }) };
    const file = (at: number, kind: 'image' | 'file') => ({ ref: String(at), kind, filename: 'menu.pdf' });
    const done = { ...BEGUN, 'file.1': { urn: 'urn:li:image:2' }, 'file.0': { urn: 'urn:li:image:1' } };
    const several = { media: [file(0, 'image'), file(1, 'image')], options: { alts: [null, 'Rye'] } };
    const { asked, result } = await run(created, 'post', { post: several, done });
    expect(result).toEqual({ id: 'urn:li:ugcPost:7' });
    const images = [{ id: 'urn:li:image:1' }, { id: 'urn:li:image:2', altText: 'Rye' }];
    expect(asked[0]!.body.content).toEqual({ multiImage: { images } });
    const document = { media: [file(0, 'file')] };
    const own = { ...BEGUN, 'file.0': { urn: 'urn:li:document:1' } };
    expect((await run(created, 'post', { post: document, done: own })).asked[0]!.body.content).toEqual({
      media: { id: 'urn:li:document:1', title: 'menu.pdf' },
    });
  });

  const MB4 = 4_194_304;
  const parts = [
    { uploadUrl: 'https://up.example/0', firstByte: 0, lastByte: MB4 - 1 },
    { uploadUrl: 'https://up.example/1', firstByte: MB4, lastByte: 2 * MB4 - 1 },
    { uploadUrl: 'https://up.example/2', firstByte: 2 * MB4, lastByte: 2 * MB4 + 9 },
  ];
  const begun = {
    video: 'urn:li:video:1',
    uploadToken: 't',
    uploadUrlsExpireAt: NOW + 3_600_000,
    uploadInstructions: parts,
  };
  const film = {
    post: { media: [{ ref: 'f', kind: 'video' as const }] },
    media: Buffer.alloc(2 * MB4 + 10),
    type: 'video/mp4',
  };
  const script = (finalize: unknown = ok({})) =>
    ({
      'POST videos': ({ query, body }: { query: Record<string, string>; body: unknown }) =>
        query['action'] === 'initializeUpload' ? { value: begun, asked: body } : finalize,
      'PUT /0': answer(200, '', { etag: '"a"' }),
      'PUT /1': answer(200, '', { etag: '"b"' }),
      'PUT /2': answer(200, '', { etag: '"c"' }),
    }) satisfies Script;

  it('go in the parts that LinkedIn asks for, are noted each, and finalised in their order', async () => {
    const { result, asked, keeps } = await run(script(), 'file.0', film);
    expect(result).toEqual({ urn: begun.video });
    expect(keeps).toMatchObject([{ at: 0 }, { at: MB4, etags: ['"a"'] }, { at: 2 * MB4 }, { at: 2 * MB4 + 10 }]);
    expect(asked.at(-1)!.body).toEqual({
      finalizeUploadRequest: { video: begun.video, uploadToken: 't', uploadedPartIds: ['"a"', '"b"', '"c"'] },
    });
    const again = await run(script(), 'file.0', { ...film, kept: keeps[2] });
    expect(again.calls()).toEqual(['PUT /2', 'POST videos']);
    expect(again.asked.at(-1)!.body).toEqual(asked.at(-1)!.body);
  });

  it('are not begun in parts that do not make up the file', async () => {
    const short = { ...script(), 'POST videos': ok({ value: { ...begun, uploadInstructions: parts.slice(0, 2) } }) };
    await expect(run(short, 'file.0', film)).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('begin anew when the addresses have ended, and are finalised once', async () => {
    const kept = { ...begun, uploadUrlsExpireAt: NOW + 60_000, etags: ['"a"'], at: MB4, to: 2 * MB4 };
    expect((await run(script(), 'file.0', { ...film, kept })).calls()).toHaveLength(5);
    const whole = { ...kept, etags: ['"a"', '"b"', '"c"'], at: 2 * MB4 + 10 };
    const unwilling = { ...script(refusal(400)), 'GET videos/urn%3Ali%3Avideo%3A1': ok({ status: 'PROCESSING' }) };
    const done = await run(unwilling, 'file.0', { ...film, kept: whole });
    expect(done.result).toEqual({ urn: begun.video });
    const waiting = { ...unwilling, 'GET videos/urn%3Ali%3Avideo%3A1': ok({ status: 'WAITING_UPLOAD' }) };
    await expect(run(waiting, 'file.0', { ...film, kept: whole })).rejects.toMatchObject({ reason: 'invalid_request' });
  });

  it('are waited for, a moment only where the login may not ask', async () => {
    const media = [{ ref: 'a', kind: 'image' as const }];
    const done = { ...BEGUN, 'file.0': { urn: 'urn:li:image:1' } };
    const at = (reply: Script[string], kept?: unknown, clock?: { now: number }) =>
      run({ 'GET images/urn%3Ali%3Aimage%3A1': reply }, 'ready', { post: { media }, done, kept }, clock && { clock });
    await expect(at(ok({ status: 'PROCESSING' }))).rejects.toMatchObject({ kind: 'pending' });
    await expect(at(ok({ status: 'PROCESSING_FAILED' }))).rejects.toMatchObject({ reason: 'invalid_request' });
    expect((await at(ok({ status: 'AVAILABLE' }))).result).toEqual({});
    await expect(at(refusal(403))).rejects.toMatchObject({ kind: 'pending', retryAfter: 5 });
    await expect(at(refusal(403), { since: NOW }, { now: NOW + 14_999 })).rejects.toMatchObject({ kind: 'pending' });
    expect((await at(refusal(403), { since: NOW }, { now: NOW + 15_000 })).result).toEqual({});
  });
});

it('a post whose file is not ready is waited for, unless the file is lost', async () => {
  const said = (code: string) => run({ 'POST posts': answer(400, { status: 400, code, message: 'no' }) }, 'post');
  await expect(said('MEDIA_ASSET_PROCESSING')).rejects.toMatchObject({ kind: 'pending' });
  await expect(said('MEDIA_ASSET_WAITING_UPLOAD')).rejects.toMatchObject({ kind: 'pending' });
  await expect(said('MEDIA_ASSET_PROCESSING_FAILED')).rejects.toMatchObject({ reason: 'invalid_request' });
});

describe('too many requests', () => {
  const refusedBy = (text: string) => run({ 'POST posts': refusal(429, text) }, 'post');

  it('wait until midnight where the quota of a day is used up, and a moment else', async () => {
    const daily = 'Resource level throttle MEMBER DAY limit for calls to this resource is reached.';
    await expect(refusedBy(daily)).rejects.toMatchObject({ kind: 'throttled', retryAfter: 12 * 3600 });
    await expect(refusedBy('Slow down')).rejects.toMatchObject({ kind: 'throttled', retryAfter: undefined });
  });
});

describe('a duplicate', () => {
  const GET = 'GET posts/urn%3Ali%3Ashare%3A7';
  const twice = (found: Script[string], page_id = ORGANIZATION) =>
    run({ 'POST posts': DUPLICATE, [GET]: found }, 'post', { post: { page_id }, kept: {} });

  it('is ours where an earlier try was sent, and the post that is named is there and as this one', async () => {
    expect((await twice(shown())).result).toEqual({ id: 'urn:li:share:7' });
    const first = calling({ 'POST posts': DUPLICATE }, {});
    await expect(publish.run(first.call, 'post')).rejects.toMatchObject(refused('duplicate'));
    expect([first.calls(), first.keeps]).toEqual([['POST posts'], [{}]]);
  });

  it.each<readonly [string, Script[string]]>([
    ['does not exist', refusal(404)],
    ['may not be seen', refusal(403)],
    ['is older than this one', shown({ createdAt: NOW - 61_000 })],
    ['says something else', shown({ commentary: 'Stale bread' })],
    ['is by somebody else', shown({ author: 'urn:li:person:other' })],
    ['has a picture', shown({ content: { media: { id: 'urn:li:image:1' } } })],
  ])('whose post %s is a refusal', async (_, found) => {
    await expect(twice(found)).rejects.toMatchObject(refused('duplicate'));
  });
});

describe('a post whose answer is lost', () => {
  const listing = (...elements: object[]) => ({
    'GET posts': ok({ elements, paging: { start: 0, count: 50, links: [] } }),
  });
  const one = { id: 'urn:li:share:7', author: ORGANIZATION, commentary: 'Fresh bread', createdAt: NOW };
  const settle = (script: Script, more: Partial<OutgoingPost> = {}, scopes?: readonly string[]) =>
    publish.settle!(calling(script, { post: more }, scopes && { scopes }).call, 'post');

  it('is found in the list of the organization, if one alone can be it', async () => {
    expect(await settle(listing({ ...one, createdAt: NOW - 90_000 }, one))).toEqual({ made: { id: one.id } });
    expect(await settle(listing(one, { ...one, id: 'urn:li:share:8' }))).toBe('unknown');
    expect(await settle(listing())).toBe('unknown');
  });

  it('is not looked for among the posts of a member, unless the app may', async () => {
    await expect(settle({}, { page_id: MEMBER })).rejects.toMatchObject({ reason: 'permission_denied' });
    const own = listing({ ...one, author: MEMBER });
    expect(await settle(own, { page_id: MEMBER }, ['r_member_social_feed'])).toEqual({ made: { id: one.id } });
  });
});

describe('metrics', () => {
  it('of organizations are asked for by kind, with the page, and what is not counted is read below the post', async () => {
    const totalShareStatistics = {
      likeCount: 2,
      commentCount: 1,
      shareCount: 3,
      impressionCount: 90,
      uniqueImpressionsCount: 70,
      clickCount: 4,
      engagement: 0.1,
    };
    const counted = (name: string, id: string) => ok({ elements: [{ [name]: id, totalShareStatistics }] });
    const { acting, asked } = linkedinOf({
      'GET organizationalEntityShareStatistics': [
        counted('share', 'urn:li:share:1'),
        counted('ugcPost', 'urn:li:ugcPost:2'),
      ],
      'GET socialMetadata/urn%3Ali%3Ashare%3A3': ok({
        reactionSummaries: { LIKE: { count: 4 }, PRAISE: { count: 1 } },
        commentSummary: { count: 2 },
      }),
      'GET socialMetadata/urn%3Ali%3Ashare%3A4': refusal(404),
    });
    const ids = ['urn:li:share:1', 'urn:li:ugcPost:2', 'urn:li:share:3', 'urn:li:share:4'];
    const found = await metrics!(
      acting,
      ids.map((id) => ({ id, page_id: ORGANIZATION, metadata: {} })),
    );
    const whole = { likes: 2, comments: 1, shares: 3, saves: 0, extra: { views: 90, reach: 70, clicks: 4 } };
    expect(Object.fromEntries(found)).toEqual({
      [ids[0]!]: whole,
      [ids[1]!]: whole,
      [ids[2]!]: { likes: 5, comments: 2, shares: 0, saves: 0 },
    });
    expect(asked.slice(0, 2).map(({ request }) => new URL(request.url).search)).toEqual([
      '?q=organizationalEntity&organizationalEntity=urn%3Ali%3Aorganization%3A1&shares=List(urn%3Ali%3Ashare%3A1,urn%3Ali%3Ashare%3A3,urn%3Ali%3Ashare%3A4)',
      '?q=organizationalEntity&organizationalEntity=urn%3Ali%3Aorganization%3A1&ugcPosts=List(urn%3Ali%3AugcPost%3A2)',
    ]);
  });

  it('are in the list of an organization, as far as there are any', async () => {
    const { acting, asked } = linkedinOf({
      'GET posts': ok({
        elements: [
          { id: 'urn:li:share:1', author: ORGANIZATION, commentary: String.raw`\#1`, createdAt: NOW },
          { id: 'broken' },
        ],
        paging: { start: 0, count: 1, links: [{ rel: 'next', href: '/rest/posts?start=1' }] },
      }),
      'GET organizationalEntityShareStatistics': refusal(403),
    });
    expect(await list!(acting, { limit: 1, pageId: ORGANIZATION })).toEqual({
      cursor: '1',
      posts: [
        {
          platform_post_id: 'urn:li:share:1',
          permalink: 'https://www.linkedin.com/feed/update/urn:li:share:1',
          text: '#1',
          created_at: NOW,
          media: [],
          metrics: undefined,
          page_id: ORGANIZATION,
        },
      ],
    });
    const { headers } = asked[0]!.request;
    expect(headers).toMatchObject({
      'linkedin-version': '202607',
      'x-restli-protocol-version': '2.0.0',
      'x-restli-method': 'FINDER',
    });
  });
});
