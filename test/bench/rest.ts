import { join } from 'node:path';
import { ownPost } from '#db/posts/posts.ts';
import { targetsOf } from '#db/posts/targets.ts';
import { atLeast, type Finding } from './finding.ts';
import { compare, type Effort } from './load.ts';
import type { RecordQueries } from './peers.ts';
import { postId, seedPosts, statementOf } from './seed.ts';
import { makeDataDir, startPeer, startRostra, withFolder, withServers } from './server.ts';

const POSTS = 1000;
const ASKED = 50;

/** One post by REST, key check and all, beside a bare Koa route over the same SQL and the same JSON. */
export function benchRest(effort: Effort): Promise<readonly Finding[]> {
  return withFolder(async (folder) => {
    const empty = join(folder, 'empty');
    const headers = { authorization: `Bearer ${await makeDataDir(empty)}` };
    const dataDir = join(folder, 'data');
    const { file, workspace } = seedPosts(empty, dataDir, POSTS);
    const post = await statementOf((db) => ownPost(db, { workspace, id: postId(0) }).execute());
    const targets = await statementOf((db) => targetsOf(db, { postId: postId(0) }).execute());
    const answers: RecordQueries = { file, post, targets };
    return withServers([startRostra(dataDir), startPeer('bareRecord', answers)], async ([rostra, bare]) => {
      const read = async (url: string) => (await fetch(`${url}/v1/posts/${postId(7)}`, { headers })).text();
      if ((await read(rostra!.url)) !== (await read(bare!.url))) throw new Error('the peer answers another post');
      const paths = Array.from({ length: ASKED }, (_, index) => `/v1/posts/${postId(index * 19)}`);
      const requests = paths.map((path) => ({ method: 'GET' as const, path }));
      const ours = { name: 'rostra', ...rostra!, requests, headers };
      const compared = await compare([ours, { name: 'bare', ...bare!, requests }], effort);
      const judged = atLeast(0.8, compared.ratio('bare'));
      return [{ what: 'one post by REST beside bare Koa', ...judged, note: compared.describe('bare') }];
    });
  });
}
