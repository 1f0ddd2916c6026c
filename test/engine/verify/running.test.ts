import { beforeEach, describe, expect, it } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import type { Platform } from '#platforms/platform.ts';
import type { PostMetrics } from '#platforms/posts.ts';
import { byToken, fakePlatform } from '../../harness/platforms/fake.ts';
import { lost, makeNetwork, refusedAs, silent, times } from '../../harness/platforms/network.ts';
import { RULES } from '../../harness/platforms/publishing.ts';
import { letTimePass } from '../../harness/worlds/social.ts';
import { makeWorld } from '../../harness/world.ts';

const COUNTS: PostMetrics = { likes: 0, comments: 0, shares: 0, saves: 0 };
const refusal = new PlatformError('refused', 'permission_denied', 'Not this part.');
const refused = refusedAs('permission_denied', 'Not now.');

let net: ReturnType<typeof makeNetwork>;
/** What everybody sees, by its id. */
let seen: Map<string, string>;
beforeEach(() => {
  net = makeNetwork();
  seen = new Map();
});

/** A platform whose posts are known by the answer alone, and may be sent twice. */
function network(parts: Partial<Platform> = {}): Platform {
  const listed = () => [...seen].map(([id, text]) => ({ id, text }));
  return fakePlatform('threads', {
    connect: byToken,
    posts: {
      rules: RULES,
      publish: {
        steps: () => [{ name: 'write', kind: 'idempotent' }],
        run: (call) =>
          net.act(call, 'write', () => {
            seen.set('post-1', call.post.text);
            return 'post-1';
          }),
        finish({ write }) {
          if (typeof write !== 'string') throw new Error('not written');
          return { platform_post_id: write, permalink: `https://social.test/${write}` };
        },
      },
      list: async () => ({
        posts: listed().map(({ id, text }) => ({ platform_post_id: id, text, created_at: 0, media: [] })),
      }),
      remove: (call, id) => net.act(call, 'remove', () => void seen.delete(id)),
      metrics: async (_call, posts) => new Map(posts.map(({ id }) => [id, COUNTS])),
    },
    comments: {
      text: { max: 100, counting: 'chars' },
      reply: {
        send: (call, { text }) =>
          net.act(call, 'comment', () => {
            seen.set('comment-1', text);
            return { comment_id: 'comment-1', permalink: 'https://social.test/comment-1' };
          }),
      },
      list: async () => ({
        items: listed().map(({ id, text }) => ({
          platform_id: id,
          platform_post_id: 'post-1',
          author: { id: 'me', name: 'Me' },
          is_owner: true,
          text,
          media: [],
          created_at: 0,
          like_count: 0,
          reply_count: 0,
          is_hidden: false,
          is_liked: false,
          capabilities: {
            can_reply: true,
            can_delete: true,
            can_hide: true,
            can_like: true,
            can_private_reply: true,
          },
        })),
      }),
      isComment: async () => false,
      remove: (call, { comment }) => net.act(call, 'uncomment', () => void seen.delete(comment)),
    },
    verification: { seenBy: 'everybody', without: { permalink: 'it has no page' } },
    ...parts,
  });
}

/** Verifies an account of it, while time passes. */
async function verify(platform: Platform, page?: string) {
  const world = await makeWorld({ surroundings: { platforms: new Map([['threads', platform]]) } });
  const ask = { platform: 'threads', metadata: { token: 'ours' } };
  const { body } = await world.rest('POST /v1/accounts/connect', ask);
  await world.settle();
  const made: string[] = [];
  const watching = { checked() {}, made: (address: string) => void made.push(address) };
  const asked = { platform: 'threads', account: body.account_id, page } as const;
  return { made, ...(await letTimePass(world, world.product.verify.run(asked, watching))) };
}

const titleOf = ({ report }: Readonly<{ report: string }>) => report.split('\n', 1)[0];

describe('a verification', () => {
  it('finds nothing where everything is as expected, and leaves nothing', async () => {
    const found = await verify(network());
    expect(found).toMatchObject({ differences: [], remains: [], broken: [] });
    expect(found.made).toEqual(['https://social.test/post-1', 'https://social.test/comment-1']);
    expect([...seen]).toEqual([]);
  });

  it('repeats a public step that may be repeated, as the server does', async () => {
    net.script('ours', 'write', silent, lost);
    expect(await verify(network())).toMatchObject({ differences: [], remains: [] });
    expect([...seen]).toEqual([]);
  });

  it('finds and removes a post whose every answer got lost', async () => {
    net.script('ours', 'write', ...times(9, lost));
    const found = await verify(network());
    expect(found).toMatchObject({ remains: [], made: ['post-1'] });
    expect(found.report).toContain('Differs: it was made all the same.');
    expect([...seen]).toEqual([]);
  });

  it('names a post of which it cannot know whether it is there', async () => {
    net.script('ours', 'write', ...times(9, lost));
    const { posts, ...platform } = network();
    const { list: _, ...unlisted } = posts!;
    const { remains } = await verify({ ...platform, posts: unlisted });
    expect(remains).toEqual([
      { what: expect.stringMatching(/^perhaps a post .*, seen by everybody$/), address: undefined },
    ]);
  });

  it('names no post that was refused', async () => {
    net.script('ours', 'write', refused);
    expect(await verify(network())).toMatchObject({ remains: [], made: [], differences: [expect.any(String)] });
  });

  it('names a comment that stays', async () => {
    net.script('ours', 'uncomment', refused);
    expect((await verify(network())).remains).toEqual([
      { what: expect.stringContaining('the comment comment-1'), address: 'https://social.test/comment-1' },
    ]);
  });

  it('removes a comment whose answer got lost, or names it', async () => {
    net.script('ours', 'comment', lost);
    expect((await verify(network())).remains).toEqual([]);
    expect([...seen]).toEqual([]);
    net.script('ours', 'comment', silent);
    expect((await verify(network())).remains).toEqual([
      { what: expect.stringContaining('perhaps a comment'), address: 'https://social.test/post-1' },
    ]);
  });

  it('takes what is refused of a list or of counts for a difference', async () => {
    const skipped = [{ page: 'videos', error: refusal }];
    const text = { max: 100, counting: 'chars' } as const;
    const { posts, ...platform } = network({ mentions: { text, list: async () => ({ items: [], skipped }) } });
    const metrics = async () => new Map([['post-1', refusal]]);
    const { differences } = await verify({ ...platform, posts: { ...posts!, metrics } });
    expect(differences.map((line) => line.split(':', 2).join(':'))).toEqual([
      'mentions: a part of it is refused',
      'metrics: a part of it is refused',
    ]);
  });

  it('goes on after an error of ours, says where it was, and removes what it made', async () => {
    const wrong = new TypeError('undefined is no number');
    const { posts, ...platform } = network();
    const found = await verify({ ...platform, posts: { ...posts!, metrics: () => Promise.reject(wrong) } });
    expect(found).toMatchObject({ differences: [], remains: [], broken: [wrong] });
    expect(titleOf(found)).toBe('# rostra verify threads: no differences, 1 check broken off');
    expect(found.report).toContain('## metrics: broken off');
    expect(found.report).toContain('## gone: as expected');
    expect([...seen]).toEqual([]);
  });

  it('reports what was done before a page was found to be none', async () => {
    const pages = { read: async () => ({ pages: [], session: {} }) };
    const found = await verify(network({ pages }), 'page_unknown');
    expect(found.broken).toHaveLength(1);
    expect(found.report).toContain('## account: broken off');
  });

  it('takes a quota that is used up for no difference', async () => {
    const cost = { bucket: 'calls', units: 1 };
    const quotas = { calls: { limit: 0, every: 'minute', per: 'account' } } as const;
    const limits: Platform['limits'] = async (call) => {
      await call.http({ method: 'GET', url: 'https://social.test', template: '/', cost });
      return {};
    };
    const found = await verify(network({ quotas, limits }));
    expect(found).toMatchObject({ differences: [], broken: [] });
    expect(found.report).toMatch(/## limits: not tried\n.*\nSeen: quota used up[^\n]*\d\.\d+Z\.\n/);
  });
});
